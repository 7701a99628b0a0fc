//! Access control: only pages of this server, programs other than browsers, and pages that the user
//! has named may ask.
//!
//! A browser lets any page send requests to this machine. It keeps the page from *reading* the
//! answer, but that is too late where the request itself is costly, such as a search. So requests
//! of other pages are refused, by the headers that browsers add (`Origin`, `Sec-Fetch-Site`; Fetch
//! Metadata, <https://www.w3.org/TR/fetch-metadata/>). A page that has its own name point to this
//! machine (DNS rebinding) is of the same origin by those headers, but asks by that name: so the
//! `Host` must be an address, `localhost`, or a name given by the user.
//!
//! Behind a proxy all connections come from the proxy; it adds the address of its client to
//! `X-Forwarded-For`. Any client can send that header, so only entries that the user's proxies
//! wrote are believed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::{HeaderMap, HeaderValue, Uri, Version, header};

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
    /// From a page of this server, or from no page.
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

    /// Takes requests for `0.0.0.0` or `[::]`, too, of a server that listens there.
    pub(super) fn listens(mut self, address: IpAddr) -> Access {
        if address.is_unspecified() {
            self.hosts.extend(["0.0.0.0".to_owned(), "[::]".to_owned()]);
        }
        self
    }

    /// The address whose connections are limited, unless it is a proxy, which many clients share.
    pub(super) fn limited(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        (!self.proxies.contains(&peer)).then_some(peer)
    }

    /// The address of the client: the other end of the connection or, if that is a proxy, the last
    /// address in `X-Forwarded-For` that is not a proxy. Entries before it may be invented.
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

    /// Checks the headers of a request.
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
        let Some((name, _)) = host_and_port(host) else { return false };
        let is_address = ip(name).is_some_and(|ip| !ip.to_canonical().is_unspecified());
        let name = host_name(name);
        name == "localhost" || is_address || self.hosts.contains(&name)
    }
}

/// Finds malformed headers: a repeated header that may occur once, an invalid `Host` (RFC 9112,
/// 3.2), or one that differs from the host in the target.
///
/// # Errors
/// With what is wrong.
pub(super) fn well_formed(
    target: &Uri,
    version: Version,
    headers: &HeaderMap,
) -> Result<(), &'static str> {
    let single = [header::HOST, header::ORIGIN, header::CONTENT_TYPE, header::AUTHORIZATION];
    if single.iter().any(|name| headers.get_all(name).iter().nth(1).is_some()) {
        return Err("Host, Origin, Content-Type and Authorization have one line each");
    }
    let host = match headers.get(header::HOST) {
        Some(host) => host.to_str().map_err(|_| "Host is not a name")?,
        None if version < Version::HTTP_11 => return Ok(()),
        None => return Err("there is no Host"),
    };
    let here = host_and_port(host).ok_or("Host is not a name, with a port or without")?;
    let is_same = |target: &str| {
        host_and_port(target).is_some_and(|(name, port)| {
            name.eq_ignore_ascii_case(here.0) && port.unwrap_or(80) == here.1.unwrap_or(80)
        })
    };
    if target.authority().is_some_and(|target| !is_same(target.as_str())) {
        return Err("the host of the address differs from Host");
    }
    Ok(())
}

/// The name and the port of a host (RFC 9110, 7.2), if this is nothing but a host.
fn host_and_port(text: &str) -> Option<(&str, Option<u16>)> {
    let end = if text.starts_with('[') {
        text.find(']')? + 1
    } else {
        text.find(':').unwrap_or(text.len())
    };
    let (name, port) = text.split_at(end);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    if name.starts_with('[') {
        ip(name)?;
    } else if !name.chars().all(is_name) {
        return None;
    }
    match port.strip_prefix(':') {
        None => port.is_empty().then_some((name, None)),
        Some("") => Some((name, None)),
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some((name, Some(digits.parse().ok()?)))
        }
        Some(_) => None,
    }
}

