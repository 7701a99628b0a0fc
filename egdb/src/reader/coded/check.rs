//! Checking all blocks against the index.

use super::CodedReader;
use super::sub::Sub;
use crate::codec::{ByteCode, runlen};
use crate::error::{ProbeCause, ProbeError};
use crate::format::text::Coding;

impl CodedReader {
    /// Checks every block of every sub-database against the index. `step` is called once per
    /// block and stops the check by returning false.
    pub(crate) fn check(
        &self,
        mut step: impl FnMut() -> bool,
    ) -> Result<Vec<ProbeError>, Vec<ProbeError>> {
        let mut errors = Vec::new();
        for sub in &self.subs {
            for k in 0..sub.lines.len() {
                let cause = match sub.coding {
                    Coding::Tunstall2 => {
                        let dictionary = usize::from(sub.lines[k].code & 0xff);
                        self.check_block(&self.dictionaries[dictionary], sub, k)
                    }
                    Coding::Tunstall1(dictionary, _) => {
                        self.check_block(&self.dictionaries[usize::from(dictionary)], sub, k)
                    }
                    Coding::Plain => self.check_block(runlen::plain(), sub, k),
                    Coding::Partial => self.check_block(runlen::partial(), sub, k),
                    Coding::Distance => self.check_block(runlen::distance(), sub, k),
                };
                errors.extend(cause.err().map(|cause| *self.error(sub, k, cause)));
                if !step() {
                    return Err(errors);
                }
            }
        }
        Ok(errors)
    }

    fn check_block(&self, code: &impl ByteCode, sub: &Sub, k: usize) -> Result<(), ProbeCause> {
        match self.whole_block(sub, k, false)? {
            Some(block) => self.scan(code, sub, k, &block),
            None => Ok(()),
        }
    }

    /// Number of blocks that [`CodedReader::check`] visits.
    pub(crate) fn blocks(&self) -> u64 {
        self.subs.iter().map(|sub| sub.lines.len() as u64).sum()
    }
}
