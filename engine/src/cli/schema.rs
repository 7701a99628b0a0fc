//! The JSON schema of everything that `--json` prints, made from the records of all commands.

use std::io::Write;

use clap::Args;
#[cfg(feature = "matches")]
use meerslag_harness::runner::{
    Check, CheckedStep, InPlayRecord, LiveRecord, StandingsRecord, TournamentRecord,
};
use meerslag_study::records;
use meerslag_study::{bench, suite};
use movegen::json::{Record, VERSION};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

#[cfg(feature = "games")]
use super::games;
use super::streams::{only_print, stdout};
use super::{Failure, book, egdb, perft, solve, weights};
#[cfg(feature = "training")]
use super::{data, learn, selfplay, tune};
#[cfg(feature = "matches")]
use super::{dxp, matches, ratings};

/// Collects the schemas of all records.
struct Catalogue {
    generator: SchemaGenerator,
    lines: Vec<(&'static str, Value)>,
}

impl Catalogue {
    fn add<R: Record>(&mut self) {
        let record = self.generator.subschema_for::<R>();
        self.push(R::TYPE, &record);
    }

    fn push(&mut self, kind: &'static str, record: &Schema) {
        let line = json!({
            "title": kind,
            "allOf": [record],
            "properties": { "type": { "const": kind }, "version": { "const": VERSION } },
            "required": ["type", "version"],
            "unevaluatedProperties": false,
        });
        self.lines.push((kind, line));
    }

    /// The records of all commands.
    fn add_all(&mut self) {
        self.add::<records::InfoRecord>();
        self.add::<records::PositionRecord>();
        self.add::<records::ResultRecord>();
        self.add::<records::AnnotatedGameRecord<'_>>();
        self.add::<records::PlayerRecord<'_>>();
        self.add::<records::AnnotationSummaryRecord>();
        self.add::<meerslag_study::puzzles::Puzzle>();
        self.add::<records::BookRecord>();
        self.add::<book::info::BookInfoRecord<'_>>();
        self.add::<book::check::BookCheckRecord>();
        self.add::<book::merge::BookWrittenRecord>();
        self.add::<solve::SolutionRecord>();
        self.add::<solve::LineErrorRecord<'_>>();
        self.add::<solve::Summary>();
        self.add::<bench::BenchResult>();
        self.add::<bench::ThreadsResult>();
        self.add::<suite::SuiteResult>();
        self.add::<perft::PerftRecord>();
        self.add::<weights::WeightsRecord>();
        self.add::<weights::ComparisonRecord>();
        self.add::<egdb::IdentityRecord>();
        self.add::<egdb::DatabaseRecord>();
        self.add::<egdb::FileRecord>();
        self.add::<records::AnswerRecord<'_>>();
        self.add::<egdb::ErrorRecord<'_>>();
        self.add::<egdb::ValueRecord<'_>>();
        self.add::<egdb::LookupsRecord>();
        #[cfg(feature = "matches")]
        {
            self.add::<matches::MatchGameRecord<'_>>();
            self.add::<StandingsRecord<'_>>();
            self.add::<TournamentRecord>();
            self.add::<ratings::RatingRecord<'_>>();
            self.add::<ratings::RatingsSummaryRecord>();
            self.add::<LiveRecord<'_>>();
            self.add::<InPlayRecord<'_>>();
            self.add::<dxp::DxpRecord>();
            self.add::<CheckedStep>();
            self.add::<Check>();
        }
        #[cfg(feature = "builder")]
        {
            self.add::<egdb_build::convert::Converted>();
            self.add::<egdb_build::check::Finding>();
            self.add::<egdb_build::check::Report>();
            self.add::<egdb_build::survey::SideSurvey>();
            self.add::<egdb_build::builder::BuildEvent>();
            self.add::<egdb_build::plan::Task>();
        }
        #[cfg(feature = "games")]
        {
            self.add::<meerslag_games::Problem>();
            self.add::<meerslag_games::Duplicate>();
            self.add::<games::import::GamesImportRecord<'_>>();
            self.add::<meerslag_games::GameFound>();
            self.add::<meerslag_games::Tree>();
            self.add::<games::statistics::GamesScoreRecord<'_>>();
            self.add::<meerslag_games::GamesInfo>();
            self.add::<meerslag_games::CheckReport>();
        }
        #[cfg(feature = "training")]
        {
            self.add::<meerslag_learn::Epoch>();
            self.add::<selfplay::SelfPlayRecord>();
            self.add::<learn::GenerationRecord>();
            self.add::<tune::TuneRecord>();
            self.add::<data::CountRecord>();
            self.add::<data::SampleRecord>();
            self.add::<data::GamesRecord>();
        }
    }
}

/// Print the JSON schema of everything that --json prints
///
/// Every line of such output is one object that fits the schema (JSON Schema, draft 2020-12).
#[derive(Args, Debug)]
pub(super) struct SchemaArgs {}

pub(super) fn run(_args: &SchemaArgs) -> Result<(), Failure> {
    only_print();
    let mut out = stdout();
    serde_json::to_writer_pretty(&mut out, &schema())?;
    Ok(writeln!(out)?)
}

/// The schema of every line that a command can print.
fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut catalogue = Catalogue { generator: settings.into_generator(), lines: Vec::new() };
    catalogue.add_all();
    catalogue.lines.sort_by_key(|(name, _)| *name);
    let lines: Vec<Value> = catalogue.lines.into_iter().map(|(_, line)| line).collect();
    let definitions: Map<String, Value> = catalogue.generator.take_definitions(true);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of the output of meerslag --json",
        "oneOf": lines,
        "$defs": definitions,
    })
}
