//! The board in the browser: the files that are part of the program.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::super::{Problem, ProblemKind};
use super::refusal::refused;
use meerslag_web::asset;

/// What a page may do: nothing but with this server.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Gives out a file.
pub(super) async fn get(request: Request) -> Response {
    let path = request.uri().path();
    let name = if path == "/" { "index.html" } else { path.trim_start_matches('/') };
    let Some(asset) = asset(name) else {
        let path: String = path.chars().take(60).collect();
        return refused(&Problem::new(ProblemKind::NotFound, format!("there is no {path}")));
    };
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return refused(&Problem::new(ProblemKind::MethodNotAllowed, "a file can only be fetched"));
    }
    let tag = format!("\"{:08x}\"", crc32fast::hash(asset.bytes));
    let is_known = request.headers().get(header::IF_NONE_MATCH).is_some_and(|known| {
        known.to_str().is_ok_and(|known| known.split(',').any(|known| known.trim() == tag))
    });
    let mut headers = HeaderMap::new();
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(header::ETAG, &tag);
    set(header::CACHE_CONTROL, "no-cache");
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    if is_known {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    set(header::CONTENT_TYPE, asset.media_type);
    (headers, asset.bytes).into_response()
}
