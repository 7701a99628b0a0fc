//! Permits for work at the same time, with a share for each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::household;

/// Addresses that are remembered; those without work are forgotten first.
const MAX_ADDRESSES: usize = 1_000;

/// The permits.
pub(super) struct Permits {
    count: usize,
    free: Arc<Semaphore>,
    /// How many more may wait for a permit.
    queue: Semaphore,
    share: usize,
    shares: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

/// A permit, and one of the address's share; both are free again when this is dropped.
pub(super) struct Permit {
    _permit: OwnedSemaphorePermit,
    _share: Option<OwnedSemaphorePermit>,
}

impl Permits {
    /// `share` of the `count` permits may be taken by one address, and `queue` may wait.
    pub(super) fn new(count: usize, share: usize, queue: usize) -> Permits {
        let (free, queue) = (Arc::new(Semaphore::new(count)), Semaphore::new(queue));
        Permits { count, free, queue, share, shares: Mutex::default() }
    }

    /// How many are taken.
    pub(super) fn taken(&self) -> usize {
        self.count - self.free.available_permits()
    }

    /// Takes a permit, or waits for one; `None` if too many wait already. Without an address it may be
    /// any.
    pub(super) async fn take(&self, address: Option<IpAddr>) -> Option<Permit> {
        let share = address.map(|address| self.share_of(address));
        let mine = share.clone().map(Semaphore::try_acquire_owned).transpose();
        // Waiting for an address's own share does not block others.
        if let (Ok(share), Ok(permit)) = (mine, Arc::clone(&self.free).try_acquire_owned()) {
            return Some(Permit { _permit: permit, _share: share });
        }
        let _waits = self.queue.try_acquire().ok()?;
        let share = match share {
            Some(share) => Some(share.acquire_owned().await.ok()?),
            None => None,
        };
        let permit = Arc::clone(&self.free).acquire_owned().await.ok()?;
        Some(Permit { _permit: permit, _share: share })
    }

    fn share_of(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut shares = self.shares.lock();
        if shares.len() >= MAX_ADDRESSES {
            shares.retain(|_, share| Arc::strong_count(share) > 1);
        }
        let share = shares
            .entry(household(address))
            .or_insert_with(|| Arc::new(Semaphore::new(self.share)));
        Arc::clone(share)
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::net::Ipv4Addr;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn now(permits: &Permits, address: u8) -> Poll<Option<Permit>> {
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, address));
        pin!(permits.take(Some(address))).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn one_address_takes_its_share_and_leaves_the_rest() {
        let permits = Permits::new(4, 2, 9);
        let first = [now(&permits, 1), now(&permits, 1)];
        assert!(first.iter().all(|seat| matches!(seat, Poll::Ready(Some(_)))));
        assert!(now(&permits, 1).is_pending());
        let others = [now(&permits, 2), now(&permits, 3)];
        assert!(others.iter().all(Poll::is_ready));
        assert_eq!(permits.taken(), 4);
        assert!(now(&permits, 4).is_pending());
        drop(first);
        assert!(now(&permits, 4).is_ready() && now(&permits, 1).is_ready());
        drop(others);
        assert_eq!(permits.taken(), 0);
    }

    #[test]
    fn the_queue_has_an_end() {
        let permits = Permits::new(1, 1, 1);
        let first = now(&permits, 1);
        let address = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let mut waits = pin!(permits.take(address));
        let mut context = Context::from_waker(Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        assert!(matches!(now(&permits, 2), Poll::Ready(None)));
        drop(first);
        assert!(matches!(waits.poll(&mut context), Poll::Ready(Some(_))));
    }

    #[test]
    fn a_full_queue_of_one_address_keeps_nobody_else_out() {
        let permits = Permits::new(4, 1, 1);
        let first = now(&permits, 1);
        let address = Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)));
        let mut waits = pin!(permits.take(address));
        let mut context = Context::from_waker(Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        assert!(matches!(now(&permits, 1), Poll::Ready(None)));
        assert!(matches!(now(&permits, 2), Poll::Ready(Some(_))));
        drop(first);
        assert!(matches!(waits.poll(&mut context), Poll::Ready(Some(_))));
    }

    #[test]
    fn memory_does_not_grow_with_addresses() {
        let permits = Permits::new(1, 1, 1);
        for number in 0..3_000u32 {
            let address = IpAddr::V4(number.into());
            let mut context = Context::from_waker(Waker::noop());
            assert!(pin!(permits.take(Some(address))).poll(&mut context).is_ready());
            assert!(permits.shares.lock().len() <= MAX_ADDRESSES);
        }
    }
}
