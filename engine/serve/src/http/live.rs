//! A program shows its work in progress: texts that replace each other, for any number of
//! spectators, and one who may send it commands.
//!
//! The program leaves each text here once and continues its work. Each spectator is sent the newest
//! one after reading the last; those in between are never sent, so a slow spectator delays nobody.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use tokio::sync::{mpsc, watch};
use tokio::task;

use super::routes::{guard, json, read, wrong_method};
use super::{ServerState, events, files};
use crate::{Problem, ProblemKind};

/// Events that wait for a spectator.
const MAX_WAITING: usize = 2;
/// The most bytes of a command.
const LONGEST_LINE: usize = 1000;

/// A text of a kind.
#[derive(Clone, Debug)]
struct EventText {
    name: &'static str,
    /// Grows with each new text.
    version: u64,
    json: Bytes,
    /// As an event.
    event: Bytes,
}

/// The newest text of each kind.
#[derive(Clone, Debug)]
pub struct Shown(watch::Sender<Arc<Vec<EventText>>>);

impl Shown {
    /// Kinds of texts, all still empty objects.
    #[must_use]
    pub fn new(names: &[&'static str]) -> Shown {
        let text = |&name: &&'static str| EventText {
            name,
            version: 0,
            json: Bytes::from_static(b"{}"),
            event: events::line(name, None, "{}"),
        };
        Shown(watch::Sender::new(Arc::new(names.iter().map(text).collect())))
    }

    /// Shows a JSON text, in one line, in place of the last one of its kind.
    pub fn show(&self, name: &str, json: &str) {
        self.0.send_if_modified(|texts| {
            let texts = Arc::make_mut(texts);
            let Some(text) = texts.iter_mut().find(|text| text.name == name) else { return false };
            text.version += 1;
            text.json = Bytes::copy_from_slice(json.as_bytes());
            text.event = events::line(name, None, json);
            true
        });
    }

    /// How many spectators follow the events.
    #[must_use]
    pub fn spectators(&self) -> usize {
        self.0.receiver_count()
    }
}

/// Takes one line, and returns its effect, or why it had none.
pub type Hears = dyn Fn(&str) -> Result<String, String> + Send + Sync;

/// Answers a question with this name and body as JSON, or says why it does not.
pub type Answers = dyn Fn(&str, &str) -> Result<String, String> + Send + Sync;

/// What a program shows, and the listener for commands.
pub struct Live {
    /// The texts shown.
    pub shown: Shown,
    /// The token of the one who may send commands.
    pub token: String,
    /// The listener.
    pub hears: Box<Hears>,
    /// What answers the questions of the one who may send commands.
    pub answers: Box<Answers>,
}

/// The routes for spectators and for commands.
pub(super) fn router(shared: &Arc<ServerState>, live: Live) -> Router {
    let live = Arc::new(live);
    let follow = {
        let (shown, stop) = (live.shown.clone(), shared.stop.clone());
        move |request: Request| async move {
            let (sender, receiver) = mpsc::channel(MAX_WAITING);
            tokio::spawn(pass_on(shown.0.subscribe(), sender, stop));
            events::stream(receiver, request.extensions().get().cloned(), ())
        }
    };
    let show = {
        let shown = live.shown.clone();
        move |Path(name): Path<String>| async move {
            let texts = shown.0.borrow().clone();
            match texts.iter().find(|text| text.name == name) {
                Some(text) => json(text.json.clone()),
                None => super::refusal::refused(&Problem::new(
                    ProblemKind::NotFound,
                    "nothing of this kind is shown",
                )),
            }
        }
    };
    let say = {
        let live = Arc::clone(&live);
        move |State(shared): State<Arc<ServerState>>, request: Request| async move {
            let said = send_command(shared, live, request).await;
            said.unwrap_or_else(|problem| super::refusal::refused(&problem))
        }
    };
    let question = move |State(shared): State<Arc<ServerState>>,
                         Path(name): Path<String>,
                         request: Request| async move {
        let answer = ask(shared, live, name, request).await;
        answer.unwrap_or_else(|problem| super::refusal::refused(&problem))
    };
    Router::new()
        .route("/health", get(|| async { json("{\"status\":\"ok\"}") }))
        .route("/v1/live", get(follow))
        .route("/v1/live/{name}", get(show))
        .route("/v1/director", post(say))
        .route("/v1/director/{question}", post(question))
        .fallback(files::get)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(shared), guard))
        .with_state(Arc::clone(shared))
}

/// Sends a spectator the newest texts, until the spectator or the program goes.
async fn pass_on(
    mut texts: watch::Receiver<Arc<Vec<EventText>>>,
    sender: mpsc::Sender<Bytes>,
    mut stop: watch::Receiver<bool>,
) {
    let mut sent: Vec<Option<u64>> = Vec::new();
    let mut is_last = false;
    loop {
        let newest = texts.borrow_and_update().clone();
        sent.resize(newest.len(), None);
        for (text, sent) in newest.iter().zip(&mut sent) {
            if *sent != Some(text.version) {
                *sent = Some(text.version);
                if sender.send(text.event.clone()).await.is_err() {
                    return;
                }
            }
        }
        if is_last {
            return;
        }
        tokio::select! {
            changed = texts.changed() => if changed.is_err() {
                return;
            },
            // The last text is still sent.
            _ = stop.wait_for(|is_stopped| *is_stopped) => is_last = true,
            () = sender.closed() => return,
        }
    }
}

