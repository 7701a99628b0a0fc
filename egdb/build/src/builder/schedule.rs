//! The work left, and the files no longer needed.

use super::order::{after_capture, after_crowning};
use egdb::format::DbType;
use egdb::slice::Slice;

/// The slices of a build in solving order, and their files so far.
pub(super) struct Schedule {
    pub slices: Vec<Slice>,
    /// By slice: the numbers of those that it is solved from.
    sources: Vec<Vec<usize>>,
    /// By slice: whether its work file exists.
    pub has_file: Vec<bool>,
    /// The files to write, with the numbers of their slices.
    pub outputs: Vec<Output>,
}

/// A pair of database files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Output {
    pub db_type: DbType,
    /// Their common name without extensions.
    pub stem: String,
    pub slices: Vec<usize>,
    pub is_done: bool,
}

impl Schedule {
    pub(super) fn new(slices: Vec<Slice>, types: &[DbType]) -> Schedule {
        let number = |slice: &Slice| slices.iter().position(|other| other == slice);
        let sources = slices.iter().map(|&slice| {
            let all = after_capture(slice).into_iter().chain(after_crowning(slice));
            all.filter_map(|next| number(&next)).collect()
        });
        let mut outputs = Vec::new();
        let most = slices.iter().map(|slice| slice.pieces()).max().unwrap_or(0);
        for pieces in 2..=most {
            for &db_type in types.iter().filter(|db_type| pieces <= db_type.max_pieces()) {
                for (stem, of_file) in db_type.file_stems(pieces) {
                    // Files for several slices hold those that are built.
                    let slices: Vec<usize> = of_file.iter().filter_map(number).collect();
                    if !slices.is_empty() {
                        outputs.push(Output { db_type, stem, slices, is_done: false });
                    }
                }
            }
        }
        let has_file = vec![false; slices.len()];
        Schedule { sources: sources.collect(), slices, has_file, outputs }
    }

    /// By slice, whether its work file is needed, for database files or to solve another slice. It need
    /// not exist.
    pub(super) fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.slices.len()];
        for output in self.outputs.iter().filter(|output| !output.is_done) {
            output.slices.iter().for_each(|&number| needed[number] = true);
        }
        // Slices that no file holds are goals of the build.
        for (number, needed) in needed.iter_mut().enumerate() {
            *needed |= !self.outputs.iter().any(|output| output.slices.contains(&number));
        }
        for number in (0..self.slices.len()).rev() {
            if needed[number] && !self.has_file[number] {
                self.sources[number].iter().for_each(|&source| needed[source] = true);
            }
        }
        needed
    }

    /// The missing outputs that can be written now.
    pub(super) fn ready(&self) -> Vec<usize> {
        let is_ready = |output: &Output| {
            !output.is_done && output.slices.iter().all(|&number| self.has_file[number])
        };
        (0..self.outputs.len()).filter(|&number| is_ready(&self.outputs[number])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::build_order;

    fn four_pieces() -> Schedule {
        let all = (2..=4).flat_map(build_order).collect();
        Schedule::new(all, &[DbType::Wld2])
    }

    /// Simulates a build; returns the most that is on disk at a time.
    fn most_files(schedule: &mut Schedule) -> usize {
        let mut most = 0;
        for number in 0..schedule.slices.len() {
            if !schedule.needed()[number] {
                continue;
            }
            assert!(schedule.sources[number].iter().all(|&source| schedule.has_file[source]));
            schedule.has_file[number] = true;
            for output in schedule.ready() {
                schedule.outputs[output].is_done = true;
            }
            most = most.max(schedule.has_file.iter().filter(|&&has| has).count());
            let needed = schedule.needed();
            schedule.has_file.iter_mut().zip(needed).for_each(|(has, needed)| *has &= needed);
        }
        most
    }

    #[test]
    fn files_go_when_nothing_needs_them() {
        let mut schedule = four_pieces();
        assert!(most_files(&mut schedule) <= schedule.slices.len());
        assert!(schedule.has_file.iter().all(|has| !has));
        assert!(schedule.outputs.iter().all(|output| output.is_done));

        // With one file a slice, rows of men go.
        let all: Vec<Slice> = (2..=7).flat_map(build_order).collect();
        let count = all.len();
        let mut schedule = Schedule::new(all, &[DbType::Wld2]);
        assert!(most_files(&mut schedule) < count - 18);
        // Nothing is left to do.
        assert!(schedule.needed().iter().all(|needed| !needed));
    }

    #[test]
    fn what_is_lost_is_made_again() {
        let mut schedule = four_pieces();
        most_files(&mut schedule);
        let last = schedule.outputs.len() - 1;
        assert_eq!(schedule.outputs[last].stem, "db4");
        schedule.outputs[last].is_done = false;
        // All slices of four pieces, and those they are solved from: everything.
        assert!(schedule.needed().iter().all(|&needed| needed));
        schedule.has_file.iter_mut().enumerate().for_each(|(number, has)| *has = number > 8);
        let fours = schedule.slices.iter().map(|slice| slice.pieces() == 4).collect::<Vec<_>>();
        assert_eq!(schedule.needed(), fours);
    }
}
