//! From requests to answers.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, get, on};
use hyper::body::Body as _;
use movegen::notation::pdn::{Encoding, decode};
use tokio::time::timeout_at;

use super::super::{Method as Asked, Problem, ProblemKind, ROUTES, Reply, Route, Work, answer};
use super::access::{Pass, Refusal, well_formed};
use super::refusal::refused;
use super::work::{self, time_for};
use super::{Client, MAX_QUERY, Peer, ServerOptions, ServerState, files, hub, openapi, search};

/// All routes.
pub(super) fn router(shared: &Arc<ServerState>) -> Router {
    let mut router = Router::new()
        .route("/health", get(|| async { json("{\"status\":\"ok\"}") }))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(|| async { json(openapi::document().to_string()) }))
        .route("/problems", get(|| async { text(problems()) }))
        .route("/v1/hub", get(session));
    for route in ROUTES {
        let filter = match route.method {
            Asked::Get => MethodFilter::GET,
            Asked::Post => MethodFilter::POST,
        };
        let handler = move |State(shared): State<Arc<ServerState>>, request: Request| async move {
            handle(shared, route, request).await.unwrap_or_else(|problem| refused(&problem))
        };
        router = router.route(route.path, on(filter, handler).options(|| async {}));
    }
    router
        .fallback(files::get)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(shared), guard))
        .with_state(Arc::clone(shared))
}

/// The answer to a request with a method that its route does not accept.
pub(super) async fn wrong_method() -> Response {
    refused(&Problem::new(ProblemKind::MethodNotAllowed, "this route has another method"))
}

/// The checks on every request before its route.
pub(super) async fn guard(
    State(shared): State<Arc<ServerState>>,
    mut request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    if let Some(&Peer(peer)) = request.extensions().get::<Peer>() {
        let client = Client(shared.access.client(peer.ip(), request.headers()));
        request.extensions_mut().insert(client);
    }
    let path = request.uri().path().to_owned();
    let pass = admit(&shared, &request, begun);
    let origin = match &pass {
        Ok(Pass::Foreign(origin)) => Some(origin.clone()),
        _ => None,
    };
    let mut response = match pass {
        Err(problem) => refused(&problem),
        Ok(_) if request.method() == Method::OPTIONS => preflight(),
        Ok(_) => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if is_question(&path) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::VARY, HeaderValue::from_static("origin"));
    }
    if is_picture(&path) {
        headers.insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    }
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    shared.metrics.answered(&path, response.status().as_u16(), begun.elapsed());
    response
}

/// The pages that may show an answer
/// (<https://fetch.spec.whatwg.org/#cross-origin-resource-policy-header>).
const RESOURCE_POLICY: header::HeaderName =
    header::HeaderName::from_static("cross-origin-resource-policy");

/// Whether the address belongs to a question, not to a file of the page.
fn is_question(path: &str) -> bool {
    path.starts_with("/v1/") || Route::of(path).is_some()
}

/// Whether pages of any origin may show the answer of this route.
fn is_picture(path: &str) -> bool {
    path == "/v1/board.svg"
}

