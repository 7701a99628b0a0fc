//! Access control: only pages of this server, programs other than browsers, and pages that the user
//! has named may ask.
//!
//! A browser lets any page send requests to this machine; what keeps the page from *reading* the
//! answer comes too late where the request itself costs, as a search does. So requests of other
//! pages are refused, by the headers that browsers add (`Origin`, `Sec-Fetch-Site`; Fetch Metadata,
//! <https://www.w3.org/TR/fetch-metadata/>). A page that has its own name point to this machine
//! (DNS rebinding) is of the same origin by those headers, but asks by that name: so the `Host`
//! must be an address, `localhost`, or a name given by the user.
//!
//! Behind a proxy all connections come from the proxy; it adds the address of its client to
//! `X-Forwarded-For`. Anybody can send that header, so it is believed only as far as proxies that
//! the user has named wrote it.

use std::net::{IpAddr, SocketAddr};

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, header};

/// What is allowed.
#[derive(Clone, Debug)]
pub(super) struct Access {
    origins: Vec<String>,
    hosts: Vec<String>,
    proxies: Vec<IpAddr>,
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
    pub(super) fn new(origins: &[String], hosts: &[String], proxies: &[IpAddr]) -> Access {
        let origins = origins.iter().map(|name| name.to_ascii_lowercase()).collect();
        let hosts = hosts.iter().map(|name| host_name(name)).collect();
        let proxies = proxies.iter().map(IpAddr::to_canonical).collect();
        Access { origins, hosts, proxies }
    }

    /// Whose request it is: the other end of the connection or, if that is a proxy, the last address
    /// in `X-Forwarded-For` that is none. Entries before it may be invented.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let mut steps = lines.flat_map(|line| line.as_bytes().rsplit(|&byte| byte == b','));
        while self.proxies.contains(&client) {
            let Some(step) = steps.next().and_then(address) else { break };
            client = step.to_canonical();
        }
        client
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
        let name = host_name(authority.host());
        let address = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost" || address.parse::<IpAddr>().is_ok() || self.hosts.contains(&name)
    }
}

const FORWARDED_FOR: &str = "x-forwarded-for";

/// An address in `X-Forwarded-For`, with a port or without.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))
}

/// The name of a host as it is compared: in small letters, and without the dot that may end a full
/// name (RFC 1034, 3.1).
fn host_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    name.strip_suffix('.').map(str::to_owned).unwrap_or(name)
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
        let access = Access::new(&[], &[], &[]);
        for good in [
            &[("host", "localhost:8080")][..],
            &[("host", "127.0.0.1:8080")],
            &[("host", "[::1]:8080")],
            &[("host", "192.168.0.7")],
            &[("host", "LOCALHOST:8080"), ("origin", "http://localhost:8080")],
            &[("host", "localhost:8080"), ("sec-fetch-site", "same-origin")],
            &[("host", "localhost:8080"), ("sec-fetch-site", "none")],
            &[("host", "localhost.:8080"), ("origin", "http://localhost.:8080")],
        ] {
            assert_eq!(check(&access, good), Ok(Pass::Own), "{good:?}");
        }
        for bad in [
            &[][..],
            &[("host", "")],
            &[("host", "evil.example:8080")],
            &[("host", "evil.example:8080"), ("origin", "http://evil.example:8080")],
            &[("host", "localhost.evil.example")],
            &[("host", "localhost..")],
            &[("host", ".")],
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
        let (origins, hosts) = (["https://a.example".to_owned()], ["desk.example".to_owned()]);
        let access = Access::new(&origins, &hosts, &[]);
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
        let all = Access::new(&["*".to_owned()], &[], &[]);
        assert!(check(&all, &[("host", "localhost"), ("origin", "https://b.example")]).is_ok());
        // A full name may end with a dot, in the request and in the option.
        for name in ["desk.example", "Desk.Example."] {
            let access = Access::new(&[], &[name.to_owned()], &[]);
            for host in ["desk.example", "desk.example.", "DESK.example.:8010"] {
                assert_eq!(check(&access, &[("host", host)]), Ok(Pass::Own), "{name} {host}");
            }
        }
    }

    #[test]
    fn forwarded_addresses_are_believed_of_proxies_alone() {
        let proxies = ["127.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let access = Access::new(&[], &[], &proxies);
        let client = |peer: &str, lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
            }
            access.client(peer.parse().unwrap(), &headers).to_string()
        };
        for (peer, lines, expected) in [
            // Naming oneself is optional.
            ("127.0.0.1", &[][..], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.7"], "192.0.2.7"),
            ("::ffff:127.0.0.1", &["192.0.2.7"], "192.0.2.7"),
            ("127.0.0.1", &["2001:db8::7"], "2001:db8::7"),
            ("127.0.0.1", &["[2001:db8::7]:4000"], "2001:db8::7"),
            ("127.0.0.1", &["192.0.2.7:4000"], "192.0.2.7"),
            // A client's own entries come before the proxy's.
            ("127.0.0.1", &["198.51.100.9, 192.0.2.7"], "192.0.2.7"),
            ("127.0.0.1", &["127.0.0.1, 192.0.2.7"], "192.0.2.7"),
            ("127.0.0.1", &["198.51.100.9", "192.0.2.7"], "192.0.2.7"),
            // Two proxies.
            ("127.0.0.1", &["198.51.100.9, 192.0.2.7, 10.0.0.2"], "192.0.2.7"),
            ("127.0.0.1", &["192.0.2.7", "10.0.0.2"], "192.0.2.7"),
            // Clients other than proxies are not believed, nor unreadable entries.
            ("192.0.2.7", &["198.51.100.9"], "192.0.2.7"),
            ("192.0.2.7", &["127.0.0.1"], "192.0.2.7"),
            ("127.0.0.1", &["192.0.2.7, unknown"], "127.0.0.1"),
            ("127.0.0.1", &["192.0.2.7,"], "127.0.0.1"),
        ] {
            assert_eq!(client(peer, lines), expected, "{peer} {lines:?}");
        }
    }
}
