"""International draughts (10x10): rules, PDN, search, endgame databases, files of games.

A position is a value that never changes; a game keeps its moves and counts for the draw rules.
Squares are the numbers 1 to 50 of the board. ``HubEngine`` drives other programs.
"""

from ._meerslag import *
from ._meerslag import __version__ as __version__
from .hub import *

__all__ = [
    "Answer",
    "AsyncHubEngine",
    "Color",
    "DatabaseError",
    "Engine",
    "FoundGame",
    "Game",
    "GamesFile",
    "GamesFileError",
    "GamesFileIterator",
    "GamesTree",
    "GamesTreeMove",
    "HubEngine",
    "HubError",
    "HubInfo",
    "HubOption",
    "HubResult",
    "IllegalMoveError",
    "ImportReport",
    "Info",
    "Move",
    "MoveAnswer",
    "PdnGame",
    "PdnMove",
    "PdnReader",
    "Position",
    "Probe",
    "SearchResult",
    "Solution",
    "Status",
    "Wld",
    "__version__",
    "open_pdn",
    "read_pdn",
]
