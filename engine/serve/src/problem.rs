//! Why a question has no answer, as RFC 9457 wants it.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// The kinds of problems.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProblemKind {
    /// A parameter is unknown, missing, given twice or out of its range.
    BadParameter,
    /// A position cannot be read, or is not one.
    BadPosition,
    /// A move cannot be read, or is not legal.
    BadMove,
    /// A body is not PDN, or not a record that PDN can be written from.
    BadPdn,
    /// The request is malformed, or its body is cut off.
    BadRequest,
    /// A page of another origin asks.
    ForbiddenOrigin,
    /// The request needs a token.
    Unauthorized,
    /// There is no such address.
    NotFound,
    /// The address is for another method.
    MethodNotAllowed,
    /// The question is valid, but nothing is known.
    NotKnown,
    /// The request did not arrive in time.
    Timeout,
    /// The body is too large.
    TooLarge,
    /// The address is too long.
    TooLong,
    /// The body is not of a type that is read.
    MediaType,
    /// This client has asked too much for now.
    TooManyRequests,
    /// All places for this kind of work are taken.
    Busy,
    /// A fault of the server.
    Internal,
}

impl ProblemKind {
    /// All kinds.
    pub const ALL: [ProblemKind; 17] = [
        ProblemKind::BadParameter,
        ProblemKind::BadPosition,
        ProblemKind::BadMove,
        ProblemKind::BadPdn,
        ProblemKind::BadRequest,
        ProblemKind::ForbiddenOrigin,
        ProblemKind::Unauthorized,
        ProblemKind::NotFound,
        ProblemKind::MethodNotAllowed,
        ProblemKind::NotKnown,
        ProblemKind::Timeout,
        ProblemKind::TooLarge,
        ProblemKind::TooLong,
        ProblemKind::MediaType,
        ProblemKind::TooManyRequests,
        ProblemKind::Busy,
        ProblemKind::Internal,
    ];

    /// Name in its address, HTTP status, and its text for people.
    const fn about(self) -> (&'static str, u16, &'static str) {
        match self {
            ProblemKind::BadParameter => ("bad-parameter", 400, "A parameter is invalid"),
            ProblemKind::BadPosition => ("bad-position", 400, "The position cannot be read"),
            ProblemKind::BadMove => ("bad-move", 400, "A move cannot be played"),
            ProblemKind::BadPdn => ("bad-pdn", 400, "The games cannot be read"),
            ProblemKind::BadRequest => ("bad-request", 400, "The request is malformed"),
            ProblemKind::ForbiddenOrigin => {
                ("forbidden-origin", 403, "Pages of other origins may not ask")
            }
            ProblemKind::Unauthorized => ("unauthorized", 401, "This needs the token"),
            ProblemKind::NotFound => ("not-found", 404, "There is nothing at this address"),
            ProblemKind::MethodNotAllowed => {
                ("method-not-allowed", 405, "The address is for another method")
            }
            ProblemKind::NotKnown => ("not-known", 404, "Nothing is known about this"),
            ProblemKind::Timeout => ("timeout", 408, "The request took too long to arrive"),
            ProblemKind::TooLarge => ("too-large", 413, "The body is too large"),
            ProblemKind::TooLong => ("too-long", 414, "The address is too long"),
            ProblemKind::MediaType => ("media-type", 415, "The body is of a type that is not read"),
            ProblemKind::TooManyRequests => {
                ("too-many-requests", 429, "Too many requests; try again later")
            }
            ProblemKind::Busy => ("busy", 503, "The server is busy; try again later"),
            ProblemKind::Internal => ("internal", 500, "The server failed"),
        }
    }

    /// Its name in the address of its description.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.about().0
    }

    /// Its HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        self.about().1
    }

    /// Its general text for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.about().2
    }
}

/// A problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Its kind.
    pub kind: ProblemKind,
    /// What is wrong, and where.
    pub detail: String,
    /// The parameter that is to blame.
    pub parameter: Option<&'static str>,
}

/// An error description of RFC 9457.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemRecord<'a> {
    /// The address of the description of its kind.
    #[serde(rename = "type")]
    kind: String,
    /// Its kind, for people.
    title: &'a str,
    /// The HTTP status.
    status: u16,
    /// What is wrong, and where.
    detail: &'a str,
    /// The parameter that is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<&'a str>,
}

impl Problem {
    /// The media type of its JSON.
    pub const MEDIA_TYPE: &'static str = "application/problem+json";

    /// A problem of this kind.
    #[must_use]
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Problem {
        Problem { kind, detail: detail.into(), parameter: None }
    }

    /// The same with the parameter that is to blame, which the detail names first.
    #[must_use]
    pub(super) fn of(self, parameter: &'static str) -> Problem {
        let detail = format!("{parameter}: {}", self.detail);
        Problem { detail, parameter: Some(parameter), ..self }
    }

    /// A parameter that is not as it should be.
    pub(super) fn parameter(parameter: &'static str, detail: impl Into<String>) -> Problem {
        Problem::new(ProblemKind::BadParameter, detail).of(parameter)
    }

    /// The schema of [`Problem::to_json`].
    pub fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<ProblemRecord<'_>>()
    }

    /// The description.
    ///
    /// # Panics
    /// Never: all of it can be written as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let record = ProblemRecord {
            kind: format!("/problems#{}", self.kind.name()),
            title: self.kind.title(),
            status: self.kind.status(),
            detail: &self.detail,
            parameter: self.parameter,
        };
        serde_json::to_string(&record).expect("texts and a number")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Problem {}

impl From<egdb::error::ProbeError> for Problem {
    /// An unreadable database file is the server's fault.
    fn from(error: egdb::error::ProbeError) -> Problem {
        Problem::new(ProblemKind::Internal, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn kinds_have_names_of_their_own_and_fitting_statuses() {
        let names: HashSet<_> = ProblemKind::ALL.map(ProblemKind::name).into();
        assert_eq!(names.len(), ProblemKind::ALL.len());
        assert!(ProblemKind::ALL.iter().all(|kind| (400..600).contains(&kind.status())));
    }

    #[test]
    fn the_parameter_is_named_twice() {
        let problem = Problem::parameter("time", "no number");
        let expected = "{\"type\":\"/problems#bad-parameter\",\
                        \"title\":\"A parameter is invalid\",\"status\":400,\
                        \"detail\":\"time: no number\",\"parameter\":\"time\"}";
        assert_eq!(problem.to_json(), expected);
    }
}
