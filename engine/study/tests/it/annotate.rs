//! Annotated games: what is a mistake and what is not.

use egdb::{Probe, Wld};
use meerslag_search::{Control, Engine, EngineOptions, Limits, Mode, PlayingLevel};
use meerslag_study::annotate::{
    JudgedGame, MistakeKind, Phase, PlayerSummaries, analyse, judge, write,
};
use movegen::Color;
use movegen::notation::moves::format_line;
use movegen::notation::pdn::{
    Comment, Grade, PdnGame, PdnReader, SideSummary, Signs, WriteOptions, game_to_string, recorded,
};
use movegen::words::Words;

use super::games::{played, player};

fn words(texts: &[(String, String)]) -> Words {
    Words { language: "en".to_owned(), texts: texts.iter().cloned().collect() }
}

/// No texts: their keys stand for them.
fn keys() -> Words {
    words(&[])
}

fn game(text: &str) -> PdnGame {
    PdnReader::new(text.as_bytes()).next().unwrap().unwrap()
}

fn judged(pdn: &PdnGame, nodes: u64) -> JudgedGame {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let mut engine = Engine::new(options).unwrap();
    let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(nodes) };
    let found = analyse(&mut engine, pdn, &limits, &Control::new()).unwrap();
    assert_eq!(found.len(), pdn.line.plies.len() + 1);
    // A journal keeps the results of the search.
    let text = serde_json::to_string(&found).unwrap();
    let found = serde_json::from_str::<Vec<_>>(&text).unwrap();
    judge(pdn, &found, &Probe::embedded().unwrap()).unwrap()
}

#[test]
fn the_databases_decide_where_they_know() {
    let probe = Probe::embedded().unwrap();
    // Every move of a random walk through four pieces, compared with the databases directly.
    let mut random = movegen::random::Random::new(7);
    let mut mistakes = 0;
    for _ in 0..12 {
        let start = movegen::Position::from_fen("W:WK30,49,31:BK2").unwrap();
        let mut pdn = PdnGame::new(start);
        let mut position = start;
        for _ in 0..20 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            pdn.line.plies.push(mv.into());
            position = position.after(mv);
        }
        let judged = judged(&pdn, 50);
        assert_eq!(judged.moves.len(), pdn.line.plies.len());
        for found in &judged.moves {
            let before = probe.wld(&found.position).unwrap().unwrap();
            let after = probe.wld(&found.position.after(found.mv)).unwrap().unwrap().opponent();
            let points = |value: Wld| match value {
                Wld::Win => 1.0,
                Wld::Draw => 0.5,
                Wld::Loss => 0.0,
            };
            let lost: f64 = points(before) - points(after);
            let expected = if lost > 0.0 { Grade::Blunder } else { Grade::Good };
            assert_eq!(found.grade, expected, "{:?} {}", found.position, found.mv);
            assert!((found.drop() - lost).abs() < 1e-12);
            assert_eq!(found.better().is_some(), lost > 0.0);
            mistakes += u32::from(lost > 0.0);
        }
    }
    assert!(mistakes > 3, "a random walk makes mistakes");
}

const BLUNDER: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"0-2\"]\n\
    [FEN \"W:W27,28,32,37:B14,18,19,23\"]\n\
    1. 27-22 {a note} 18x38 2. 28-22 38-43 3. 22-17 43-48 0-2\n";

