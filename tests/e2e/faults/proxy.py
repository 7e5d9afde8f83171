"""A proxy between annotators and servers that loses, delays, doubles, reorders and cuts what passes through it."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

RATES = {
    "request dropped": 0.015,
    "answer dropped": 0.03,
    "request delayed": 0.01,
    "answer delayed": 0.01,
    "request doubled": 0.03,
    "request held back": 0.02,
    "request cut short": 0.005,
    "answer cut short": 0.01,
    "connection reset": 0.01,
    "connection reset after the act": 0.01,
}
"""What befalls a request, and how often."""

HEADER = b"x-trial-act"
SERVER_PATIENCE = 20.0


class Proxy:
    """One listening port in front of one server; all proxies of a trial share a thread."""

    def __init__(self, target: int, rng: random.Random, counts: Counter[str], copied: Callable[[str], None]) -> None:
        self.target = target
        self.rng = rng
        self.counts = counts
        self.copied = copied  # is told which acts are sent more often than their annotators send them
        self.patience = 1.0  # of the annotators: a delay is longer
        self.calm = False  # let everything pass
        self.port = 0
        self._passed = asyncio.Condition()
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        """Begin to listen on a free port."""
        self._server = await asyncio.start_server(self._handle, "127.0.0.1", 0, limit=1 << 20)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request, act = await _read_request(reader)
            await self._pass(request, act, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            pass  # the annotator or the server hung up: that is what a trial is for
        except asyncio.CancelledError:
            pass  # the trial is over
        finally:
            with suppress(OSError, RuntimeError):
                writer.close()

    def _choose(self) -> str:
        """Choose what befalls a request; empty: nothing."""
        if self.calm:
            return ""
        point = self.rng.random()
        for fault, rate in RATES.items():
            point -= rate
            if point < 0:
                self.counts[fault] += 1
                return fault
        return ""

    async def _pass(self, request: bytes, act: str, writer: asyncio.StreamWriter) -> None:
        fault = self._choose()
        if fault == "request dropped":
            await asyncio.sleep(self.patience * 1.5)  # silence, as behind a firewall
            return
        if fault == "connection reset":
            _reset(writer)
            return
        if fault == "request cut short":
            await self._begin(request[: max(1, int(len(request) * self.rng.random()))])
            return
        if fault == "request delayed":
            await asyncio.sleep(self.patience * self.rng.uniform(1.1, 2.5))
        if fault == "request held back":
            await self._let_another_pass(self.patience * 3)
        if fault == "request doubled":
            self.copied(act)
            later = self.rng.choice((0.0, 0.0, self.rng.uniform(0, self.patience * 2)))
            asyncio.get_running_loop().create_task(_quietly(self._copy(request, later)))
        answer = await self._send(request)
        async with self._passed:
            self._passed.notify_all()
        if fault == "answer dropped":
            await asyncio.sleep(self.patience * self.rng.choice((0.0, 1.5)))
            return
        if fault == "connection reset after the act":
            _reset(writer)
            return
        if fault == "answer delayed":
            await asyncio.sleep(self.patience * self.rng.uniform(0.5, 1.5))
        if fault == "answer cut short":
            answer = answer[: int(len(answer) * self.rng.random())]
        writer.write(answer)
        await writer.drain()

    async def _let_another_pass(self, longest: float) -> None:
        """Wait until a request that came later has been answered."""
        with suppress(TimeoutError):
            async with asyncio.timeout(longest), self._passed:
                await self._passed.wait()

    async def _copy(self, request: bytes, later: float) -> None:
        await asyncio.sleep(later)
        await self._send(request)

    async def _begin(self, part: bytes) -> None:
        """Begin a request, and hang up."""
        _, writer = await asyncio.open_connection("127.0.0.1", self.target)
        writer.write(part)
        await writer.drain()
        writer.close()

    async def _send(self, request: bytes) -> bytes:
        """Send a request to the server, and return the answer."""
        async with asyncio.timeout(SERVER_PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
            try:
                writer.write(request)
                await writer.drain()
                return await reader.read()  # until the server hangs up, which it does after one answer
            finally:
                writer.close()

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()


async def _read_request(reader: asyncio.StreamReader) -> tuple[bytes, str]:
    """Read one request; return it, and the act that its header names."""
    head = await reader.readuntil(b"\r\n\r\n")
    length, act = 0, ""
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
        elif name.strip().lower() == HEADER:
            act = value.strip().decode()
    return head + await reader.readexactly(length), act


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
        await work


def _reset(writer: asyncio.StreamWriter) -> None:
    """Hang up with a reset and not with a goodbye."""
    found = writer.get_extra_info("socket")
    if found is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class ProxyThread:
    """Runs the proxies of a trial."""

    def __init__(self, proxies: list[Proxy]) -> None:
        self.proxies = proxies
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        for proxy in proxies:
            asyncio.run_coroutine_threadsafe(proxy.listen(), self._loop).result(10)

    def set_calm(self, calm: bool) -> None:
        """Let everything pass from now on, or not."""
        for proxy in self.proxies:
            proxy.calm = calm

    def close(self) -> None:
        """Hang up on everybody."""

        async def end() -> None:
            for proxy in self.proxies:
                proxy.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
