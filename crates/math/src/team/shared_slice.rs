//! A slice that the items of a task write at different places.

use std::marker::PhantomData;

/// A slice shared by a team, where each index is written by at most one item of a task.
///
/// ```
/// use pliant_math::team::{SharedSlice, Team};
///
/// let mut squares = [0; 10];
/// let shared = SharedSlice::new(&mut squares);
/// Team::new(2).each(10, &|item, _thread| {
///     // SAFETY: every item writes its own index.
///     unsafe { *shared.at(item) = item * item }
/// });
/// assert_eq!(squares[9], 81);
/// ```
pub struct SharedSlice<'a, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

impl<T> Clone for SharedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedSlice<'_, T> {}

// SAFETY: it stands for a `&mut [T]`; that accesses do not overlap is the contract of `at`,
// `range` and whoever follows `ptr`.
unsafe impl<T: Send> Send for SharedSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// Shares a slice for as long as it is borrowed.
    pub fn new(slice: &'a mut [T]) -> Self {
        SharedSlice { start: slice.as_mut_ptr(), len: slice.len(), borrow: PhantomData }
    }

    /// Its length.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its first element, for kernels.
    #[inline(always)]
    pub fn ptr(&self) -> *mut T {
        self.start
    }

    /// The element at `index`.
    ///
    /// # Safety
    /// `index < len()`, and nobody else reads or writes this element while the reference lives.
    #[inline(always)]
    pub unsafe fn at(&self, index: usize) -> &'a mut T {
        debug_assert!(index < self.len, "index {index} of a shared slice of {}", self.len);
        // SAFETY: in bounds and exclusive, the caller says.
        unsafe { &mut *self.start.add(index) }
    }

    /// The elements `start..end`.
    ///
    /// # Safety
    /// `start <= end <= len()`, and nobody else reads or writes these elements while the
    /// reference lives.
    #[inline(always)]
    pub unsafe fn range(&self, start: usize, end: usize) -> &'a mut [T] {
        debug_assert!(start <= end && end <= self.len);
        // SAFETY: in bounds and exclusive, the caller says.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(start), end - start) }
    }
}
