"""Which collection a folder is, and where collections are."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulerank.errors import InputError
from rulerank.reproduce import by_name, find_below, fold_folder, of_folder


def folds(folder: Path) -> Path:
    for number in range(1, 6):
        (folder / f"Fold{number}").mkdir(parents=True)
    return folder


def parts(folder: Path, ending: str = "") -> Path:
    folder.mkdir(parents=True)
    for number in range(1, 6):
        (folder / f"S{number}.txt{ending}").write_text("")
    return folder


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("Gov/QueryLevelNorm/2003_td_dataset", "TD2003"),
        ("Gov/QueryLevelNorm/2004_np_dataset", "NP2004"),
        ("Gov/QueryLevelNorm/2003_hp_dataset/", "HP2003"),
        ("TD2004/QueryLevelNorm", "TD2004"),
        ("OHSUMED/QueryLevelNorm", "OHSUMED"),
        ("letor3-ohsumed", "OHSUMED"),
        ("letor-hp_2004-normalised", "HP2004"),
        ("td2003/np2003", "NP2003"),
    ],
)
def test_a_folders_name_says_which_it_is(tmp_path, place, name):
    assert of_folder(tmp_path / place).name == name


@pytest.mark.parametrize("place", ["Fold", "mq2003", "shtd2003", "td20031", "gov/2003/td/a/b/c", "1np2005"])
def test_other_names_say_nothing(tmp_path, place):
    with pytest.raises(InputError, match="--collection"):
        of_folder(tmp_path / place)


def test_a_name_that_speaks_of_two_is_refused(tmp_path):
    with pytest.raises(InputError, match="TD2003 and NP2004"):
        of_folder(tmp_path / "td2003-and-np2004")


def test_people_may_spell_names_their_way():
    assert [by_name(name).name for name in ("td2003", "TD2003", "2003_td", "Ohsumed")] == [
        "TD2003",
        "TD2003",
        "TD2003",
        "OHSUMED",
    ]
    with pytest.raises(InputError, match="'td2005'; there are: OHSUMED, TD2003"):
        by_name("td2005")


def test_all_finds_every_collection_and_prefers_the_normalised_version(tmp_path):
    raw = folds(tmp_path / "Gov/Feature_null/2003_td_dataset")
    good = folds(tmp_path / "Gov/QueryLevelNorm/2003_td_dataset")
    hp = folds(tmp_path / "Gov/QueryLevelNorm/2004_hp_dataset")
    ohsumed = parts(tmp_path / "letor3-ohsumed", ".gz")
    other = parts(tmp_path / "mq2008")
    (tmp_path / "2004_np_dataset").mkdir()
    found, passed = find_below(tmp_path)
    assert found == {"OHSUMED": ohsumed, "TD2003": good, "HP2004": hp}
    assert sorted(passed) == sorted([raw, other])
    assert find_below(good)[0] == {"TD2003": good}


def test_a_folder_above_the_folds_gets_a_hint(tmp_path):
    folds(tmp_path / "Gov/2003_td_dataset")
    with pytest.raises(InputError, match=r"below it there are TD2003 \(.*2003_td_dataset\): name one of them, or"):
        fold_folder(tmp_path / "Gov")
    with pytest.raises(InputError, match="holds neither Fold1"):
        fold_folder(tmp_path / "Gov/2003_td_dataset/Fold1")
    with pytest.raises(InputError, match="not a folder"):
        fold_folder(tmp_path / "nowhere")
    with pytest.raises(InputError, match="not a folder"):
        find_below(tmp_path / "nowhere")
