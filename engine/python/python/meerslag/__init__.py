"""International draughts (10x10): rules, PDN, search, books, databases, games, matches.

A position is a value that never changes; a game keeps its moves and counts for the draw rules.
Squares are the numbers 1 to 50 of the board. ``HubEngine`` drives other programs.
"""

from ._meerslag import *
from ._meerslag import __version__ as __version__
from .hub import *

__all__ = [
    "Annotation",
    "Answer",
    "AsyncHubEngine",
    "Book",
    "BookError",
    "BookMove",
    "BookPosition",
    "BookReport",
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
    "JudgedMove",
    "MatchError",
    "MatchResult",
    "MatchStanding",
    "Move",
    "MoveAnswer",
    "PdnGame",
    "PdnMove",
    "PdnReader",
    "Position",
    "Probe",
    "SearchResult",
    "SideSummary",
    "Solution",
    "Status",
    "Wld",
    "__version__",
    "annotate",
    "match",
    "open_pdn",
    "read_pdn",
]
