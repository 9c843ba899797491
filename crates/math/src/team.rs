//! A persistent team of threads that executes numbered items.
//!
//! A task is complete when all its *items* are done, not when all *threads* have arrived: a
//! thread that the system has put aside delays nobody unless it is inside an item. Every thread
//! owns a range of items, the same for every task of the same shape (its data stays in its
//! cache), and helps the others when it is through.
//!
//! Idle threads spin for roughly a millisecond, then park. Nothing is allocated per task.
//!
//! Which thread runs an item is left to chance; results are the same for any number of threads
//! as long as items are independent of each other and of the thread number.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

mod shared_slice;

pub use shared_slice::SharedSlice;

/// The most threads a team can have.
pub const MAX_THREADS: usize = 64;

/// What a task does with an item: `(item, thread)`.
type Task<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// A team of threads; the calling thread is its member 0.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use pliant_math::team::Team;
///
/// let team = Team::new(2);
/// let sum = AtomicUsize::new(0);
/// team.each(100, &|item, _thread| {
///     sum.fetch_add(item, Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 4950);
/// ```
pub struct Team {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Team {
    /// A team of `threads`, at least one and at most [`MAX_THREADS`].
    ///
    /// Where the system refuses a thread, the others do its work.
    pub fn new(threads: usize) -> Self {
        let size = threads.clamp(1, MAX_THREADS);
        let shared = Arc::new(Shared {
            ranges: (0..size).map(|_| OwnLine(Range::default())).collect(),
            ticket: OwnLine(AtomicU64::new(0)),
            done: OwnLine(AtomicUsize::new(0)),
            sleepers: OwnLine(AtomicUsize::new(0)),
            job: AtomicPtr::new(null_mut()),
            busy: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            panic: Mutex::new(None),
        });
        let threads = (1..size)
            .map_while(|member| {
                let shared = Arc::clone(&shared);
                thread::Builder::new()
                    .name(format!("team-{member}"))
                    .spawn(move || shared.serve(member))
                    .ok()
            })
            .collect();
        Team { shared, threads }
    }

    /// How many threads, the calling one included: thread numbers are below this.
    pub fn size(&self) -> usize {
        self.shared.ranges.len()
    }

    /// Runs `task(item, thread)` for every item below `count`; each thread begins with an equal
    /// share of consecutive items.
    ///
    /// A panic in an item is raised again here when the task has ended; items not yet begun are
    /// then skipped. While the team is at work, a task started on it (from inside an item, or
    /// by another thread) runs on the thread that started it, as thread 0 of its own.
    pub fn each(&self, count: usize, task: &(dyn Fn(usize, usize) + Sync)) {
        let size = self.size();
        let (share, rest) = (count / size, count % size);
        let mut bounds = [0; MAX_THREADS + 1];
        for (t, bound) in bounds[..=size].iter_mut().enumerate() {
            *bound = share * t + rest.min(t);
        }
        self.split(&bounds[..=size], task);
    }

    /// Like [`Team::each`], but items `bounds[t]..bounds[t + 1]` belong first to thread `t`.
    ///
    /// # Panics
    /// If `bounds` is not `size() + 1` ascending numbers from 0.
    pub fn split(&self, bounds: &[usize], task: &(dyn Fn(usize, usize) + Sync)) {
        assert!(
            bounds.len() == self.size() + 1 && bounds[0] == 0 && bounds.is_sorted(),
            "a task needs {} ascending bounds from 0",
            self.size() + 1
        );
        self.split_in_blocks(bounds, MAX_ITEM, task);
    }

    /// Wakes parked threads. Tasks do that by themselves; calling it a little before the first
    /// task of a step hides the time it takes.
    pub fn wake(&self) {
        for thread in &self.threads {
            thread.thread().unpark();
        }
    }

    /// Tasks of more than `limit` items are run as several.
    fn split_in_blocks(&self, bounds: &[usize], limit: usize, task: &Task) {
        let count = bounds[bounds.len() - 1];
        if count <= limit {
            return self.run(bounds, count, task);
        }
        for first in (0..count).step_by(limit) {
            self.each(limit.min(count - first), &|item, thread| task(first + item, thread));
        }
    }