/// The address that the name of a host is; one of IPv6 is in brackets.
fn ip(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => name.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

/// Checks the origin of pages that a user has given; `*` is all.
///
/// # Errors If it is not an origin, or not in the form of browsers, so that it would never match.
pub(super) fn check_origin(text: &str) -> Result<(), String> {
    if text == "*" {
        return Ok(());
    }
    let usual = usual_origin(text)
        .ok_or("is not an origin of pages, such as https://example.org, nor '*'")?;
    if usual == text.to_ascii_lowercase() {
        return Ok(());
    }
    Err(format!("is not an origin as browsers write it, such as {usual}"))
}

/// An origin as browsers write it (RFC 6454, 6.2): without a path and without the usual port.
fn usual_origin(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let (scheme, rest) = text.split_once("://").unwrap_or(("https", &text));
    let (name, port) = host_and_port(rest.split(['/', '?', '#']).next()?)?;
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    if name.is_empty()
        || !scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        || !scheme.chars().all(is_scheme)
    {
        return None;
    }
    let usual = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    let name = match ip(name) {
        Some(IpAddr::V6(ip)) => format!("[{ip}]"),
        // Browsers take a name that ends with a number for an address.
        None if name
            .trim_end_matches('.')
            .rsplit('.')
            .next()?
            .bytes()
            .all(|byte| byte.is_ascii_digit()) =>
        {
            return None;
        }
        _ => name.to_owned(),
    };
    let port = port.filter(|port| Some(*port) != usual).map(|port| format!(":{port}"));
    Some(format!("{scheme}://{name}{}", port.unwrap_or_default()))
}

/// Checks a name for this machine that a user has given.
///
/// # Errors
/// If it is not a name alone, and would never match.
pub(super) fn check_name(text: &str) -> Result<(), String> {
    let is_ip = text.parse::<IpAddr>().is_ok();
    if is_ip || host_and_port(text).is_some_and(|(name, _)| name == text && !name.is_empty()) {
        return Ok(());
    }
    let origin = usual_origin(text);
    let host = origin.as_deref().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    Err(match host.and_then(host_and_port) {
        Some((name, _)) => format!("is not a name alone: {name} is, whatever the port"),
        None => "is not a name of a machine, such as desk.example".to_owned(),
    })
}

const FORWARDED_FOR: &str = "x-forwarded-for";

/// An address in `X-Forwarded-For`, with a port or without.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))
}

/// The name of a host for comparisons: in small letters, and without the dot that may end a full
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
            &[("host", "0.0.0.0:8080")],
            &[("host", "[::]")],
            &[("host", "[::1]evil.example")],
            &[("host", "evil.example@localhost")],
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
    fn names_that_would_never_match_are_refused_with_those_that_would() {
        for good in [
            "*",
            "https://example.org",
            "HTTPS://Example.org",
            "http://localhost:3000",
            "http://[::1]:8080",
            "http://192.0.2.7",
            "https://a_b.example.",
            "https://example.org:80",
            "chrome-extension://abcdef",
        ] {
            assert_eq!(check_origin(good), Ok(()), "{good}");
        }
        for (bad, usual) in [
            ("example.org", "https://example.org"),
            ("https://example.org/", "https://example.org"),
            ("https://example.org:443", "https://example.org"),
            ("http://example.org:80", "http://example.org"),
            ("http://Example.org:080/page?x#y", "http://example.org"),
            ("https://example.org/page", "https://example.org"),
            ("https://example.org:", "https://example.org"),
            ("http://localhost:08010", "http://localhost:8010"),
            ("http://[0:0:0:0:0:0:0:1]:8080", "http://[::1]:8080"),
        ] {
            let why = check_origin(bad).unwrap_err();
            assert!(why.ends_with(&format!("such as {usual}")), "{bad}: {why}");
        }
        for none in [
            "",
            "https://",
            "https://a b",
            "https://a,https://b",
            "'self'",
            "https://a@b",
            "http://127.1",
            "https://*.example.org",
            "https://m\u{fc}ller.example",
            "https://a;b",
            "://a",
        ] {
            let why = check_origin(none).unwrap_err();
            assert!(why.contains("nor '*'"), "{none}: {why}");
        }
        for good in ["desk.example", "Desk.Example.", "desk", "192.0.2.7", "::1", "[::1]"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in [
            "desk.example:8010",
            "http://desk.example",
            "https://desk.example:8010/",
            "desk.example/",
        ] {
            let why = check_name(bad).unwrap_err();
            assert!(why.contains("alone: desk.example is"), "{bad}: {why}");
        }
        for none in ["", "*", "a b", "*.example", "a@b", "m\u{fc}ller.example", "a,b"] {
            assert!(check_name(none).unwrap_err().contains("such as desk.example"), "{none}");
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
