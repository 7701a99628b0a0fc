//! The language of what is written.

use anyhow::anyhow;
use clap::Args;
use clap::builder::PossibleValuesParser;
use meerslag_pages::LANGUAGES;

use super::Failure;

/// The language of comments, sheets and pages.
#[derive(Args, Debug)]
pub(super) struct LanguageArgs {
    /// The language of comments, sheets and pages; readers of a page can choose another [default: en]
    #[arg(long, value_name = "CODE", value_parser = PossibleValuesParser::new(LANGUAGES))]
    language: Option<String>,
}

impl LanguageArgs {
    /// The language given, or English.
    pub(super) fn code(&self) -> &str {
        self.language.as_deref().unwrap_or(LANGUAGES[0])
    }

    /// Refuses a language where nothing is written in it for want of this option.
    pub(super) fn check(&self, has_text: bool, option: &str) -> Result<(), Failure> {
        if self.language.is_some() && !has_text {
            return Err(Failure::Input(anyhow!("--language has no text: {option} is missing")));
        }
        Ok(())
    }
}
