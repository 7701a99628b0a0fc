//! The log of a protocol's messages, for debugging a client, an opponent or this engine.

use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

/// A line for each message: its time in seconds since 1970, the party if the log has several, its
/// direction (`<` received, `>` sent, `!` from standard error, `#` a remark of ours) and its text.
/// Copies write to the same place. There is no complaint if a log cannot be written: a full disk
/// must not disturb a game.
#[derive(Clone, Default)]
pub struct Log(Vec<Output>);

/// Where a log goes.
#[derive(Clone)]
struct Output {
    /// The two parties; empty if they are clear.
    who: Arc<str>,
    out: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Log {
    /// A log that keeps nothing.
    #[must_use]
    pub fn none() -> Log {
        Log(Vec::new())
    }

    /// A log into this output.
    #[must_use]
    pub fn to(out: impl Write + Send + 'static) -> Log {
        Log::of("", out)
    }

    /// A log into this output, shared with others, for the messages of this party.
    pub(crate) fn of(who: &str, out: impl Write + Send + 'static) -> Log {
        Log(vec![Output { who: who.into(), out: Arc::new(Mutex::new(Box::new(out))) }])
    }

    /// This log and another one.
    pub(crate) fn and(mut self, other: Log) -> Log {
        self.0.extend(other.0);
        self
    }

    /// Writes a remark.
    pub fn remark(&self, text: impl Display) {
        self.line('#', text);
    }

    /// Writes a line.
    pub(crate) fn line(&self, mark: char, text: impl Display) {
        if self.0.is_empty() {
            return;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // In one piece: several connections may append to one file, each through its own handle.
        for Output { who, out } in &self.0 {
            let gap = if who.is_empty() { "" } else { " " };
            let line = format!("{:.3}{gap}{who} {mark} {text}\n", since.as_secs_f64());
            let mut out = out.lock();
            let _ = out.write_all(line.as_bytes());
            let _ = out.flush();
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Log").field(&self.0.len()).finish()
    }
}
