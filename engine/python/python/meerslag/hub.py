"""Other programs as engines, over the Hub protocol, version 2: the client that plays matches."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fsdecode
from types import TracebackType
from typing import TypeVar

from ._meerslag import Game, HubError, Move, Position, _HubProgram, _HubSearch

__all__ = ["AsyncHubEngine", "HubEngine", "HubError", "HubInfo", "HubOption", "HubResult"]

_T = TypeVar("_T")
_Command = str | Sequence[str | PathLike[str]]
_Value = str | int | float | bool


@dataclass(frozen=True)
class HubOption:
    """A parameter that an engine declares."""

    name: str
    type: str
    value: str
    min: str | None = None
    max: str | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class HubInfo:
    """A report of a search; ``None`` where the engine gives no value."""

    depth: int | None = None
    mean_depth: float | None = None
    #: In men, for the side to move.
    score: float | None = None
    nodes: int | None = None
    #: Seconds since the start of the search.
    time: float | None = None
    #: The principal variation as far as it is legal.
    pv: tuple[Move, ...] = ()


@dataclass(frozen=True)
class HubResult:
    """The result of a search."""

    #: ``None`` where there is no legal move, or the engine gives up.
    best: Move | None
    #: The reply that the engine expects.
    ponder: Move | None
    #: The last report.
    info: HubInfo
    #: What the engine has complained about (``error`` lines) since the last result, at most five texts.
    errors: tuple[str, ...] = ()


def _info(
    depth: int | None,
    mean_depth: float | None,
    score: float | None,
    nodes: int | None,
    time: float | None,
    pv: list[Move],
) -> HubInfo:
    return HubInfo(depth, mean_depth, score, nodes, time, tuple(pv))


def _run(search: _HubSearch, on_info: Callable[[HubInfo], object] | None) -> HubResult:
    report = None if on_info is None else lambda *values: on_info(_info(*values))
    best, ponder, last, errors = search.run(report)
    return HubResult(best, ponder, HubInfo() if last is None else _info(*last), tuple(errors))


class _Program:
    """What both kinds of engines have."""

    def __init__(
        self,
        command: _Command,
        options: Mapping[str, _Value] | None,
        cwd: str | PathLike[str] | None,
    ) -> None:
        words = shlex.split(command) if isinstance(command, str) else map(fsdecode, command)
        values = [
            (name, str(value).lower() if isinstance(value, bool) else str(value))
            for name, value in (options or {}).items()
        ]
        self._program = _HubProgram(list(words), values, cwd)
        # Also when Python ends while it searches: it may not mind the end of its input.
        weakref.finalize(self, self._program.quit, 0.0)
        #: The engine's description of itself: ``name``, ``version``, ``author``.
        self.id: dict[str, str] = {}
        #: The parameters that it declares.
        self.options: dict[str, HubOption] = {}

    def _start(self, timeout: float) -> None:
        self.id, parameters = self._program.start(timeout)
        for fields in parameters:
            name = fields["name"]
            self.options[name] = HubOption(
                name=name,
                type=fields.get("type", "string"),
                value=fields.get("value", ""),
                min=fields.get("min"),
                max=fields.get("max"),
                values=tuple(fields.get("values", "").split()),
            )

    def _search(
        self,
        game: Game | Position | str,
        *,
        depth: int | None,
        nodes: int | None,
        time: float | None,
        clock: tuple[float, float] | None = None,
        infinite: bool = False,
        is_analysis: bool = False,
    ) -> _HubSearch:
        return self._program.search(
            game,
            depth=depth,
            nodes=nodes,
            time=time,
            clock=clock,
            infinite=infinite,
            is_analysis=is_analysis,
        )

    def stop(self) -> None:
        """Ends the running search, which answers with the best move so far; also from another thread."""
        self._program.stop()

    def new_game(self) -> None:
        """Announces positions unrelated to earlier games."""
        self._program.new_game()


class HubEngine(_Program):
    """An engine that speaks Hub. ``with HubEngine("scan hub") as engine`` ends it.

    Ctrl-C ends a search, and the engine is ready for the next one. It does not reach the engine
    itself, and what that writes to standard error is only in the text of a ``HubError``.

    Args:
        command: a command line, or its words.
        options: values of parameters, such as ``{"threads": 2}``.
        cwd: the folder where it runs.
        timeout: seconds until it must be ready.

    Raises:
        HubError: it does not start, is not ready in time, or does not accept a value.
        ValueError: it has no parameter of that name.
    """

    def __init__(
        self,
        command: _Command,
        *,
        options: Mapping[str, _Value] | None = None,
        cwd: str | PathLike[str] | None = None,
        timeout: float = 10.0,
    ) -> None:
        super().__init__(command, options, cwd)
        self._start(timeout)

    def play(
        self,
        game: Game | Position | str,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        clock: tuple[float, float] | None = None,
        on_info: Callable[[HubInfo], object] | None = None,
    ) -> HubResult:
        """Makes the engine choose a move. The limits and ``on_info`` are as for ``Engine.search``.

        An engine that overruns ``time`` or its ``clock`` gets ``stop`` after a second, and is given up
        after five more.

        Raises:
            HubError: the engine ends, gives no answer, or its move is not legal; only after such a move
                can it be asked again.
            ValueError: a limit is out of range, or there is none.
        """
        search = self._search(game, depth=depth, nodes=nodes, time=time, clock=clock)
        return _run(search, on_info)

    def analyse(
        self,
        game: Game | Position | str,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        infinite: bool = False,
        on_info: Callable[[HubInfo], object] | None = None,
    ) -> HubResult:
        """The same at full strength, without book; with ``infinite`` until ``stop``."""
        search = self._search(
            game, depth=depth, nodes=nodes, time=time, infinite=infinite, is_analysis=True
        )
        return _run(search, on_info)

    def quit(self, timeout: float = 2.0) -> None:
        """Ends the engine; it is killed if it does not exit within this many seconds."""
        self._program.quit(timeout)

    def __enter__(self) -> HubEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.quit()


async def _in_thread(work: Callable[[], _T], stop: Callable[[], None]) -> _T:
    """Does work in a thread of its own; if it is given up, stops it and waits for its end."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[_T] = loop.create_future()

    def run() -> None:
        # The loop may be closed: then nobody waits.
        with contextlib.suppress(RuntimeError):
            try:
                result = work()
            except BaseException as error:
                loop.call_soon_threadsafe(outcome.set_exception, error)
            else:
                loop.call_soon_threadsafe(outcome.set_result, result)

    threading.Thread(target=run, name="hub", daemon=True).start()
    try:
        return await asyncio.shield(outcome)
    except asyncio.CancelledError:
        stop()
        await asyncio.wait([outcome])
        # Nobody asks for it any more.
        outcome.exception()
        raise


