//! `meerslag hub`: the engine side of the Hub protocol on standard input and output.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;
use std::{panic, process, thread};

use clap::Args;
#[cfg(feature = "matches")]
use meerslag_harness::adapter::{Adapter, AdapterSettings};
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::hub::{Options, Params, Settings, serve};

use super::source::VariantArgs;
use super::streams::Messages;
use super::{Failure, files};

/// The most time from the end of the input to the end of the process.
const LAST_MOMENT: Duration = Duration::from_millis(80);
/// The same, with another program playing the session.
const LAST_MOMENT_OF_OTHERS: Duration = Duration::from_millis(1500);

const EXAMPLE: &str = "\
Graphical programs start this command and talk to it; nobody needs to type the protocol. To see
it work by hand:

  printf 'hub\\ninit\\npos\\nlevel move-time=1\\ngo think\\n' | (cat; sleep 2) | meerslag hub";

/// Play for a graphical program or match runner (Hub protocol, version 2)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct HubArgs {
    /// Add all lines of the session to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    variant: VariantArgs,
    /// Wait this long after each line, for clients that lose lines which arrive together
    #[arg(long, value_name = "MILLISECONDS", default_value = "0", value_parser = pause, hide_default_value = true)]
    pause: Duration,
}

fn pause(text: &str) -> Result<Duration, String> {
    let millis = text.parse().ok().filter(|millis| *millis <= 1000);
    millis.map(Duration::from_millis).ok_or_else(|| "not a number from 0 to 1000".to_owned())
}

/// Writes line by line with pauses: some clients wait for the pipe although they have lines of it.
struct Paced<W> {
    output: W,
    pause: Duration,
}

impl<W: Write> Write for Paced<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else {
            return self.output.write(bytes);
        };
        self.output.write_all(&bytes[..=end])?;
        self.output.flush()?;
        thread::sleep(self.pause);
        Ok(end + 1)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

pub(super) fn run(args: &HubArgs) -> Result<(), Failure> {
    let log = files::log_or_none(args.log.as_deref())?;
    let mut options = Options { log, ..options(end_soon) };
    if !args.pause.is_zero() {
        // Requests made before the end of the input are still answered.
        options.on_end_of_input = None;
    }
    let params = Params { variant: args.variant.variant, ..Params::default() };
    converse(options, params, None, args.pause)
}

/// The program was started without a command: speaks Hub if the first line is `hub`.
pub(super) fn listen() -> Result<(), Failure> {
    if io::stdin().is_terminal() && super::is_watched() {
        if cfg!(not(feature = "serve")) {
            let _ = writeln!(
                Messages,
                "The board is not in this program: 'cargo run --release' builds it whole and opens it."
            );
        }
        let line = "Waiting for 'hub'. See 'meerslag --help' for other commands; Ctrl-C to leave.";
        let _ = writeln!(Messages, "{line}");
    }
    let options = Options { until_hub: true, ..options(end_soon) };
    converse(options, Params::default(), None, Duration::ZERO)
}

/// A session that another program plays, which gets time to end.
#[cfg(feature = "matches")]
pub(super) fn converse_with(adapter: Adapter, log: Log) -> Result<(), Failure> {
    let options = Options { log, patience: LAST_MOMENT_OF_OTHERS, ..options(end_later) };
    converse(options, AdapterSettings::new(&adapter), Some(adapter), Duration::ZERO)
}

fn options(on_end_of_input: fn()) -> Options {
    Options { on_end_of_input: Some(on_end_of_input), ..Options::default() }
}

fn converse<S: Settings>(
    options: Options,
    settings: S,
    engine: Option<S::Engine>,
    pause: Duration,
) -> Result<(), Failure> {
    // Clients that merge standard error into standard output would take a panic message for
    // protocol lines. The session reports a failed search itself.
    panic::set_hook(Box::new(|_| {}));
    #[expect(clippy::disallowed_methods, reason = "the session knows when its client is gone")]
    let output = io::stdout();
    let log = options.log.clone();
    let output: Box<dyn Write> =
        if pause.is_zero() { Box::new(output) } else { Box::new(Paced { output, pause }) };
    serve(io::stdin(), output, settings, engine, options)?;
    files::check_log(&log)
}

/// Ends the process even if the client has stopped reading and the session hangs in a write.
fn end_soon() {
    thread::sleep(LAST_MOMENT);
    process::exit(0);
}

fn end_later() {
    thread::sleep(LAST_MOMENT_OF_OTHERS);
    process::exit(0);
}