#[test]
fn men_given_away_are_a_blunder_of_their_side() {
    let mut pdn = game(BLUNDER);
    let judged = judged(&pdn, 20_000);
    // 27-22 loses two men and a breakthrough; 28-22 would win a man.
    let blunder = &judged.moves[0];
    assert_eq!(blunder.mover(), Color::White);
    assert_eq!(blunder.grade, Grade::Blunder, "{blunder:?}");
    assert_eq!(blunder.better().map(|better| better.to_string()).as_deref(), Some("28-22"));
    assert_eq!(judged.turning_point(), Some(0));
    // Captures without a choice are not judged.
    let forced: Vec<usize> = (0..6).filter(|&at| judged.moves[at].is_forced).collect();
    assert!(forced.contains(&1) && forced.iter().all(|&at| judged.moves[at].drop() == 0.0));
    let [black, white] = judged.sides;
    // Black's game is won: little or nothing is at stake, and nothing is given away.
    assert_eq!(black.dropped, 0.0, "{white:?} {black:?}");
    assert!(black.accuracy().is_none_or(|accuracy| accuracy == 100.0), "{black:?}");
    assert!(white.accuracy().unwrap() < 50.0, "{white:?}");
    assert!(white.dropped >= blunder.drop());

    // With the signs of chess, and after them with those of draughts, which replace them.
    write(&mut pdn, &judged, Signs::Chess, &keys());
    for (ply, found) in pdn.line.plies.iter().zip(&judged.moves) {
        assert_eq!(ply.nags.first().copied(), found.grade.glyph(Signs::Chess));
    }
    let chess = recorded(&pdn);
    write(&mut pdn, &judged, Signs::Draughts, &keys());
    assert_eq!(recorded(&pdn), chess, "an inaccuracy counts without its sign");
    let text = game_to_string(&pdn, &WriteOptions::default());
    let again = game(&text);
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    assert!(again.tags.get("Annotator").unwrap().starts_with("Meerslag"));
    assert_eq!(again.line.moves().collect::<Vec<_>>(), pdn.line.moves().collect::<Vec<_>>());
    for (ply, found) in again.line.plies.iter().zip(&judged.moves) {
        let score = ply.comments().next().unwrap().evaluation().unwrap();
        assert!((score - found.score).abs() < 0.006, "{score} {}", found.score);
        assert_eq!(ply.nags.first().copied(), found.grade.glyph(Signs::Draughts));
        let line = ply.variations().next();
        assert_eq!(line.is_some(), found.better().is_some());
        assert_eq!(line.and_then(|line| line.moves().next()), found.better());
    }
    let notes: Vec<String> = again.line.plies[0].comments().map(Comment::plain_text).collect();
    assert!(notes.iter().any(|note| note == "a note"), "{notes:?}");

    let mut players = PlayerSummaries::default();
    players.add(&pdn, &judged);
    players.add(&pdn, &judged);
    let [(1, worst), ..] = players.instructive() else { panic!("{players:?}") };
    assert_eq!((worst.ply, worst.phase, worst.grade), (0, Phase::Endgame, Grade::Blunder));
    assert_eq!(worst.kind, MistakeKind::AllowedCombination, "{worst:?}");
    let line = format_line(&worst.position.after(worst.mv), worst.line.iter().copied()).join(" ");
    let texts = [("was.allowed_combination", "{move} -{men} {line}")];
    let words = words(&texts.map(|(key, text)| (key.to_owned(), text.to_owned())));
    assert_eq!(worst.describe(&words), format!("27-22 -{} {line}.", worst.men));
    let [a, b] = players.list() else { panic!("{players:?}") };
    assert!(a.mistakes.kinds.allowed_combination >= 2 && a.instructive.len() <= 10, "{a:?}");
    assert_eq!((a.name.as_str(), a.games, b.name.as_str()), ("A", 2, "B"));
    assert_eq!(a.play.moves, 2 * white.moves);
}

/// An annotated game keeps all the game's parts: tags, comments, glyphs, counters, the text of the
/// result.
#[test]
fn annotating_loses_nothing() {
    let text = "[Event \"Club\"]\n[Site \"a\"]\n[Result \"12-8\"]\n[GameType \"20,W,10,10,N2,0\"]\n\
        [Own \"tag\"]\n[site \"b\"]\n[FEN \"W:W27,28,32,37:B14,18,19,23:H3:F41\"]\n\
        {before} 1. 27-22 $800 {a note [%emt 0:00:04]} (1. 28-22 {better}) 18x38 += 2. 28-22 38-43\n\
        3. 22-17 43-48 12-8 {after}\n";
    let before = game(text);
    assert_eq!(before.warnings, []);
    let mut pdn = before.clone();
    let judged = judged(&pdn, 200);
    write(&mut pdn, &judged, Signs::default(), &keys());
    let written = game_to_string(&pdn, &WriteOptions::default());
    let after = game(&written);
    assert_eq!(after.warnings, []);
    for (name, value) in before.tags.iter().filter(|(name, _)| *name != "FEN") {
        let is_it = |(n, v): (&str, &str)| n.eq_ignore_ascii_case(name) && v == value;
        assert!(after.tags.iter().any(is_it), "{name}: {written}");
    }
    assert_eq!(
        (after.start, after.halfmoves, after.move_number),
        (before.start, Some(3), Some(41))
    );
    assert_eq!((after.result, after.tags.get("Result")), (before.result, Some("12-8")));
    assert_eq!(after.line.lead, before.line.lead);
    for (old, new) in before.line.plies.iter().zip(&after.line.plies) {
        assert_eq!(old.mv, new.mv);
        assert!(old.nags.iter().all(|nag| new.nags.contains(nag)), "{written}");
        assert!(old.after.iter().all(|said| new.after.contains(said)), "{written}");
    }
    assert_eq!(before.line.plies.len(), after.line.plies.len());
}

