"""Other programs as engines, over the Hub protocol, version 2."""

from __future__ import annotations

import asyncio
import re
import shlex
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from types import TracebackType
from typing import Any, TypeVar

from ._meerslag import Game, IllegalMoveError, Move, Position

__all__ = ["AsyncHubEngine", "HubEngine", "HubError", "HubInfo", "HubOption", "HubResult"]

_T = TypeVar("_T")
_Command = str | Sequence[str | PathLike[str]]
_Value = str | int | float | bool
_FIELD = re.compile(r'([^\s="]+)(?:="([^"]*)"|=(\S*))?')
#: The longest line accepted, in bytes.
_MAX_LINE = 1 << 20


class HubError(RuntimeError):
    """An engine does not start, ends, or breaks the protocol; the text says how."""


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


def _parse(line: str) -> tuple[str, dict[str, str]]:
    """The word of a line, and its fields."""
    word, _, rest = line.strip().partition(" ")
    found = _FIELD.findall(rest)
    return word, {name: quoted or plain for name, quoted, plain in found}


def _number(fields: Mapping[str, str], name: str, kind: Callable[[str], _T]) -> _T | None:
    try:
        return kind(fields[name])
    except (KeyError, ValueError):
        return None


def _info(fields: Mapping[str, str], position: Position) -> HubInfo:
    pv: list[Move] = []
    for text in fields.get("pv", "").split():
        try:
            pv.append(position.parse_move(text))
        except IllegalMoveError:
            break
        position = position.after(pv[-1])
    return HubInfo(
        depth=_number(fields, "depth", int),
        mean_depth=_number(fields, "mean-depth", float),
        score=_number(fields, "score", float),
        nodes=_number(fields, "nodes", int),
        time=_number(fields, "time", float),
        pv=tuple(pv),
    )


def _level(
    depth: int | None,
    nodes: int | None,
    time: float | None,
    clock: tuple[float, float] | None,
    infinite: bool,
) -> str:
    fields = {"depth": depth, "nodes": nodes, "move-time": time}
    if clock is not None:
        fields["time"], fields["inc"] = clock
    said = [f"{name}={value}" for name, value in fields.items() if value is not None]
    if infinite:
        return "level infinite"
    if not said:
        raise ValueError("no limit: expected depth, nodes, time, clock or infinite=True")
    return " ".join(["level", *said])


