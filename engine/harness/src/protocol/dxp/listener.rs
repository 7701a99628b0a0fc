//! How connections come about: waiting for peers, and connecting with them.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long one attempt to connect may take.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How many ports are tried when a free one is asked for.
const PORTS: usize = 20;

/// Waits for peers on all addresses of a name.
#[derive(Debug)]
pub struct Listener(Vec<TcpListener>);

impl Listener {
    /// Listens on this host, such as `localhost` (both IPv4 and IPv6) or `0.0.0.0`; port 0 takes
    /// a free one.
    ///
    /// # Errors
    /// If no address of the host can be used.
    pub fn bind(host: &str, port: u16) -> io::Result<Listener> {
        let mut addresses: Vec<SocketAddr> = Vec::new();
        for address in (host, port).to_socket_addrs()? {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        let mut attempt = 1;
        loop {
            match Listener::bind_all(&addresses) {
                // Free on the first address, and in use on another one.
                Err(error) if error.kind() == ErrorKind::AddrInUse && port == 0 => {
                    if attempt == PORTS {
                        return Err(error);
                    }
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    /// All on one port: a peer connects to the address that it finds first.
    fn bind_all(addresses: &[SocketAddr]) -> io::Result<Listener> {
        let mut listeners: Vec<TcpListener> = Vec::new();
        let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
        for &(mut address) in addresses {
            if let Some(first) = listeners.first() {
                address.set_port(first.local_addr()?.port());
            }
            match TcpListener::bind(address) {
                Ok(listener) => {
                    listener.set_nonblocking(true)?;
                    listeners.push(listener);
                }
                Err(error) if is_absent(&error) => failure = error,
                Err(error) => return Err(error),
            }
        }
        if listeners.is_empty() { Err(failure) } else { Ok(Listener(listeners)) }
    }

    /// The port.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn port(&self) -> io::Result<u16> {
        let first = self.0.first().ok_or(ErrorKind::AddrNotAvailable)?;
        Ok(first.local_addr()?.port())
    }

    /// Waits for a peer; `None` if asked to stop, or if nobody came until the deadline.
    ///
    /// # Errors
    /// If listening is not possible any more.
    pub fn accept(
        &self,
        stop: &AtomicBool,
        deadline: Option<Instant>,
    ) -> io::Result<Option<TcpStream>> {
        while !stop.load(Ordering::Relaxed) {
            for listener in &self.0 {
                match listener.accept() {
                    Ok((stream, _)) => return Ok(Some(stream)),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    // The peer was gone before we came to it.
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    Err(error) => return Err(error),
                }
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(None)
    }
}

/// Whether this machine has no such address, as without IPv6.
fn is_absent(error: &io::Error) -> bool {
    // "Address family not supported" of Linux, macOS and Windows.
    let has_no_family = matches!(error.raw_os_error(), Some(97 | 47 | 10047));
    has_no_family || matches!(error.kind(), ErrorKind::AddrNotAvailable | ErrorKind::Unsupported)
}

/// Connects to a peer, trying again for some time because it may still be loading; `None` if
/// asked to stop.
///
/// # Errors
/// The last failure.
pub fn connect(
    host: &str,
    port: u16,
    patience: Duration,
    stop: &AtomicBool,
) -> io::Result<Option<TcpStream>> {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_millis(20);
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match connect_once(host, port, deadline) {
            Ok(stream) => return Ok(Some(stream)),
            Err(error) if Instant::now() + pause > deadline => return Err(error),
            Err(_) => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(500));
            }
        }
    }
}

/// Tries each address of the host, none for long: some hosts never answer.
fn connect_once(host: &str, port: u16, deadline: Instant) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = left.clamp(Duration::from_millis(100), CONNECT_PATIENCE);
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port in use on one of the addresses is not free.
    #[test]
    fn half_a_port_is_not_enough() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let taken = TcpListener::bind(any).unwrap().local_addr().unwrap();
        let holder = TcpListener::bind(taken).unwrap();
        let other = SocketAddr::from(([127, 0, 0, 2], taken.port()));
        let Ok(free) = TcpListener::bind(other) else { return };
        drop(free);
        let error = Listener::bind_all(&[other, taken]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
        drop(holder);
        assert_eq!(Listener::bind_all(&[other, taken]).unwrap().0.len(), 2);
        // An address that nobody has (for documentation) is skipped.
        let absent = SocketAddr::from(([192, 0, 2, 1], 0));
        assert_eq!(Listener::bind_all(&[absent, any]).unwrap().0.len(), 1);
        assert!(Listener::bind_all(&[absent]).is_err());
    }
}
