//! Why there is no answer, as a response.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::super::problem::{Problem, ProblemKind};

/// A problem as a response.
pub(super) fn refused(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.kind.status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, problem.to_json()).into_response();
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static(Problem::MEDIA_TYPE);
    headers.insert(header::CONTENT_TYPE, kind);
    if matches!(problem.kind, ProblemKind::Busy | ProblemKind::TooManyRequests) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    if problem.kind == ProblemKind::Unauthorized {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if matches!(
        problem.kind,
        ProblemKind::BadRequest | ProblemKind::Timeout | ProblemKind::TooLarge
    ) {
        // The rest of the body is not waited for.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