/// A game whose moves the search would make itself has no mistakes, and one more move that the
/// search takes for the worst is one.
#[test]
fn the_moves_of_the_search_are_no_mistakes() {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let mut engine = Engine::new(options).unwrap();
    let mut search = |game: &movegen::Game| {
        engine.search(game, &Limits::nodes(3_000), &Control::new(), &mut |_| {})
    };
    let mut play = movegen::Game::default();
    let mut pdn = PdnGame::new(*play.position());
    for _ in 0..16 {
        let best = search(&play).best.unwrap();
        play.play(best).unwrap();
        pdn.line.plies.push(best.into());
    }
    let found = judged(&pdn, 3_000);
    assert!(found.moves.iter().all(|found| found.grade < Grade::Mistake), "{found:?}");
    assert!(found.sides.iter().all(|side| side.accuracy().unwrap() > 80.0), "{:?}", found.sides);

    // To a position where a move loses two men.
    let worst = loop {
        let mut for_the_opponent =
            |mv: &movegen::Move| search(&movegen::Game::new(play.position().after(*mv))).info.score;
        let moves = play.position().legal_moves();
        let scores = moves.into_iter().map(|mv| (for_the_opponent(&mv).hundredths(), mv));
        let (score, worst) = scores.max_by_key(|(score, _)| *score).unwrap();
        if score >= 200 {
            break worst;
        }
        let best = search(&play).best.unwrap();
        play.play(best).unwrap();
        pdn.line.plies.push(best.into());
    };
    pdn.line.plies.push(worst.into());
    let found = judged(&pdn, 3_000);
    let last = found.moves.last().unwrap();
    assert!(last.grade >= Grade::Mistake, "{last:?}");
    assert!(last.better().is_some());
}

#[test]
fn positions_that_are_set_up_in_the_middle_are_judged_by_themselves() {
    let mut pdn = PdnGame::new(movegen::Position::initial());
    let first = movegen::notation::hub::parse_move(&pdn.start, "32-28").unwrap();
    let other = movegen::Position::from_fen("W:WK28,50:B22,K1").unwrap();
    let second = other.legal_moves()[0];
    let mut ply = movegen::notation::pdn::Ply::from(first);
    ply.after.push(movegen::notation::pdn::Annotation::SetUp(other));
    pdn.line.plies = vec![ply, second.into()];
    let judged = judged(&pdn, 500);
    assert_eq!(judged.moves[0].drop(), 0.0);
    assert_eq!(judged.moves[1].position, other);
    assert!(judged.moves[1].exact.is_some());
}

/// Games in a journal are not searched again, and several threads find the same as one.
#[test]
fn games_are_searched_once() {
    use meerslag_files::Existing;
    use meerslag_study::annotate::{
        AnnotationJournal, GameWork, JournalHeader, analyse, each_game,
    };

    let folder = tempfile::tempdir().unwrap();
    let text = BLUNDER.repeat(3);
    let games: Vec<PdnGame> = PdnReader::new(text.as_bytes()).map(Result::unwrap).collect();
    let limits = Limits { mode: Mode::Analyze, ..Limits::nodes(100) };
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let header = JournalHeader::new(text.as_bytes(), 3, &limits, "some");
    let run = |name: &str, threads, control: &Control| {
        let path = folder.path().join(name);
        let mut journal = AnnotationJournal::open(&path, &header, Existing::Keep, |_| ()).unwrap();
        let mut reported = Vec::new();
        let mut report = |done| reported.push(done);
        let work = GameWork { limits: &limits, options: &options, threads, control };
        let are_all_done = each_game(&games, work, &mut journal, &mut report, analyse);
        (are_all_done.unwrap(), reported, journal)
    };
    let stopped = Control::new();
    stopped.stop();
    let (are_all_done, _, journal) = run("one", 1, &stopped);
    assert!(!are_all_done && journal.is_empty());
    drop(journal);
    let (are_all_done, reported, one) = run("one", 1, &Control::new());
    assert!(are_all_done);
    assert_eq!(reported, [0, 1, 2, 3]);
    let (_, _, two) = run("two", 2, &Control::new());
    for (number, pdn) in (1..).zip(&games) {
        assert_eq!(one.analyses(number, pdn).unwrap(), two.analyses(number, pdn).unwrap());
    }
    assert!(one.analyses(1, &game("1. 32-28 *")).is_err());
    drop(one);
    let (are_all_done, reported, _) = run("one", 1, &Control::new());
    assert!(are_all_done);
    assert_eq!(reported, [3]);
}

/// The better player has the higher accuracy: levels against themselves, as a small part of the
/// table in docs/annotate.md.
#[test]
fn the_accuracy_of_the_levels_grows() {
    let (mut engine, mut random) = (player(), movegen::random::Random::new(46));
    let mut accuracy = |level: u8| {
        let nodes = PlayingLevel::new(level).unwrap().nodes().unwrap();
        let mut sum = SideSummary::default();
        for _ in 0..6 {
            let judged = judged(&played(&mut engine, [nodes; 2], &mut random), 4_000);
            judged.sides.iter().for_each(|side| sum.merge(side));
        }
        sum.accuracy().unwrap()
    };
    let accuracies = [1, 4, 7].map(&mut accuracy);
    assert!(accuracies.is_sorted_by(|worse, better| worse + 2.0 < *better), "{accuracies:?}");
}
