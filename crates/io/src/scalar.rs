//! Types of numbers in binary files.

use crate::cursor::{Binary, Endian};

/// Type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Value that stands for 1 where a colour is written in whole numbers.
    pub fn full(self) -> f64 {
        match self {
            Scalar::I8 => f64::from(i8::MAX),
            Scalar::U8 => f64::from(u8::MAX),
            Scalar::I16 => f64::from(i16::MAX),
            Scalar::U16 => f64::from(u16::MAX),
            Scalar::I32 => f64::from(i32::MAX),
            Scalar::U32 => f64::from(u32::MAX),
            Scalar::I64 => i64::MAX as f64,
            Scalar::U64 => u64::MAX as f64,
            Scalar::F32 | Scalar::F64 => 1.0,
        }
    }

    /// The number in some bytes.
    pub fn real(self, bytes: &[u8], endian: Endian) -> f64 {
        match self {
            Scalar::F32 => f32::decode(bytes, endian).into(),
            Scalar::F64 => f64::decode(bytes, endian),
            _ => self.integer(bytes, endian) as f64,
        }
    }

    /// All numbers in the bytes.
    pub fn reals(self, bytes: &[u8], endian: Endian) -> Vec<f64> {
        bytes.chunks_exact(self.size()).map(|number| self.real(number, endian)).collect()
    }

    /// All numbers in the bytes, as indices; `None` if the type is real or one is negative.
    pub fn indices(self, bytes: &[u8], endian: Endian) -> Option<Vec<u64>> {
        if matches!(self, Scalar::F32 | Scalar::F64) {
            return None;
        }
        bytes
            .chunks_exact(self.size())
            .map(|b| u64::try_from(self.integer(b, endian)).ok())
            .collect()
    }

    fn integer(self, bytes: &[u8], endian: Endian) -> i128 {
        match self {
            Scalar::I8 => i8::decode(bytes, endian).into(),
            Scalar::U8 => u8::decode(bytes, endian).into(),
            Scalar::I16 => i16::decode(bytes, endian).into(),
            Scalar::U16 => u16::decode(bytes, endian).into(),
            Scalar::I32 => i32::decode(bytes, endian).into(),
            Scalar::U32 => u32::decode(bytes, endian).into(),
            Scalar::I64 => i64::decode(bytes, endian).into(),
            Scalar::U64 => u64::decode(bytes, endian).into(),
            Scalar::F32 => f32::decode(bytes, endian) as i128,
            Scalar::F64 => f64::decode(bytes, endian) as i128,
        }
    }
}