@dataclass
class AsyncHubEngine:
    """An engine that speaks Hub, for programs with ``asyncio``.

    ``await AsyncHubEngine.start(command)`` starts one; ``async with`` ends it.
    """

    #: The engine's description of itself: ``name``, ``version``, ``author``.
    id: dict[str, str] = field(default_factory=dict)
    #: The parameters that it declares.
    options: dict[str, HubOption] = field(default_factory=dict)
    _process: asyncio.subprocess.Process | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    async def start(
        cls,
        command: _Command,
        *,
        options: Mapping[str, _Value] | None = None,
        cwd: str | PathLike[str] | None = None,
        timeout: float = 10.0,
    ) -> AsyncHubEngine:
        """Starts an engine.

        Args:
            command: a command line, or its words.
            options: values of parameters, such as ``{"threads": 2}``.
            cwd: the folder where it runs.
            timeout: seconds until it must be ready.

        Raises:
            HubError: it does not start, or is not ready in time.
            ValueError: it has no parameter of that name.
        """
        words = shlex.split(command) if isinstance(command, str) else [fspath(w) for w in command]
        engine = cls()
        try:
            engine._process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                cwd=cwd,
                limit=_MAX_LINE,
            )
        except OSError as error:
            raise HubError(f"{words[0]} does not start: {error}") from error
        try:
            await asyncio.wait_for(engine._introduce(options or {}), timeout)
        except asyncio.TimeoutError:
            await engine.quit(0.0)
            raise HubError(f"{words[0]} was not ready within {timeout} seconds") from None
        except BaseException:
            await engine.quit(0.0)
            raise
        return engine

    async def _introduce(self, values: Mapping[str, _Value]) -> None:
        self._send("hub")
        while True:
            word, fields = await self._receive()
            if word == "wait":
                break
            if word == "id":
                self.id = fields
            elif word == "param" and "name" in fields:
                self.options[fields["name"]] = HubOption(
                    name=fields["name"],
                    type=fields.get("type", "string"),
                    value=fields.get("value", ""),
                    min=fields.get("min"),
                    max=fields.get("max"),
                    values=tuple(fields.get("values", "").split()),
                )
        for name, value in values.items():
            if name not in self.options:
                known = ", ".join(sorted(self.options))
                raise ValueError(f"the engine has no parameter '{name}', but {known}")
            text = str(value).lower() if isinstance(value, bool) else str(value)
            self._send(f'set-param name={name} value="{text}"')
        self._send("init")
        await self._wait_for("ready")

    def _send(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            raise HubError("the engine has ended")
        if "\n" in line:
            raise ValueError(f"a line break in {line!r}")
        self._process.stdin.write(line.encode() + b"\n")

    async def _receive(self) -> tuple[str, dict[str, str]]:
        if self._process is None or self._process.stdout is None:
            raise HubError("the engine has ended")
        try:
            line = await self._process.stdout.readline()
        except ValueError as error:
            raise HubError(f"the engine sends a line of more than {_MAX_LINE} bytes") from error
        if not line:
            status = await self._process.wait()
            raise HubError(f"the engine has ended with status {status}")
        word, fields = _parse(line.decode(errors="replace"))
        if word == "error":
            raise HubError(f"the engine says: {fields.get('message', line.decode().strip())}")
        return word, fields

    async def _wait_for(self, word: str) -> dict[str, str]:
        while True:
            found, fields = await self._receive()
            if found == word:
                return fields

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
        """Makes the engine choose a move. The limits are as for ``Engine.search``.

        Raises:
            HubError: the engine ends, or its move is not legal.
        """
        return await self._go("think", game, _level(depth, nodes, time, clock, False), on_info)

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
        """The same at full strength, without book; with ``infinite`` until ``stop``."""
        return await self._go("analyze", game, _level(depth, nodes, time, None, infinite), on_info)

    async def _go(
        self,
        kind: str,
        game: Game | Position | str,
        level: str,
        on_info: Callable[[HubInfo], object] | None,
    ) -> HubResult:
        if not isinstance(game, Game):
            game = Game(game)
        async with self._lock:
            moves = " ".join(map(str, game.moves))
            self._send(f"pos pos={game.start.hub}" + (f' moves="{moves}"' if moves else ""))
            self._send(level)
            self._send(f"go {kind}")
            try:
                return await self._answer(game.position, on_info)
            except HubError:
                raise
            except BaseException:
                # The search is no longer wanted: the engine must be ready for the next one.
                self._send("stop")
                await asyncio.shield(self._wait_for("done"))
                raise

    async def _answer(
        self, position: Position, on_info: Callable[[HubInfo], object] | None
    ) -> HubResult:
        info = HubInfo()
        while True:
            word, fields = await self._receive()
            if word == "info":
                info = _info(fields, position)
                if on_info is not None:
                    on_info(info)
            elif word == "done":
                break
        best = ponder = None
        if "move" in fields:
            try:
                best = position.parse_move(fields["move"])
            except IllegalMoveError as error:
                raise HubError(f"the engine plays {fields['move']!r}: {error}") from error
            if "ponder" in fields:
                try:
                    ponder = position.after(best).parse_move(fields["ponder"])
                except IllegalMoveError:
                    pass
        return HubResult(best, ponder, info)

    def stop(self) -> None:
        """Ends the running search, which answers with the best move so far."""
        self._send("stop")

    def new_game(self) -> None:
        """Announces positions unrelated to earlier games."""
        self._send("new-game")

    async def quit(self, timeout: float = 2.0) -> None:
        """Ends the engine; it is killed if it does not exit within this many seconds."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None and timeout > 0:
            try:
                process.stdin.write(b"quit\n")
                process.stdin.close()
            except (OSError, RuntimeError):
                pass
            try:
                await asyncio.wait_for(process.wait(), timeout)
                return
            except asyncio.TimeoutError:
                pass
        try:
            process.kill()
        except ProcessLookupError:
            pass
        await process.wait()

    async def __aenter__(self) -> AsyncHubEngine:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.quit()


class HubEngine:
    """An engine that speaks Hub. The arguments are as for ``AsyncHubEngine.start``.

    ``with HubEngine("scan hub") as engine`` ends it; Ctrl-C ends a search.
    """

    def __init__(
        self,
        command: _Command,
        *,
        options: Mapping[str, _Value] | None = None,
        cwd: str | PathLike[str] | None = None,
        timeout: float = 10.0,
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hub", daemon=True)
        self._thread.start()
        start = AsyncHubEngine.start(command, options=options, cwd=cwd, timeout=timeout)
        try:
            self._engine = self._run(start)
        except BaseException:
            self._end()
            raise

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        if not self._thread.is_alive():
            work.close()
            raise HubError("the engine has ended")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def _end(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    @property
    def id(self) -> dict[str, str]:
        """The engine's description of itself: ``name``, ``version``, ``author``."""
        return self._engine.id

    @property
    def options(self) -> dict[str, HubOption]:
        """The parameters that it declares."""
        return self._engine.options

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
        """See ``AsyncHubEngine.play``. ``on_info`` is called in another thread."""
        move = self._engine.play(
            game, depth=depth, nodes=nodes, time=time, clock=clock, on_info=on_info
        )
        return self._run(move)

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
        """See ``AsyncHubEngine.analyse``. ``on_info`` is called in another thread."""
        analysis = self._engine.analyse(
            game, depth=depth, nodes=nodes, time=time, infinite=infinite, on_info=on_info
        )
        return self._run(analysis)

    def stop(self) -> None:
        """Ends the running search, from another thread."""
        self._loop.call_soon_threadsafe(self._engine.stop)

    def new_game(self) -> None:
        """Announces positions unrelated to earlier games."""
        self._loop.call_soon_threadsafe(self._engine.new_game)

    def quit(self, timeout: float = 2.0) -> None:
        """Ends the engine; it is killed if it does not exit within this many seconds."""
        if self._thread.is_alive():
            self._run(self._engine.quit(timeout))
            self._end()

    def __enter__(self) -> HubEngine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.quit()
