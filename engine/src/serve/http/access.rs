//! Who may ask: only pages of this server, programs that are no browsers, and pages that the user
//! has named.
//!
//! A browser lets any page send requests to this machine; what keeps the page from *reading* the
//! answer comes too late where the request itself costs, as a search does. So requests of other
//! pages are refused, by the headers that browsers add (`Origin`, `Sec-Fetch-Site`; Fetch Metadata,
//! <https://www.w3.org/TR/fetch-metadata/>). A page that has its own name point to this machine
//! (DNS rebinding) is of the same origin by those headers, but asks by that name: so the `Host` has
//! to be an address, `localhost`, or one that the user has named.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, header};

/// What is allowed.
#[derive(Clone, Debug)]
pub(super) struct Access {
    origins: Vec<String>,
    hosts: Vec<String>,
}

/// A request that may pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pass {
    /// From here, or from no page.
    Own,
    /// From a page of this origin, which may read the answer.
    Foreign(HeaderValue),
}

/// Why a request may not pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// It names another host.
    Host(String),
    /// It comes from a page of another origin.
    Origin(String),
}

impl Access {
    pub(super) fn new(origins: &[String], hosts: &[String]) -> Access {
        let lower = |list: &[String]| list.iter().map(|name| name.to_ascii_lowercase()).collect();
        Access { origins: lower(origins), hosts: lower(hosts) }
    }

    /// Looks at the headers of a request.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<Pass, Refusal> {
        let text = |name: header::HeaderName| {
            headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_ours(&host) {
            return Err(Refusal::Host(host));
        }
        let site = text(header::HeaderName::from_static("sec-fetch-site"));
        let origin = headers.get(header::ORIGIN);
        if let Some(origin) = origin {
            let name = String::from_utf8_lossy(origin.as_bytes()).to_ascii_lowercase();
            if is_origin_of(&name, &host) {
                return Ok(Pass::Own);
            }
            if self.origins.iter().any(|allowed| allowed == "*" || *allowed == name) {
                return Ok(Pass::Foreign(origin.clone()));
            }
            return Err(Refusal::Origin(name));
        }
        match site.as_deref() {
            None | Some("same-origin" | "none") => Ok(Pass::Own),
            Some(site) => Err(Refusal::Origin(site.to_owned())),
        }
    }

    /// Whether a `Host` names this server.
    fn is_ours(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host().to_ascii_lowercase();
        let address = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost" || address.parse::<IpAddr>().is_ok() || self.hosts.contains(&name)
    }
}

/// Whether a page of this origin comes from the server of this name.
fn is_origin_of(origin: &str, host: &str) -> bool {
    let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    own.is_some_and(|own| own.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(access: &Access, headers: &[(&'static str, &str)]) -> Result<Pass, Refusal> {
        let pairs = headers.iter().map(|(name, value)| {
            (header::HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        });
        access.check(&pairs.collect())
    }

    #[test]
    fn other_pages_are_refused() {
        let access = Access::new(&[], &[]);
        for good in [
            &[("host", "localhost:8080")][..],
            &[("host", "127.0.0.1:8080")],
            &[("host", "[::1]:8080")],
            &[("host", "192.168.0.7")],
            &[("host", "LOCALHOST:8080"), ("origin", "http://localhost:8080")],
            &[("host", "localhost:8080"), ("sec-fetch-site", "same-origin")],
            &[("host", "localhost:8080"), ("sec-fetch-site", "none")],
        ] {
            assert_eq!(check(&access, good), Ok(Pass::Own), "{good:?}");
        }
        for bad in [
            &[][..],
            &[("host", "")],
            &[("host", "evil.example:8080")],
            &[("host", "evil.example:8080"), ("origin", "http://evil.example:8080")],
            &[("host", "localhost.evil.example")],
            &[("host", "a b")],
            &[("host", "localhost:8080"), ("origin", "http://evil.example")],
            &[("host", "localhost:8080"), ("origin", "null")],
            &[("host", "localhost:8080"), ("origin", "http://localhost:3000")],
            &[("host", "localhost:8080"), ("origin", "ftp://localhost:8080")],
            &[("host", "localhost:8080"), ("sec-fetch-site", "cross-site")],
            &[("host", "localhost:8080"), ("sec-fetch-site", "same-site")],
        ] {
            assert!(check(&access, bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn unless_the_user_has_named_them() {
        let access = Access::new(&["https://a.example".to_owned()], &["desk.example".to_owned()]);
        let foreign = [("host", "desk.example"), ("origin", "https://a.example")];
        assert_eq!(
            check(&access, &foreign),
            Ok(Pass::Foreign(HeaderValue::from_static("https://a.example")))
        );
        assert!(
            check(&access, &[("host", "desk.example"), ("origin", "https://b.example")]).is_err()
        );
        // An image of that page sends no origin: it stays out.
        let image = [("host", "desk.example"), ("sec-fetch-site", "cross-site")];
        assert!(check(&access, &image).is_err());
        let all = Access::new(&["*".to_owned()], &[]);
        assert!(check(&all, &[("host", "localhost"), ("origin", "https://b.example")]).is_ok());
    }
}
