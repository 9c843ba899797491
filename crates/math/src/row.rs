//! Vertex quantities as rows of four numbers, on 64-byte boundaries.
//!
//! A row is one aligned vector load, and two rows share a cache line exactly: gathers and
//! scatters of vertices become plain loads followed by in-register transposes.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Add, Deref, DerefMut, Mul, Sub};
use std::ptr::NonNull;

use glam::DVec3;

/// A scalar of a row: `f64` for states and gradients, `f32` for preconditioners.
pub trait Real: Copy + Send + Sync + Default + PartialOrd + 'static {
    /// Rounds from double precision.
    fn of(value: f64) -> Self;
    /// Widens to double precision.
    fn widen(self) -> f64;
}

impl Real for f64 {
    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
}

impl Real for f32 {
    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }
}

/// x, y, z of a vertex and a zero that pads it to a power of two.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Row<E = f64>(pub [E; 4]);

impl<E: Real> Row<E> {
    /// The row of all zeros.
    pub fn zero() -> Self {
        Row([E::default(); 4])
    }
}

impl Row<f64> {
    /// A row from three components.
    #[inline(always)]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Row([x, y, z, 0.0])
    }
    /// The three components.
    #[inline(always)]
    pub const fn xyz(self) -> DVec3 {
        DVec3::new(self.0[0], self.0[1], self.0[2])
    }
}

/// Component-wise arithmetic, the padding included: rows are added and scaled in one instruction.
impl Row<f64> {
    /// Component-wise product, to be summed up later.
    #[inline(always)]
    pub fn times(self, o: Row) -> Row {
        Row(std::array::from_fn(|c| self.0[c] * o.0[c]))
    }
    /// self + factor · o.
    #[inline(always)]
    pub fn plus_scaled(self, factor: f64, o: Row) -> Row {
        Row(std::array::from_fn(|c| o.0[c].mul_add(factor, self.0[c])))
    }
    /// The sum of the components.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        (self.0[0] + self.0[1]) + (self.0[2] + self.0[3])
    }
    /// Rounds to single precision.
    #[inline(always)]
    pub fn narrow(self) -> Row<f32> {
        Row(self.0.map(|v| v as f32))
    }
}

impl Row<f32> {
    /// Widens to double precision.
    #[inline(always)]
    pub fn widen(self) -> Row {
        Row(self.0.map(f64::from))
    }
}

impl Add for Row<f64> {
    type Output = Row;
    #[inline(always)]
    fn add(self, o: Row) -> Row {
        Row(std::array::from_fn(|c| self.0[c] + o.0[c]))
    }
}

impl Sub for Row<f64> {
    type Output = Row;
    #[inline(always)]
    fn sub(self, o: Row) -> Row {
        Row(std::array::from_fn(|c| self.0[c] - o.0[c]))
    }
}

impl Mul<f64> for Row<f64> {
    type Output = Row;
    #[inline(always)]
    fn mul(self, factor: f64) -> Row {
        Row(self.0.map(|v| v * factor))
    }
}

impl From<DVec3> for Row<f64> {
    #[inline(always)]
    fn from(v: DVec3) -> Self {
        Row([v.x, v.y, v.z, 0.0])
    }
}

const ALIGNMENT: usize = 64;

/// A fixed-length array on a 64-byte boundary.
///
/// ```
/// use pliant_math::{Buffer, Row};
/// let mut rows = Buffer::<Row>::zeroed(3);
/// rows[1] = Row::new(1.0, 2.0, 3.0);
/// assert_eq!(rows.as_ptr() as usize % 64, 0);
/// assert_eq!(rows[1].xyz().z, 3.0);
/// ```
pub struct Buffer<T: Copy> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: a Buffer owns its memory like a Vec does.
unsafe impl<T: Copy + Send> Send for Buffer<T> {}
// SAFETY: shared access only hands out `&T`.
unsafe impl<T: Copy + Sync> Sync for Buffer<T> {}

/// Types for which all-zero bytes are a value: what [`Buffer::zeroed`] may hold.
///
/// # Safety
/// The all-zero bit pattern must be a valid value of the type.
pub unsafe trait Zeroable: Copy {}
// SAFETY: zero bytes are the number 0 (and rows of it).
unsafe impl Zeroable for f64 {}
// SAFETY: as above.
unsafe impl Zeroable for f32 {}
// SAFETY: as above.
unsafe impl Zeroable for u16 {}
// SAFETY: as above.
unsafe impl Zeroable for u32 {}
// SAFETY: as above.
unsafe impl<E: Real> Zeroable for Row<E> {}

impl<T: Zeroable> Buffer<T> {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> Self {
        let layout = layout::<T>(len);
        // SAFETY: the layout has a non-zero size; all-zero bytes are valid values of T.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }.cast::<T>())
            .unwrap_or_else(|| handle_alloc_error(layout));
        Buffer { start, len }
    }
}

impl<T: Zeroable> From<&[T]> for Buffer<T> {
    fn from(values: &[T]) -> Self {
        let mut buffer = Buffer::zeroed(values.len());
        buffer.copy_from_slice(values);
        buffer
    }
}

impl<T: Zeroable> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Buffer::from(&self[..])
    }
}

fn layout<T>(len: usize) -> Layout {
    let bytes = len.checked_mul(size_of::<T>()).expect("buffer length overflows").max(ALIGNMENT);
    Layout::from_size_align(bytes, ALIGNMENT).expect("buffer length overflows")
}

impl<T: Copy> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with the same layout in `zeroed`.
        unsafe { dealloc(self.start.as_ptr().cast(), layout::<T>(self.len)) }
    }
}

impl<T: Copy> Deref for Buffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `len` initialised values, owned by self.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Copy> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and self is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Copy + std::fmt::Debug> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
