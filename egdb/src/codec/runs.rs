//! Values as runs, where positions that are never looked up are filled to lengthen runs.

use super::DONT_CARE;

/// `len` consecutive equal values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The value.
    pub value: u16,
    /// How often, at least 1.
    pub len: u64,
}

/// Where an encoder gets its values from: called with the first index and a buffer to fill.
pub type Source<'a> = dyn FnMut(u64, &mut [u16]) + 'a;

/// Reads values in order and gives them as runs. A stretch of [`DONT_CARE`] joins the runs on
/// its two sides if they have the same value; else it takes the value of the longer one, because
/// a short run among long ones costs least when it stays short.
pub struct RunReader<'a> {
    source: &'a mut Source<'a>,
    size: u64,
    default: u16,
    next: u64,
    buffer: Vec<u16>,
    runs: Vec<Run>,
    /// The first run that has not been consumed, and how much of it has been.
    head: usize,
    used: u64,
    last: Option<Run>,
    gap: u64,
    current: Option<Run>,
    done: bool,
}

/// Values fetched at a time.
const CHUNK: usize = 1 << 15;

impl<'a> RunReader<'a> {
    /// A reader of `size` values; `default` is the value if all of them are [`DONT_CARE`].
    pub fn new(size: u64, default: u16, source: &'a mut Source<'a>) -> RunReader<'a> {
        RunReader {
            source,
            size,
            default,
            next: 0,
            buffer: vec![0; CHUNK],
            runs: Vec::new(),
            head: 0,
            used: 0,
            last: None,
            gap: 0,
            current: None,
            done: false,
        }
    }

    /// Whether all values have been read into [`RunReader::runs`].
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done
    }

    /// The runs read but not consumed; of the first one [`RunReader::used`] values are consumed.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs[self.head..]
    }

    /// How many values of the first run have been consumed.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Reads on until there are at least `count` runs or the values end.
    pub fn fill(&mut self, count: usize) {
        if self.done || self.runs.len() - self.head >= count {
            return;
        }
        // Only when there is something to read: moving the rest up costs as much as reading.
        self.runs.drain(..self.head);
        self.head = 0;
        while !self.done && self.runs.len() - self.head < count {
            self.read_chunk();
        }
    }

    /// Marks the next `count` values as consumed. They must have been read.
    pub fn consume(&mut self, mut count: u64) {
        while count > 0 {
            let rest = self.runs[self.head].len - self.used;
            if count < rest {
                self.used += count;
                return;
            }
            count -= rest;
            self.head += 1;
            self.used = 0;
        }
    }

    fn read_chunk(&mut self) {
        let n = (self.size - self.next).min(CHUNK as u64) as usize;
        (self.source)(self.next, &mut self.buffer[..n]);
        self.next += n as u64;
        let buffer = std::mem::take(&mut self.buffer);
        let mut i = 0;
        while i < n {
            let value = buffer[i];
            let start = i;
            while i < n && buffer[i] == value {
                i += 1;
            }
            self.push(value, (i - start) as u64);
        }
        self.buffer = buffer;
        if self.next == self.size {
            self.finish();
        }
    }

    fn push(&mut self, value: u16, len: u64) {
        if let Some(run) = &mut self.current
            && run.value == value
        {
            run.len += len;
            return;
        }
        if let Some(run) = self.current.replace(Run { value, len }) {
            self.settle(run);
        }
    }

    /// A maximal stretch of equal values or of don't-cares is complete.
    fn settle(&mut self, run: Run) {
        if run.value == DONT_CARE {
            self.gap += run.len;
            return;
        }
        match &mut self.last {
            None => self.last = Some(Run { len: run.len + self.gap, ..run }),
            Some(last) if last.value == run.value => last.len += self.gap + run.len,
            Some(last) if last.len >= run.len => {
                last.len += self.gap;
                self.runs.push(*last);
                *last = run;
            }
            Some(last) => {
                self.runs.push(*last);
                *last = Run { len: run.len + self.gap, ..run };
            }
        }
        self.gap = 0;
    }

    fn finish(&mut self) {
        if let Some(run) = self.current.take() {
            self.settle(run);
        }
        match &mut self.last {
            Some(last) => last.len += self.gap,
            None if self.gap > 0 => {
                self.last = Some(Run { value: self.default, len: self.gap });
            }
            None => {}
        }
        self.gap = 0;
        self.runs.extend(self.last.take());
        self.done = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_of(values: &[u16]) -> Vec<(u16, u64)> {
        let mut source = |start: u64, out: &mut [u16]| {
            out.copy_from_slice(&values[start as usize..][..out.len()]);
        };
        let mut reader = RunReader::new(values.len() as u64, 7, &mut source);
        reader.fill(usize::MAX);
        reader.runs().iter().map(|r| (r.value, r.len)).collect()
    }

    #[test]
    fn gaps_join_equal_runs_and_lengthen_the_longer_of_two() {
        const X: u16 = DONT_CARE;
        assert_eq!(runs_of(&[]), []);
        assert_eq!(runs_of(&[1, 1, 2]), [(1, 2), (2, 1)]);
        assert_eq!(runs_of(&[X, 1, X, X, 1, X]), [(1, 6)]);
        assert_eq!(runs_of(&[1, 1, X, 2]), [(1, 3), (2, 1)]);
        assert_eq!(runs_of(&[1, X, X, 2, 2]), [(1, 1), (2, 4)]);
        assert_eq!(runs_of(&[X, X]), [(7, 2)]);
    }

    #[test]
    fn consuming_walks_through_runs() {
        let values: Vec<u16> = (0..100_000u32).map(|i| (i / 7 % 3) as u16).collect();
        let mut source = |start: u64, out: &mut [u16]| {
            out.copy_from_slice(&values[start as usize..][..out.len()]);
        };
        let mut reader = RunReader::new(values.len() as u64, 7, &mut source);
        let mut at = 0;
        while at < values.len() {
            reader.fill(10);
            let run = reader.runs()[0];
            assert_eq!(run.value, values[at], "{at}");
            let step = 5.min(values.len() - at);
            reader.consume(step as u64);
            at += step;
        }
    }
}
