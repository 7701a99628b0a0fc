//! Figures for Prometheus, in its text format
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>).

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::super::ROUTES;

/// The upper ends of the classes of times, in seconds.
const CLASSES: [f64; 7] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0];
/// Statuses that are counted separately; others go to the last place.
const STATUSES: [u16; 16] =
    [200, 204, 304, 400, 401, 403, 404, 405, 408, 413, 414, 415, 429, 500, 503, 0];

/// The counters of a route.
#[derive(Default)]
struct Counts {
    statuses: [AtomicU64; STATUSES.len()],
    /// By class of time, the last for all that took longer.
    times: [AtomicU64; CLASSES.len() + 1],
    microseconds: AtomicU64,
}

/// All counters.
pub(super) struct Metrics {
    /// In the order of [`ROUTES`]; the last one for everything else.
    routes: Vec<Counts>,
}

impl Metrics {
    pub(super) fn new() -> Metrics {
        let routes = (0..=ROUTES.len()).map(|_| Counts::default()).collect();
        Metrics { routes }
    }

    /// An answer: of a route, or of none of them.
    pub(super) fn answered(&self, path: &str, status: u16, time: Duration) {
        let route = ROUTES.iter().position(|route| route.path == path).unwrap_or(ROUTES.len());
        let counts = &self.routes[route];
        let place = STATUSES.iter().position(|known| *known == status);
        counts.statuses[place.unwrap_or(STATUSES.len() - 1)].fetch_add(1, Relaxed);
        let seconds = time.as_secs_f64();
        let class = CLASSES.iter().position(|most| seconds <= *most).unwrap_or(CLASSES.len());
        counts.times[class].fetch_add(1, Relaxed);
        let microseconds = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        counts.microseconds.fetch_add(microseconds, Relaxed);
    }

    /// Everything as text. `running`: how many of each kind run.
    pub(super) fn to_text(&self, running: &[(&str, &str, usize)]) -> String {
        let mut text = String::from(
            "# HELP meerslag_requests_total Requests by route and status.\n\
             # TYPE meerslag_requests_total counter\n",
        );
        let names = ROUTES.iter().map(|route| route.path).chain(["other"]);
        let routes = || names.clone().zip(&self.routes);
        for (route, counts) in routes() {
            for (status, count) in STATUSES.iter().zip(&counts.statuses) {
                let count = count.load(Relaxed);
                if count > 0 {
                    let status = if *status == 0 { "other".to_owned() } else { status.to_string() };
                    let _ = writeln!(
                        text,
                        "meerslag_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
                    );
                }
            }
        }
        text.push_str(
            "# HELP meerslag_request_seconds Time from the head of a request to that of its \
             answer.\n# TYPE meerslag_request_seconds histogram\n",
        );
        for (route, counts) in routes() {
            let times: Vec<u64> = counts.times.iter().map(|count| count.load(Relaxed)).collect();
            let total: u64 = times.iter().sum();
            if total == 0 {
                continue;
            }
            let mut sum = 0;
            for (most, count) in CLASSES.iter().zip(&times) {
                sum += count;
                let _ = writeln!(
                    text,
                    "meerslag_request_seconds_bucket{{route=\"{route}\",le=\"{most}\"}} {sum}"
                );
            }
            let seconds = counts.microseconds.load(Relaxed) as f64 / 1e6;
            let _ = writeln!(
                text,
                "meerslag_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {total}\n\
                 meerslag_request_seconds_sum{{route=\"{route}\"}} {seconds}\n\
                 meerslag_request_seconds_count{{route=\"{route}\"}} {total}"
            );
        }
        for (name, about, count) in running {
            let _ = writeln!(
                text,
                "# HELP meerslag_{name} {about}\n# TYPE meerslag_{name} gauge\n\
                 meerslag_{name} {count}"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_cumulative() {
        let metrics = Metrics::new();
        for millis in [1, 3, 20_000] {
            metrics.answered("/v1/probe", 200, Duration::from_millis(millis));
        }
        metrics.answered("/nowhere", 418, Duration::from_millis(1));
        let text = metrics.to_text(&[("searches", "Searches that run.", 2)]);
        for line in [
            "meerslag_requests_total{route=\"/v1/probe\",status=\"200\"} 3",
            "meerslag_requests_total{route=\"other\",status=\"other\"} 1",
            "meerslag_request_seconds_bucket{route=\"/v1/probe\",le=\"0.001\"} 1",
            "meerslag_request_seconds_bucket{route=\"/v1/probe\",le=\"0.005\"} 2",
            "meerslag_request_seconds_bucket{route=\"/v1/probe\",le=\"10\"} 2",
            "meerslag_request_seconds_bucket{route=\"/v1/probe\",le=\"+Inf\"} 3",
            "meerslag_request_seconds_sum{route=\"/v1/probe\"} 20.004",
            "meerslag_searches 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        // Every line is a comment or a name, perhaps labels, and a number.
        for line in text.lines().filter(|line| !line.starts_with("# ")) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with("meerslag_") && value.parse::<f64>().is_ok(), "{line}");
        }
    }
}