    fn run(&self, bounds: &[usize], count: usize, task: &Task) {
        let shared = &*self.shared;
        let alone = self.threads.is_empty() || count < 2;
        if alone || shared.busy.compare_exchange(false, true, Acquire, Relaxed).is_err() {
            for item in 0..count {
                task(item, 0);
            }
            return;
        }
        let generation = shared.ticket.0.load(Relaxed).wrapping_add(1);
        // A reference to a wide pointer is a thin one, which fits an atomic. It is only followed
        // by threads that have claimed an item, and this frame outlives all items.
        let job: *const &Task = &task;
        shared.done.0.store(0, Relaxed);
        shared.job.store(job.cast_mut().cast(), Release);
        for (range, bound) in shared.ranges.iter().zip(bounds.windows(2)) {
            range.0.open(generation, bound[0], bound[1]);
        }
        // Sequentially consistent with `serve`: either the thread sees the ticket before it
        // parks, or it is counted here as asleep.
        shared.ticket.0.store(generation, SeqCst);
        if shared.sleepers.0.load(SeqCst) != 0 {
            self.wake();
        }
        shared.work(0, generation, None, task);
        let mut turns = 0u32;
        while shared.done.0.load(Acquire) != count {
            turns += 1;
            if turns < SPINS_BEFORE_YIELD { std::hint::spin_loop() } else { thread::yield_now() }
        }
        let panic = if shared.failed.swap(false, Acquire) {
            shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take()
        } else {
            None
        };
        shared.busy.store(false, Release);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.shared.stop.store(true, Relaxed);
        self.shared.ticket.0.fetch_add(1, SeqCst);
        self.wake();
        for thread in self.threads.drain(..) {
            // Panics of items are caught and raised where the task was started.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team").field("size", &self.size()).finish()
    }
}

/// Roughly a millisecond, depending on the processor's pause instruction.
const SPINS_BEFORE_PARK: u32 = 1 << 15;
const SPINS_BEFORE_YIELD: u32 = 2000;

/// The last item number of a range fits 32 bits; the other half of the word is the generation.
const MAX_ITEM: usize = u32::MAX as usize;

/// Keeps what different threads write on different cache lines (pairs are fetched together).
#[repr(align(128))]
struct OwnLine<T>(T);

struct Shared {
    ranges: Vec<OwnLine<Range>>,
    /// Number of the newest task.
    ticket: OwnLine<AtomicU64>,
    /// Items of the newest task that have ended.
    done: OwnLine<AtomicUsize>,
    /// Threads that are parked or about to park.
    sleepers: OwnLine<AtomicUsize>,
    job: AtomicPtr<()>,
    busy: AtomicBool,
    stop: AtomicBool,
    failed: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Shared {
    /// The life of a member other than 0.
    fn serve(&self, member: usize) {
        let (mut seen, mut idle) = (0, 0u32);
        loop {
            let generation = self.ticket.0.load(Acquire);
            if generation == seen {
                idle += 1;
                if idle < SPINS_BEFORE_PARK {
                    std::hint::spin_loop()
                } else {
                    self.sleep(seen)
                }
                continue;
            }
            (seen, idle) = (generation, 0);
            if self.stop.load(Relaxed) {
                return;
            }
            let job: *const &Task = self.job.load(Acquire).cast_const().cast();
            let size = self.ranges.len();
            let first = (0..size).find_map(|k| self.claim((member + k) % size, generation));
            if first.is_some() {
                // SAFETY: an item of this generation is claimed and not done, so its task is
                // not complete: the pointer read above is its own, and alive.
                let task: &Task = unsafe { *job };
                self.work(member, generation, first, task);
            }
        }
    }

    fn sleep(&self, seen: u64) {
        self.sleepers.0.fetch_add(1, SeqCst);
        if self.ticket.0.load(SeqCst) == seen {
            thread::park();
        }
        self.sleepers.0.fetch_sub(1, SeqCst);
    }

    fn claim(&self, range: usize, generation: u64) -> Option<usize> {
        self.ranges[range].0.claim(generation)
    }

    /// Runs `first`, then items of the member's own range, then those of the others.
    fn work(&self, member: usize, generation: u64, first: Option<usize>, task: &Task) {
        let size = self.ranges.len();
        let (mut ended, mut given, mut range) = (0, first, 0);
        let mut next = || {
            loop {
                if let Some(item) = given.take() {
                    return Some(item);
                }
                if range == size {
                    return None;
                }
                given = self.claim((member + range) % size, generation);
                range += usize::from(given.is_none());
            }
        };
        while let Some(item) = next() {
            // One frame for the whole loop; after a panic the rest is claimed but not run.
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let mut item = item;
                loop {
                    if !self.failed.load(Relaxed) {
                        task(item, member);
                    }
                    ended += 1;
                    match next() {
                        Some(another) => item = another,
                        None => return,
                    }
                }
            }));
            if let Err(panic) = outcome {
                ended += 1;
                let mut slot = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
                slot.get_or_insert(panic);
                drop(slot);
                self.failed.store(true, Release);
            }
        }
        if ended > 0 {
            self.done.0.fetch_add(ended, AcqRel);
        }
    }
}

/// Items not yet claimed. `state` is one word, generation and next item, so that a late thread
/// which still holds an old task cannot claim from a new one.
#[derive(Default)]
struct Range {
    state: AtomicU64,
    end: AtomicU64,
}

impl Range {
    /// Only called when all items of the generation before are done.
    fn open(&self, generation: u64, start: usize, end: usize) {
        // Closed first: whoever has read the old state with the new end fails to exchange it.
        self.state.store(word(generation, u32::MAX as usize), SeqCst);
        self.end.store(end as u64, SeqCst);
        self.state.store(word(generation, start), SeqCst);
    }

    fn claim(&self, generation: u64) -> Option<usize> {
        let mut state = self.state.load(Acquire);
        loop {
            let next = state & 0xffff_ffff;
            if state >> 32 != generation & 0xffff_ffff || next >= self.end.load(Acquire) {
                return None;
            }
            match self.state.compare_exchange_weak(state, state + 1, AcqRel, Acquire) {
                Ok(_) => return Some(next as usize),
                Err(now) => state = now,
            }
        }
    }
}

fn word(generation: u64, next: usize) -> u64 {
    generation << 32 | next as u64
}

#[cfg(test)]
mod tests;
