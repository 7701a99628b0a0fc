//! The pages of the help. An option that several commands share is described on one page; the
//! others name it.

use std::error::Error as _;

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Args, Command, CommandFactory};

use super::{Cli, EngineArgs, files, source};

/// Options that several commands share, and the page that describes them.
struct SharedOptions {
    options: Command,
    /// What they are.
    name: &'static str,
    /// The command of that page.
    page: &'static str,
}

impl SharedOptions {
    fn new<A: Args>(name: &'static str, page: &'static str) -> SharedOptions {
        let options = A::augment_args(Command::new(name).disable_help_flag(true));
        SharedOptions { options, name, page }
    }

    /// Whether it is one of these: by its name, and with the same meaning.
    fn has(&self, arg: &Arg) -> bool {
        // By name first: this runs at every start, and help texts are long.
        self.options.get_arguments().filter(|it| it.get_long() == arg.get_long()).any(|it| {
            // What the objects are is different everywhere; docs/json.md has it.
            let is_json = it.get_id() == "json" && matches!(arg.get_action(), ArgAction::SetTrue);
            let is_same = it.get_default_values() == arg.get_default_values()
                && it.get_help() == arg.get_help();
            is_same || is_json
        })
    }
}

/// The options of the commands that search, read games, write files or print JSON.
fn common() -> SharedOptions {
    let mut common = SharedOptions::new::<EngineArgs>("Common options", "meerslag");
    let json = Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print JSON objects, one a line, instead of text: docs/json.md");
    let options = source::EncodingArgs::augment_args(common.options.arg(json));
    let options = source::VariantArgs::augment_args(options);
    let options = super::language::LanguageArgs::augment_args(options);
    common.options = files::ForceArgs::augment_args(options);
    common
}

/// The same error; the numbers that are possible are named as people name them.
pub(super) fn in_words(error: clap::Error) -> clap::Error {
    let said = error.source().map(ToString::to_string).unwrap_or_default();
    let expected =
        match said.split_once(" is not in ").and_then(|(_, bounds)| bounds.split_once("..")) {
            Some((low, high)) => match high.strip_prefix('=') {
                Some(high) => format!("expected a number from {low} to {high}"),
                None => format!("expected a number from {low} on"),
            },
            None if said == "invalid digit found in string" => "expected a whole number".to_owned(),
            None => return error,
        };
    let text = error.to_string().replace(&said, &expected);
    clap::Error::raw(ErrorKind::ValueValidation, text.trim_start_matches("error: "))
}

/// The program with its pages.
pub(super) fn program() -> Command {
    let common = common();
    let list = common.options.clone().help_template("{options}").render_help().to_string();
    let examples = super::EXAMPLES;
    let program = Cli::command().after_long_help(format!(
        "{}, of the commands whose pages name them:\n{list}\n{examples}",
        common.name
    ));
    let all = [
        common,
        #[cfg(feature = "games")]
        SharedOptions::new::<super::games::find::SelectionArgs>(
            "Conditions",
            "meerslag games find",
        ),
    ];
    program.mut_subcommands(|sub| shorten(sub, "meerslag", &all))
}

/// The page of a command, and those of the commands below it, without the options of other pages.
fn shorten(command: Command, parent: &str, all: &[SharedOptions]) -> Command {
    let path = format!("{parent} {}", command.get_name());
    let mut lines = String::new();
    let mut command = command;
    for shared in all.iter().filter(|shared| shared.page != path) {
        let mut names = Vec::new();
        command = command.mut_args(|arg| {
            if !shared.has(&arg) {
                return arg;
            }
            names.extend(arg.get_long().map(|name| format!("--{name}")));
            arg.hide(true)
        });
        if !names.is_empty() {
            let SharedOptions { name, page, .. } = shared;
            lines += &format!("{name}, see '{page} --help': {}\n", names.join(", "));
        }
    }
    let whole = |text: Option<&StyledStr>| {
        text.map_or_else(|| lines.trim_end().to_owned(), |text| format!("{lines}\n{text}"))
    };
    if !lines.is_empty() {
        let text = whole(command.get_after_help());
        command = command.after_help(text);
    }
    command.mut_subcommands(|sub| shorten(sub, &path, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possible_numbers_are_named_in_words() {
        let said = |words: &[&str]| {
            let error = program().try_get_matches_from(words).unwrap_err();
            let said = in_words(error).to_string();
            said.lines().next().unwrap_or_default().to_owned()
        };
        let level = "error: invalid value '11' for '--level <N>': expected a number from 1 to 10";
        assert_eq!(said(&["meerslag", "play", "--level", "11"]), level);
        assert!(said(&["meerslag", "play", "--level=x"]).ends_with(": expected a whole number"));
        let nodes = said(&["meerslag", "analyse", "--nodes=0"]);
        assert!(nodes.ends_with(": expected a number from 1 on"), "{nodes}");
        let other = said(&["meerslag", "analyse", "--hash=x"]);
        assert!(other.contains("'--hash <SIZE>'"), "{other}");
    }
}
