//! Games of PDN files as lines of positions, and which of the games are wanted.

use movegen::notation::pdn::{Annotation, GameResult, PdnGame, Variation, year};
use movegen::{Color, Move, Position};

use super::options::Selection;

/// The sides whose moves of a game are taken: White's and Black's.
pub(super) type Sides = [bool; 2];

impl Selection {
    /// The side of which moves are taken; `None` for both.
    pub(super) fn color(&self) -> Option<Color> {
        match (self.white, self.black) {
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            _ => None,
        }
    }

    /// The sides whose moves of this game are taken; `None` if the game is not wanted.
    pub(super) fn sides(&self, game: &PdnGame) -> Option<Sides> {
        let tag = |names: [&str; 2]| names.into_iter().find_map(|name| game.tags.get(name));
        if let Some(least) = self.min_rating {
            let ratings = [["WhiteRating", "WhiteElo"], ["BlackRating", "BlackElo"]];
            let is_good = |names| {
                let rating = tag(names).and_then(|text| text.trim().parse::<u32>().ok());
                rating.is_some_and(|rating| rating >= least)
            };
            if !ratings.into_iter().all(is_good) {
                return None;
            }
        }
        if let Some(years) = &self.years {
            let year = tag(["Date", "UTCDate"]).and_then(year)?;
            if !years.contains(&year) {
                return None;
            }
        }
        let mut sides =
            [Color::White, Color::Black].map(|side| self.color().is_none_or(|c| c == side));
        if let Some(player) = &self.player {
            for (side, name) in sides.iter_mut().zip(["White", "Black"]) {
                *side &= game.tags.get(name).is_some_and(|name| player.matches(name));
            }
        }
        (sides != [false; 2]).then_some(sides)
    }
}

/// A line of play: a game, a variation of one, or what follows a set-up in the middle.
#[derive(Clone, Debug)]
pub(super) struct PlayedLine {
    /// One more than there are moves.
    pub(super) positions: Vec<Position>,
    pub(super) moves: Vec<Move>,
    /// Moves before this one are in another line, if this one branches off it.
    pub(super) first: usize,
    /// It branches off another line.
    pub(super) is_branch: bool,
    /// Only a move that was played has a result.
    pub(super) result: GameResult,
}

impl PlayedLine {
    fn from(start: Position, result: GameResult) -> PlayedLine {
        let positions = vec![start];
        PlayedLine { positions, moves: Vec::new(), first: 0, is_branch: false, result }
    }

    /// The first position that is in no other line.
    pub(super) fn first_position(&self) -> usize {
        self.first + usize::from(self.is_branch)
    }
}

/// The lines of a game, the main one first.
pub(super) fn lines(game: &PdnGame, with_variations: bool) -> Vec<PlayedLine> {
    // The part read of a game that breaks off has no result.
    let result = if game.truncated.is_some() { GameResult::Unknown } else { game.result };
    let mut lines = Vec::new();
    let root = PlayedLine::from(game.start, result);
    walk(&game.line, root, with_variations, &mut lines);
    lines
}

fn walk(
    variation: &Variation,
    mut line: PlayedLine,
    with_variations: bool,
    lines: &mut Vec<PlayedLine>,
) {
    // The line comes before those that branch off it.
    let mut branches: Vec<(PlayedLine, &Variation)> = Vec::new();
    set_up(&variation.lead, &mut line, lines);
    for ply in &variation.plies {
        let is_branching = with_variations && ply.variations().next().is_some();
        let before = is_branching.then(|| line.clone());
        let after = line.positions[line.moves.len()].after(ply.mv);
        line.moves.push(ply.mv);
        line.positions.push(after);
        if let Some(before) = before {
            for branch in ply.variations() {
                let (first, result) = (before.moves.len(), GameResult::Unknown);
                let line = PlayedLine { first, result, is_branch: true, ..before.clone() };
                branches.push((line, branch));
            }
        }
        set_up(&ply.after, &mut line, lines);
    }
    lines.push(line);
    for (line, branch) in branches {
        walk(branch, line, with_variations, lines);
    }
}

/// Where the position is set up in the middle, the line ends and another one begins.
fn set_up(annotations: &[Annotation], line: &mut PlayedLine, lines: &mut Vec<PlayedLine>) {
    for annotation in annotations {
        if let Annotation::SetUp(position) = annotation {
            let next = PlayedLine::from(*position, line.result);
            let ended = std::mem::replace(line, next);
            if !ended.moves.is_empty() {
                lines.push(ended);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use movegen::notation::pdn::{PdnReader, PlayerName};

    use super::*;

    fn game(text: &str) -> PdnGame {
        PdnReader::new(text.as_bytes()).next().unwrap().unwrap()
    }

    #[test]
    fn games_are_chosen_by_their_tags() {
        let game = game(
            "[White \"Sijbrands, Ton\"]\n[Black \"Wiersma\"]\n[Date \"1977.??.??\"]\n\
             [WhiteRating \"2400\"]\n[BlackElo \"2350\"]\n\n1. 32-28 19-23 *",
        );
        let all = Selection::default();
        let player = |text| Some(PlayerName::parse(text).unwrap());
        for (selection, sides) in [
            (all.clone(), Some([true, true])),
            (Selection { black: true, ..all.clone() }, Some([false, true])),
            (Selection { player: player("sijbrands, ton"), ..all.clone() }, Some([true, false])),
            (Selection { player: player("Sijbrands"), ..all.clone() }, None),
            (Selection { player: player("sij*"), ..all.clone() }, Some([true, false])),
            (Selection { player: player("*"), ..all.clone() }, Some([true, true])),
            (Selection { player: player("w*"), white: true, ..all.clone() }, None),
            (Selection { min_rating: Some(2350), ..all.clone() }, Some([true, true])),
            (Selection { min_rating: Some(2351), ..all.clone() }, None),
            (Selection { years: Some(1970..=1977), ..all.clone() }, Some([true, true])),
            (Selection { years: Some(1978..=2000), ..all.clone() }, None),
        ] {
            assert_eq!(selection.sides(&game), sides, "{selection:?}");
        }
        let bare = PdnReader::new(&b"1. 32-28 *"[..]).next().unwrap().unwrap();
        assert!(Selection { min_rating: Some(1), ..all.clone() }.sides(&bare).is_none());
        assert!(Selection { years: Some(1..=3000), ..all }.sides(&bare).is_none());
    }

    #[test]
    fn variations_branch_off_where_they_stand() {
        let game = game("1. 32-28 (1. 31-26 16-21 (1... 17-21)) 19-23 2. 28x19 14x23 2-0");
        let shape = |lines: &[PlayedLine]| -> Vec<(usize, usize, GameResult)> {
            lines.iter().map(|l| (l.first, l.moves.len(), l.result)).collect()
        };
        let (won, none) = (GameResult::WhiteWins, GameResult::Unknown);
        assert_eq!(shape(&lines(&game, false)), [(0, 4, won)]);
        assert_eq!(shape(&lines(&game, true)), [(0, 4, won), (0, 2, none), (1, 2, none)]);
        let branch = &lines(&game, true)[2];
        assert_eq!(branch.moves[0].to_string(), "31-26");
        assert_eq!(branch.positions.len(), 3);
    }

    #[test]
    fn a_set_up_in_the_middle_begins_another_line() {
        let game = game("1. 32-28 /FEN \"W:W27:B1\"/ 27-22 1-6 *");
        let lines = lines(&game, false);
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].moves.len(), lines[1].moves.len()), (1, 2));
        assert_eq!(lines[1].positions[0].to_fen(), "W:W27:B1");
    }
}
