//! Surveys of the work files of a build.

use std::path::Path;

use movegen::Color;
use movegen::geometry::bits;

use super::side::{Counts, Top};
use super::{Options, Progress, SideSurvey, SurveyError};
use crate::builder::{Group, WorkFiles};
use egdb::index::rank;
use egdb::probe::Probe;
use egdb::slice::Slice;

/// As [`survey`](super::survey()), with the numbers from the work files in a folder. Calls
/// `each` with every finished one, and `progress` now and then; when that returns false the survey
/// stops, and the result is false. Distances are counted if the files have them.
///
/// # Errors
/// If there is nothing to survey, a work file is missing, cannot be read or is damaged.
pub fn survey_work(
    probe: &Probe,
    dir: &Path,
    options: &Options,
    mut progress: impl FnMut(Progress) -> bool,
    mut each: impl FnMut(&SideSurvey),
) -> Result<bool, SurveyError> {
    let slices = probe.select(options.max_pieces, options.slices.as_deref())?;
    let files = WorkFiles::new(dir);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    let all: u64 = slices.iter().map(|slice| slice.size() * 2).sum();
    let mut done = 0;
    for slice in slices {
        let file = files.open(slice)?;
        let mut sums = [Counts::default(); 2];
        for unit in 0..file.units() {
            if !progress(Progress { done, all, slice }) {
                return Ok(false);
            }
            let visit = |counts: &mut [Counts; 2], group: &Group| {
                for side in Color::ALL {
                    count(&mut counts[side.index()], group, slice, side);
                }
            };
            let merge = |a: [Counts; 2], b: [Counts; 2]| [a[0].merged(&b[0]), a[1].merged(&b[1])];
            let found = pool.install(|| file.unit(unit, visit, merge))?;
            done +=
                found.iter().map(|counts| counts.wins + counts.losses + counts.draws).sum::<u64>();
            sums = merge(sums, found);
        }
        for &side in slice.stored_sides() {
            each(&sums[side.index()].survey(slice, side));
        }
    }
    Ok(true)
}

#[inline(always)]
fn count(counts: &mut Counts, group: &Group, slice: Slice, side: Color) {
    let number = |set: u64| u64::from(set.count_ones());
    let [wins, losses] = group.decided(side);
    counts.wins += number(wins);
    counts.losses += number(losses);
    counts.draws += number(group.squares & !wins & !losses);
    counts.captures += number(group.captures[side.index()] & group.squares);
    let raise = |top: &mut Top, plies: Option<u8>, square: u64| {
        let plies = plies.map(u32::from);
        if let Some(plies) = plies.filter(|&plies| top.0.is_none_or(|best| plies >= best.number)) {
            top.add(plies, rank(slice, &group.board(square)));
        }
    };
    for (squares, top) in [(wins, &mut counts.dtw_win), (losses, &mut counts.dtw_loss)] {
        for square in bits(squares) {
            raise(top, group.dtw(side, square), square);
            raise(&mut counts.mtc, group.mtc(side, square), square);
        }
    }
}
