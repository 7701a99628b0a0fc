//! The board in the browser: the files that are part of the program.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::super::gzip::{gzip, pays};
use super::super::{Problem, ProblemKind};
use super::ServerState;
use super::refusal::refused;
use meerslag_web::{ASSETS, Asset, TOURNAMENT, asset};

/// What a page may do: talk to this server only. The list of those that may show it in a frame
/// comes last.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'none';";

/// The policy of a server whose pages may be shown in frames of pages of these origins; `*` is all.
///
/// # Panics
/// If one of them is no origin.
pub(super) fn policy(frames: &[String]) -> HeaderValue {
    let frames = if frames.is_empty() { "'none'".to_owned() } else { frames.join(" ") };
    let policy = HeaderValue::from_str(&format!("{POLICY} frame-ancestors {frames}"));
    policy.expect("origins are letters of ASCII")
}

/// The pages of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    /// The board.
    Board,
    /// A tournament that is being played.
    Tournament,
}

impl Site {
    /// The file at this path; the empty one is the site's page.
    fn asset(self, name: &str) -> Option<&'static Asset> {
        let of_tournament = |name: &str| TOURNAMENT.iter().find(|asset| asset.name == name);
        match (self, name) {
            (Site::Board, "") => asset("index.html"),
            (Site::Board, name) => asset(name),
            (Site::Tournament, "") => of_tournament("tournament.html"),
            // The drawings of the board, without its pages.
            (Site::Tournament, name) => {
                of_tournament(name).or_else(|| asset(name).filter(|_| !name.ends_with(".html")))
            }
        }
    }
}

/// Whether a request is for a file of the page.
pub(super) fn is_file(site: Site, method: &Method, path: &str) -> bool {
    is_read(method) && site.asset(path.trim_start_matches('/')).is_some()
}

fn is_read(method: &Method) -> bool {
    [Method::GET, Method::HEAD].contains(method)
}

/// Gives out a file.
pub(super) async fn get(State(shared): State<Arc<ServerState>>, request: Request) -> Response {
    let path = request.uri().path();
    let Some(asset) = shared.site.asset(path.trim_start_matches('/')) else {
        let path: String = path.chars().take(60).collect();
        return refused(&Problem::new(ProblemKind::NotFound, format!("there is no {path}")));
    };
    if !is_read(request.method()) {
        return refused(&Problem::new(ProblemKind::MethodNotAllowed, "a file can only be fetched"));
    }
    let file = &FILES[asset.name];
    let accepted =
        request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let packed = file.packed.as_deref().filter(|_| accepted.is_some_and(accepts_gzip));
    // A tag is of one form of the file alone.
    let tag = format!("\"{:08x}{}\"", file.sum, if packed.is_some() { "-gzip" } else { "" });
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
    set(header::VARY, "accept-encoding");
    // The files are public, as part of the program: pages of other origins may use the modules.
    set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    headers.insert(header::CONTENT_SECURITY_POLICY, shared.policy.clone());
    if is_known {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.media_type));
    match packed {
        Some(packed) => {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            (headers, packed).into_response()
        }
        None => (headers, file.bytes.as_ref()).into_response(),
    }
}

/// A file as it is given out.
struct File {
    bytes: Cow<'static, [u8]>,
    /// Compressed, where that makes it smaller.
    packed: Option<Vec<u8>>,
    /// The checksum of its content.
    sum: u32,
}

/// All files by their names; made when the server starts.
static FILES: LazyLock<HashMap<&str, File>> = LazyLock::new(|| {
    let files = ASSETS.iter().chain(TOURNAMENT).map(|asset| {
        let bytes = asset.sent();
        let packed = pays(asset.media_type).then(|| gzip(&bytes));
        (asset.name, File { packed, sum: crc32fast::hash(&bytes), bytes })
    });
    files.collect()
});

/// Prepares the files.
pub(super) fn prepare() {
    LazyLock::force(&FILES);
}

/// Whether a client takes gzip, by its `Accept-Encoding`
/// (<https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding>).
fn accepts_gzip(accepted: &str) -> bool {
    let wanted = |name: &str| {
        accepted.split(',').find_map(|one| {
            let (coding, weight) = one.split_once(';').unwrap_or((one, "q=1"));
            let weight =
                weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
            coding
                .trim()
                .eq_ignore_ascii_case(name)
                .then(|| weight.is_some_and(|weight| weight > 0.0))
        })
    };
    wanted("gzip").or_else(|| wanted("*")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_of_the_origins_that_are_named() {
        let text = |frames: &[&str]| {
            let frames: Vec<String> = frames.iter().map(ToString::to_string).collect();
            policy(&frames).to_str().unwrap().to_owned()
        };
        assert!(text(&[]).ends_with("; frame-ancestors 'none'"));
        let two = text(&["https://a.example", "http://localhost:8000"]);
        assert!(
            two.ends_with("; frame-ancestors https://a.example http://localhost:8000"),
            "{two}"
        );
        assert!(text(&["*"]).ends_with("frame-ancestors *"));
    }

    #[test]
    fn gzip_is_given_to_those_who_take_it() {
        for yes in ["gzip", "br, gzip", "GZIP;q=0.5", "deflate, *", "gzip;q=1.0, identity; q=0.5"] {
            assert!(accepts_gzip(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "*;q=1, gzip;q=0", "gzip;q=x", "gzipped", "*;q=0"] {
            assert!(!accepts_gzip(no), "{no}");
        }
    }
}
