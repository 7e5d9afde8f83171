"""The address of a file is good for the session that was sent it, and not for ever."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.gate.transfers import AFTERWARDS, ALONE, MOST, Downloads, Visitor

FILE, OTHER = "0123456789abcdef" * 2, "f" * 32
RESEARCHER = Visitor(person=1, session=11, rank=1)


def message(*files: str) -> bytes:
    return b"\x12\x07" + b"".join(f"\x0a/media/{file}.zip\x1a".encode() for file in files) + b"\xff"


@pytest.fixture
def clock():
    class Clock:
        now = 1000.0

        def __call__(self) -> float:
            return self.now

    return Clock()


@pytest.fixture
def downloads(clock) -> Downloads:
    return Downloads(clock)


def test_only_who_was_sent_an_address_may_use_it(downloads):
    page = downloads.open(RESEARCHER)
    assert not downloads.may(RESEARCHER, FILE)
    downloads.look(page, message(FILE))
    assert downloads.may(RESEARCHER, FILE)
    assert not downloads.may(RESEARCHER, OTHER)
    assert not downloads.may(Visitor(person=2, session=22, rank=2), FILE)  # not even an administrator
    assert not downloads.may(replace(RESEARCHER, session=12), FILE)  # nor the same person after signing in again


def test_who_may_do_less_now_may_not(downloads):
    downloads.look(downloads.open(RESEARCHER), message(FILE))
    assert not downloads.may(replace(RESEARCHER, rank=0), FILE)
    assert downloads.may(replace(RESEARCHER, rank=2), FILE)


@pytest.mark.parametrize("visitor", [RESEARCHER, ALONE])
def test_an_address_expires_some_time_after_its_page_was_closed(downloads, clock, visitor):
    page = downloads.open(visitor)
    downloads.look(page, message(FILE))
    clock.now += 10 * AFTERWARDS
    assert downloads.may(visitor, FILE)  # the page is open
    downloads.close(page)
    clock.now += AFTERWARDS - 1
    assert downloads.may(visitor, FILE)  # a download that takes long
    clock.now += 2
    assert not downloads.may(visitor, FILE)


def test_what_is_remembered_is_bounded(downloads):
    page = downloads.open(ALONE)
    for number in range(MOST + 10):
        downloads.look(page, message(f"{number:032x}"))
    assert len(page.files) == MOST
    assert not downloads.may(ALONE, f"{0:032x}")
    assert downloads.may(ALONE, f"{MOST + 9:032x}")
