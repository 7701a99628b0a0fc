//! Commands as a shell reads them.

use std::env;

/// The words of this process's command without the name of the program; anything but Unicode shows
/// as replacement characters.
pub(super) fn arguments() -> Vec<String> {
    env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// This process's command, quoted for a shell.
pub(super) fn command() -> String {
    let program = env::args_os().take(1).map(|name| name.to_string_lossy().into_owned());
    quoted(&program.chain(arguments()).collect::<Vec<_>>())
}

/// A command of these words, quoted for a POSIX shell where that is needed.
pub(super) fn quoted<S: AsRef<str>>(words: &[S]) -> String {
    // No argument of a process has a zero byte in it.
    shlex::try_join(words.iter().map(S::as_ref)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_read_as_it_was() {
        let words =
            ["meerslag", "match", "--state", "O'Neill's match (1).jsonl", "$HOME", "a\\b", ""];
        assert_eq!(shlex::split(&quoted(&words)).unwrap(), words);
        assert_eq!(quoted(&["meerslag", "--state", "m.jsonl"]), "meerslag --state m.jsonl");
    }
}
