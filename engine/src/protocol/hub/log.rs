//! A record of a session, for those who debug a client or this engine.

use std::io::Write;
use std::time::Instant;

/// Writes each line of a session with its time in seconds and its direction: `<` from the GUI,
/// `>` to the GUI, `#` a remark. A log that cannot be written is given up silently: it must not
/// disturb the game.
pub struct Log {
    writer: Option<Box<dyn Write + Send>>,
    start: Instant,
}

impl Log {
    /// A log that keeps nothing.
    #[must_use]
    pub fn none() -> Log {
        Log { writer: None, start: Instant::now() }
    }

    /// A log that writes here, line by line.
    #[must_use]
    pub fn to(writer: impl Write + Send + 'static) -> Log {
        Log { writer: Some(Box::new(writer)), start: Instant::now() }
    }

    pub(super) fn line(&mut self, direction: char, text: &str) {
        let time = self.start.elapsed().as_secs_f64();
        if let Some(writer) = &mut self.writer {
            let written = writeln!(writer, "{time:9.3} {direction} {text}");
            if written.and_then(|()| writer.flush()).is_err() {
                self.writer = None;
            }
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log").field("active", &self.writer.is_some()).finish_non_exhaustive()
    }
}