/// Passes on a command, if it has the token.
async fn send_command(
    shared: Arc<ServerState>,
    live: Arc<Live>,
    request: Request,
) -> Result<Response, Problem> {
    let line = text_with_token(&shared, &live, request).await?;
    if line.len() > LONGEST_LINE || line.contains(['\n', '\r']) {
        return Err(bad(format!("expected one line of {LONGEST_LINE} bytes at most")));
    }
    let text = outcome(task::spawn_blocking(move || (live.hears)(&line))).await?;
    Ok(json(serde_json::json!({ "said": text }).to_string()))
}

/// Answers a question, if it has the token.
async fn ask(
    shared: Arc<ServerState>,
    live: Arc<Live>,
    name: String,
    request: Request,
) -> Result<Response, Problem> {
    let body = text_with_token(&shared, &live, request).await?;
    outcome(task::spawn_blocking(move || (live.answers)(&name, &body))).await.map(json)
}

fn bad(detail: String) -> Problem {
    Problem::new(ProblemKind::BadParameter, detail)
}

/// The body of a request that has the token. Without it the body is not read.
async fn text_with_token(
    shared: &ServerState,
    live: &Live,
    request: Request,
) -> Result<String, Problem> {
    let (parts, body) = request.into_parts();
    if !may_speak(&parts.headers, &live.token) {
        let detail = "the token of the director is missing or wrong";
        return Err(Problem::new(ProblemKind::Unauthorized, detail));
    }
    let body = read(body, &parts, shared).await?;
    String::from_utf8(body.into()).map_err(|error| bad(error.to_string()))
}

/// The outcome of work for the director.
async fn outcome(work: task::JoinHandle<Result<String, String>>) -> Result<String, Problem> {
    let failed = |_| Problem::new(ProblemKind::Internal, "the tournament did not answer");
    work.await.map_err(failed)?.map_err(bad)
}

/// Whether a request has the token (RFC 6750, 2.1; RFC 9110, 11.4: the case of `Bearer` is free).
fn may_speak(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).map(header::HeaderValue::as_bytes);
    let given = given.and_then(|given| given.split_at_checked(b"Bearer".len()));
    let Some((_, rest)) = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Bearer")) else {
        return false;
    };
    let given = rest.trim_ascii_start();
    if given.len() == rest.len() {
        return false;
    }
    // The time does not depend on the place of the first difference.
    let differences = given.iter().zip(token.as_bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    !token.is_empty() && given.len() == token.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_opens() {
        let may = |given: Option<&'static str>, token: &str| {
            let mut headers = HeaderMap::new();
            if let Some(given) = given {
                headers.insert(header::AUTHORIZATION, given.parse().unwrap());
            }
            may_speak(&headers, token)
        };
        for good in ["Bearer secret", "bearer secret", "BEARER  secret"] {
            assert!(may(Some(good), "secret"), "{good}");
        }
        for bad in [
            None,
            Some("secret"),
            Some("Bearer secre"),
            Some("Bearer secrets"),
            Some("Bearer Secret"),
            Some("Bearersecret"),
            Some("Basic secret"),
        ] {
            assert!(!may(bad, "secret"), "{bad:?}");
        }
        assert!(!may(Some("Bearer "), ""));
    }

    #[test]
    fn a_text_replaces_the_one_of_its_kind() {
        let shown = Shown::new(&["table", "games"]);
        shown.show("games", "{\"a\":1}");
        shown.show("other", "{}");
        let texts = shown.0.borrow().clone();
        let seen: Vec<_> =
            texts.iter().map(|text| (text.name, text.version, &text.json[..])).collect();
        assert_eq!(seen, [("table", 0, &b"{}"[..]), ("games", 1, b"{\"a\":1}")]);
        assert_eq!(&texts[1].event[..], b"event: games\ndata: {\"a\":1}\n\n");
        assert_eq!(shown.spectators(), 0);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_slow_spectator_gets_the_newest_and_the_last() {
        let shown = Shown::new(&["games"]);
        let (sender, mut receiver) = mpsc::channel(1);
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(pass_on(shown.0.subscribe(), sender, stopped));
        for number in 0..100 {
            shown.show("games", &number.to_string());
            task::yield_now().await;
        }
        let mut got = vec![receiver.recv().await.unwrap()];
        stop.send(true).unwrap();
        while let Some(event) = receiver.recv().await {
            got.push(event);
        }
        task.await.unwrap();
        assert!(got.len() < 10, "{}", got.len());
        assert_eq!(&got[got.len() - 1][..], b"event: games\ndata: 99\n\n");
    }
}
