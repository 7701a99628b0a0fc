//! The contents of a database, read in the order of the files.

use std::path::PathBuf;

use movegen::Color;

use crate::database::{Database, Reader, any_reader};
use crate::error::ProbeError;
use crate::format::compact::CompactRecord;
use crate::index::SliceSide;
use crate::reader::{Found, Slot};
use crate::slice::Slice;
use crate::storage::DataFile;

/// Which sub-database.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SubId {
    /// A stored slice.
    pub slice: Slice,
    /// The subslice, of the type's length.
    pub sub: u32,
    /// The side to move.
    pub side: Color,
}

impl Database {
    /// The sub-databases in the files, in the order of [`Slice::stored`].
    #[must_use]
    pub fn contents(&self) -> Vec<SubId> {
        let length = self.db_type().subslice_length();
        let mut list = Vec::new();
        for slice in (2..=self.max_pieces()).flat_map(Slice::stored) {
            for &side in slice.stored_sides() {
                let subs =
                    (0..slice.subslices(length) as u32).map(|sub| SubId { slice, sub, side });
                list.extend(subs.filter(|&id| self.has_sub(id)));
            }
        }
        list
    }

    /// Number of positions of a sub-database.
    #[must_use]
    pub fn sub_size(&self, id: SubId) -> u64 {
        id.slice.subslice_size(u64::from(id.sub), self.db_type().subslice_length())
    }

    /// Bytes that a sub-database takes in its data file, 0 if all its positions have one value; `None`
    /// if the files do not hold it.
    #[must_use]
    pub fn sub_bytes(&self, id: SubId) -> Option<u64> {
        let index = u64::from(id.sub) * self.db_type().subslice_length();
        any_reader!(self.reader(), reader => {
            match reader.directory().find(SliceSide::new(id.slice, id.side), index).0 {
                Found::Slot(Slot::Data(number)) => Some(reader.bytes(number as usize)),
                Found::Slot(Slot::Constant(_)) => Some(0),
                _ => None,
            }
        })
    }

    /// Bytes of the index and data files that hold the slices of a piece count, and of their data in
    /// single files; 0 for a database that is part of the library.
    #[must_use]
    pub fn file_bytes(&self, pieces: u8) -> u64 {
        let start = format!("db{pieces}");
        let is_of = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.to_ascii_lowercase().starts_with(&start)
        };
        let files = self.files().filter(is_of).filter_map(|file| Some(file.metadata().ok()?.len()));
        let slices =
            Slice::stored(pieces).flat_map(|it| it.stored_sides().iter().map(move |&s| (it, s)));
        files.sum::<u64>()
            + slices.map(|(slice, side)| self.bytes_in_single(slice, side)).sum::<u64>()
    }

    /// A sub-database of the compact type as an index file describes it, and the file of its data if
    /// it has any; `None` if the files do not hold it or are of another type.
    #[must_use]
    pub fn compact_record(&self, id: SubId) -> Option<(CompactRecord, Option<&DataFile>)> {
        match self.reader() {
            Reader::Compact(reader) => reader.record(id.slice, id.side),
            _ => None,
        }
    }

    /// Bytes of a sub-database if they lie in a single file.
    fn bytes_in_single(&self, slice: Slice, side: Color) -> u64 {
        match self.reader() {
            Reader::Compact(reader) if reader.is_in_single(slice, side) => {
                self.sub_bytes(SubId { slice, sub: 0, side }).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Fills `out` with the stored numbers of the positions from `start` on (counted within the
    /// sub-database). [`crate::format::DbType`] says what they mean: the values of
    /// win/loss/draw files from 0 to 5, distances to conversion (0 where none is stored), half the
    /// plies to the end. Positions that the format excludes have any number. Returns false, and
    /// leaves `out` as it is, if the files do not hold the sub-database.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    ///
    /// # Panics
    /// If `out` reaches beyond the end of the sub-database.
    pub fn read_values(&self, id: SubId, start: u64, out: &mut [u16]) -> Result<bool, ProbeError> {
        let size = self.sub_size(id);
        assert!(start + out.len() as u64 <= size, "{start} + {} of {size}", out.len());
        let index = u64::from(id.sub) * self.db_type().subslice_length() + start;
        self.fill(id.slice, id.side, index, out)
    }

    fn has_sub(&self, id: SubId) -> bool {
        let index = u64::from(id.sub) * self.db_type().subslice_length();
        self.fill(id.slice, id.side, index, &mut []).unwrap_or(false)
    }

    fn fill(
        &self,
        slice: Slice,
        side: Color,
        index: u64,
        out: &mut [u16],
    ) -> Result<bool, ProbeError> {
        any_reader!(self.reader(), reader => reader.fill(slice, side, index, out))
    }
}
