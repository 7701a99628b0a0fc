//! The language of pages.

use anyhow::anyhow;
use clap::Args;
use clap::builder::PossibleValuesParser;
use meerslag_pages::LANGUAGES;

use super::Failure;

/// The language that a page begins in.
#[derive(Args, Debug)]
pub(super) struct LanguageArgs {
    /// The first language of the page of --html; readers can choose another
    #[arg(long, value_name = "CODE", value_parser = PossibleValuesParser::new(LANGUAGES))]
    language: Option<String>,
}

impl LanguageArgs {
    /// The language given, or English.
    pub(super) fn code(&self) -> &str {
        self.language.as_deref().unwrap_or(LANGUAGES[0])
    }

    /// Refuses a language for no page.
    pub(super) fn check(&self, has_page: bool) -> Result<(), Failure> {
        if self.language.is_some() && !has_page {
            return Err(Failure::Input(anyhow!(
                "--language is that of the page: --html is missing"
            )));
        }
        Ok(())
    }
}
