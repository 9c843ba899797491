//! When to stop waiting for others.
//!
//! A thread that the system has put aside in the middle of an item is waited for until its next
//! slice, a few milliseconds: longer than most tasks take alone. After such a wait the caller works
//! alone, for longer each time it happens again soon; then the others are given another chance. On
//! a machine that has other things to do, a team is so hardly slower than one thread.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A wait that tells that a thread was put aside.
const LONG_WAIT: Duration = Duration::from_micros(150);
const SHORTEST_BREAK: Duration = Duration::from_millis(8);
const LONGEST_BREAK: Duration = Duration::from_millis(500);

/// Whether the others are worth waiting for. Times are in nanoseconds since `origin`.
pub(super) struct Patience {
    origin: Instant,
    /// Until when the caller works alone; 0 for no longer.
    alone_until: AtomicU64,
    /// How long the last break was, and when it ended.
    last_break: AtomicU64,
    last_end: AtomicU64,
}

impl Patience {
    pub fn new() -> Self {
        Patience {
            origin: Instant::now(),
            alone_until: AtomicU64::new(0),
            last_break: AtomicU64::new(0),
            last_end: AtomicU64::new(0),
        }
    }

    /// Whether to work alone now.
    pub fn is_lost(&self) -> bool {
        let until = self.alone_until.load(Relaxed);
        if until == 0 {
            return false;
        }
        let lost = self.now() < until;
        if !lost {
            self.alone_until.store(0, Relaxed);
        }
        lost
    }

    /// Tells of a wait for the last items, from `since` to now.
    pub fn waited(&self, since: Instant) {
        if since.elapsed() < LONG_WAIT {
            return;
        }
        let (now, last) = (self.now(), self.last_break.load(Relaxed));
        let together = now.saturating_sub(self.last_end.load(Relaxed));
        let shortest = SHORTEST_BREAK.as_nanos() as u64;
        let next = if last == 0 || together > 4 * last {
            shortest
        } else {
            (2 * last).min(LONGEST_BREAK.as_nanos() as u64)
        };
        self.last_break.store(next, Relaxed);
        self.last_end.store(now + next, Relaxed);
        self.alone_until.store(now + next, Relaxed);
    }

    fn now(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_wait_is_forgiven_and_a_long_one_is_not() {
        let patience = Patience::new();
        patience.waited(Instant::now());
        assert!(!patience.is_lost());
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_millis(3)) else { return };
        patience.waited(long_ago);
        assert!(patience.is_lost());
    }

    #[test]
    fn breaks_grow_while_waits_repeat_and_end() {
        let patience = Patience::new();
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_millis(3)) else { return };
        let lengths = [0; 8].map(|_| {
            patience.waited(long_ago);
            patience.last_break.load(Relaxed)
        });
        assert!(lengths.is_sorted() && lengths[1] == 2 * lengths[0]);
        assert_eq!(lengths[7], LONGEST_BREAK.as_nanos() as u64);
        patience.alone_until.store(1, Relaxed);
        assert!(!patience.is_lost(), "a break that is over");
    }
}