/// The answer to a browser that asks whether a page may ask.
fn preflight() -> Response {
    let headers = [
        (header::ALLOW, "GET, HEAD, POST, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type, last-event-id"),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

fn admit(shared: &ServerState, request: &Request, now: Instant) -> Result<Pass, Problem> {
    well_formed(request.uri(), request.version(), request.headers())
        .map_err(|detail| Problem::new(ProblemKind::BadRequest, detail))?;
    let forbidden = |detail: String| Problem::new(ProblemKind::ForbiddenOrigin, detail);
    let pass = match shared.access.check(request.headers()) {
        Ok(pass) => pass,
        Err(Refusal::Host(host)) => {
            let host: String = host.chars().take(60).collect();
            return Err(forbidden(format!("this server is not called '{host}': see --allow-host")));
        }
        // The page itself may be linked to from anywhere.
        Err(Refusal::Origin(_)) if !is_question(request.uri().path()) => Pass::Own,
        // Pictures may be shown likewise: they cost little and contain only what was asked for.
        Err(Refusal::Origin(_)) if is_picture(request.uri().path()) => Pass::Own,
        Err(Refusal::Origin(origin)) => {
            let origin: String = origin.chars().take(60).collect();
            return Err(forbidden(format!(
                "pages of another origin ({origin}) may not ask: see --allow-origin"
            )));
        }
    };
    if request.uri().query().is_some_and(|query| query.len() > MAX_QUERY) {
        let detail = format!("the query is longer than {MAX_QUERY} bytes");
        return Err(Problem::new(ProblemKind::TooLong, detail));
    }
    let is_file = files::is_file(shared.site, request.method(), request.uri().path());
    let rate = if is_file { &shared.file_rate } else { &shared.rate };
    if let Some(&Client(address)) = request.extensions().get::<Client>()
        && let Err(wait) = rate.take(address, now)
    {
        let seconds = wait.as_secs_f64().ceil().max(1.0);
        let detail = format!("too many requests: wait {seconds} s");
        return Err(Problem::new(ProblemKind::TooManyRequests, detail));
    }
    Ok(pass)
}

/// A Hub session over a WebSocket.
async fn session(State(shared): State<Arc<ServerState>>, request: Request) -> Response {
    hub::open(shared, request).await.unwrap_or_else(|problem| refused(&problem))
}

async fn metrics(State(shared): State<Arc<ServerState>>) -> Response {
    let places = [
        ("connections", "Open connections.", shared.connections.taken()),
        ("searches", "Searches that run.", shared.places.running()),
    ];
    let running = [&places[..], &shared.threads.running()].concat();
    let mut response = text(shared.metrics.to_text(&running));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Answers a request of one of the [`ROUTES`].
async fn handle(
    shared: Arc<ServerState>,
    route: &'static Route,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default();
    let query: Vec<(String, String)> =
        form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let client = parts.extensions.get::<Client>().copied();
    let body = if route.takes.is_empty() {
        Bytes::new()
    } else {
        check_media_type(&parts.headers, route.takes)?;
        let body = read(body, &parts, &shared).await?;
        match charset(&parts.headers, shared.encoding)? {
            None => body,
            encoding => decode(encoding, &body).into(),
        }
    };
    match route.work {
        Work::Analyse => return search::analysis(shared, route, &query, &parts).await,
        Work::Play => return search::play(shared, route, &query).await.map(reply),
        Work::Answer(_) | Work::Write(_) => {}
    }
    if QUICK.contains(&route.path) {
        return answer(&shared.desk, route, &query, &body).map(reply);
    }
    work::answer(shared, route, query, body, client).await
}

/// Routes whose answers take microseconds: the way to another thread and back would cost more.
const QUICK: [&str; 5] = ["/v1/server", "/v1/legal", "/v1/fen", "/v1/probe", "/v1/book"];

fn check_media_type(headers: &HeaderMap, expected: &[&str]) -> Result<(), Problem> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let given = given.unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    if expected.iter().any(|expected| essence.eq_ignore_ascii_case(expected)) {
        return Ok(());
    }
    let detail = format!("Content-Type: expected {}", expected.join(" or "));
    Err(Problem::new(ProblemKind::MediaType, detail))
}

/// The encoding of a body that is neither JSON nor, by its own word, UTF-8: the usual one, unless the
/// body has a `charset`.
fn charset(headers: &HeaderMap, usual: Option<Encoding>) -> Result<Option<Encoding>, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let mut parts = kind.unwrap_or_default().split(';').map(str::trim);
    if parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
        return Ok(None);
    }
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    let Some(charset) = charset else { return Ok(usual) };
    let encoding: Encoding = charset
        .parse()
        .map_err(|error| Problem::new(ProblemKind::MediaType, format!("Content-Type: {error}")))?;
    Ok(Some(encoding).filter(|encoding| *encoding != Encoding::UTF_8))
}

/// The body of a request, from this machine or another one.
pub(super) async fn read(
    mut body: Body,
    Parts { headers, extensions, .. }: &Parts,
    shared: &ServerState,
) -> Result<Bytes, Problem> {
    for (name, plain) in
        [(header::CONTENT_ENCODING, "identity"), (header::TRANSFER_ENCODING, "chunked")]
    {
        let mut codings = headers.get_all(&name).iter().map(HeaderValue::as_bytes);
        if let Some(coding) = codings.find(|coding| !coding.eq_ignore_ascii_case(plain.as_bytes()))
        {
            let coding = coding.escape_ascii();
            let detail = format!("{name}: '{coding}' is not read, send the body as it is");
            return Err(Problem::new(ProblemKind::MediaType, detail));
        }
    }
    let is_here = extensions.get::<Client>().is_some_and(|client| client.is_here());
    let most = match shared.desk.limits.max_body_bytes {
        most if is_here || shared.has_one_body_limit => most,
        most => most.min(ServerOptions::FOREIGN_BODY),
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let announced = announced.and_then(|text| text.parse::<u64>().ok());
    let too_large = |length: u64| Problem::new(ProblemKind::TooLarge, advice(length, most));
    if let Some(length) = announced.filter(|&length| length > most as u64) {
        return Err(too_large(length));
    }
    let begun = tokio::time::Instant::now() + shared.patience;
    let mut bytes = Vec::with_capacity(announced.unwrap_or(0) as usize);
    loop {
        let deadline = begun + time_for(bytes.len());
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let frame = match timeout_at(deadline, frame).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok(bytes.into()),
            Ok(Some(Err(_))) => {
                let detail = "the body is cut off, or its chunks are malformed";
                return Err(Problem::new(ProblemKind::BadRequest, detail));
            }
            Err(_) => return Err(Problem::new(ProblemKind::Timeout, "the body did not come")),
        };
        // Other frames are headers that come last.
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > most {
            return Err(too_large((bytes.len() + data.len()) as u64));
        }
        bytes.extend_from_slice(&data);
    }
}

/// What to do about a body that has this many bytes or more, where `most` are allowed.
fn advice(length: u64, most: usize) -> String {
    let mib = length.div_ceil(1 << 20);
    let most = most as f64 / f64::from(1 << 20);
    format!(
        "{mib} MiB or more, and this server takes {most} MiB: 'meerslag serve --body {mib}' takes \
         more, or send fewer games at a time"
    )
}

/// An answer as a response.
pub(super) fn reply(Reply { media_type, text }: Reply) -> Response {
    ([(header::CONTENT_TYPE, media_type)], text).into_response()
}

/// The problems, a line each.
fn problems() -> String {
    let lines = ProblemKind::ALL
        .map(|kind| format!("{}: {} (status {})\n", kind.name(), kind.title(), kind.status()));
    lines.concat()
}

pub(super) fn json(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

fn text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
