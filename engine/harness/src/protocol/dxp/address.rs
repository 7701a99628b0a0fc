//! Where a peer is: `HOST:PORT`.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::DEFAULT_PORT;

/// A host and a port. As text: `localhost:27531`, `[::1]:27531`, a port alone (this machine), or
/// a host alone (the usual port).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address {
    /// Name or number, without brackets.
    pub host: String,
    /// The port; 0 for any free one where that makes sense.
    pub port: u16,
}

/// Why a text is not an address.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("address '{}': expected HOST:PORT with a port from 0 to 65535", .0.escape_default())]
pub struct ParseAddressError(String);

impl FromStr for Address {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Address, ParseAddressError> {
        let (host, port) = Address::parts(text)?;
        Ok(Address { host, port: port.unwrap_or(DEFAULT_PORT) })
    }
}

impl Address {
    /// Host and port of a text; `None` if it does not name the port.
    ///
    /// # Errors
    /// As with parsing.
    pub fn parts(text: &str) -> Result<(String, Option<u16>), ParseAddressError> {
        let error = || ParseAddressError(text.chars().take(80).collect());
        let local = || "localhost".to_owned();
        if let Ok(port) = text.parse() {
            return Ok((local(), Some(port)));
        }
        let is_v6 = |t: &str| t.split('%').next().is_some_and(|t| t.parse::<Ipv6Addr>().is_ok());
        let (host, port) = match text.strip_prefix('[').and_then(|t| t.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, rest)) => {
                let port = rest.strip_prefix(':').ok_or_else(error)?;
                (host, Some(port.parse().map_err(|_| error())?))
            }
            // Without brackets there is no telling a port from the rest.
            None if is_v6(text) => (text, None),
            None => match text.rsplit_once(':') {
                Some((host, port)) => (host, Some(port.parse().map_err(|_| error())?)),
                None => (text, None),
            },
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_:%".contains(c);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(error());
        }
        Ok((host.to_owned(), port))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl TryFrom<String> for Address {
    type Error = ParseAddressError;

    fn try_from(text: String) -> Result<Address, ParseAddressError> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_there_and_back() {
        for (text, host, port) in [
            ("localhost:1234", "localhost", 1234),
            ("10.0.0.1:0", "10.0.0.1", 0),
            ("[::1]:27532", "::1", 27532),
            ("[fe80::1%eth0]", "fe80::1%eth0", DEFAULT_PORT),
            ("draughts.example.org", "draughts.example.org", DEFAULT_PORT),
            ("::1", "::1", DEFAULT_PORT),
            ("27599", "localhost", 27599),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port));
            assert_eq!(address.to_string().parse(), Ok(address));
        }
        for text in ["", ":5", "host:", "host:x", "host:99999", "[::1", "[::1]x", "a b:5"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