class AsyncHubEngine(_Program):
    """An engine that speaks Hub, for programs with ``asyncio``.

    ``await AsyncHubEngine.start(command)`` starts one; ``async with`` ends it.
    """

    _lock: asyncio.Lock

    @classmethod
    async def start(
        cls,
        command: _Command,
        *,
        options: Mapping[str, _Value] | None = None,
        cwd: str | PathLike[str] | None = None,
        timeout: float = 10.0,
    ) -> AsyncHubEngine:
        """Starts an engine; the arguments and exceptions are as for ``HubEngine``."""
        engine = cls(command, options, cwd)
        engine._lock = asyncio.Lock()
        await _in_thread(lambda: engine._start(timeout), lambda: engine._program.quit(0.0))
        return engine

    async def play(
        self,
        game: Game | Position | str,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        clock: tuple[float, float] | None = None,
        on_info: Callable[[HubInfo], object] | None = None,
    ) -> HubResult:
        """See ``HubEngine.play``. If the task is cancelled, the engine is ready for the next search."""
        search = self._search(game, depth=depth, nodes=nodes, time=time, clock=clock)
        return await self._go(search, on_info)

    async def analyse(
        self,
        game: Game | Position | str,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        infinite: bool = False,
        on_info: Callable[[HubInfo], object] | None = None,
    ) -> HubResult:
        """See ``HubEngine.analyse``."""
        search = self._search(
            game, depth=depth, nodes=nodes, time=time, infinite=infinite, is_analysis=True
        )
        return await self._go(search, on_info)

    async def _go(
        self, search: _HubSearch, on_info: Callable[[HubInfo], object] | None
    ) -> HubResult:
        loop = asyncio.get_running_loop()

        async def call(info: HubInfo) -> None:
            if on_info is not None:
                on_info(info)

        def report(info: HubInfo) -> None:
            asyncio.run_coroutine_threadsafe(call(info), loop).result()

        async with self._lock:
            hear = None if on_info is None else report
            return await _in_thread(lambda: _run(search, hear), search.stop)

    async def quit(self, timeout: float = 2.0) -> None:
        """Ends the engine; it is killed if it does not exit within this many seconds."""
        await _in_thread(lambda: self._program.quit(timeout), lambda: None)

    async def __aenter__(self) -> AsyncHubEngine:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.quit()
