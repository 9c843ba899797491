//! Arrays of numbers of any type that VTK knows.

use crate::cursor::{Binary, Endian};

/// The type of the numbers of an array.
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
    /// By the names of the legacy format.
    pub fn from_legacy(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"char" => Scalar::I8,
            b"unsigned_char" => Scalar::U8,
            b"short" => Scalar::I16,
            b"unsigned_short" => Scalar::U16,
            b"int" | b"vtktypeint32" => Scalar::I32,
            b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
            b"long" | b"vtkidtype" | b"vtktypeint64" => Scalar::I64,
            b"unsigned_long" | b"vtktypeuint64" => Scalar::U64,
            b"float" => Scalar::F32,
            b"double" => Scalar::F64,
            _ => return None,
        })
    }

    /// By the names of the XML format.
    pub fn from_xml(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"Int8" => Scalar::I8,
            b"UInt8" => Scalar::U8,
            b"Int16" => Scalar::I16,
            b"UInt16" => Scalar::U16,
            b"Int32" => Scalar::I32,
            b"UInt32" => Scalar::U32,
            b"Int64" => Scalar::I64,
            b"UInt64" => Scalar::U64,
            b"Float32" => Scalar::F32,
            b"Float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// All numbers in the bytes, as reals.
    pub fn reals(self, bytes: &[u8], endian: Endian) -> Vec<f64> {
        let numbers = bytes.chunks_exact(self.size());
        match self {
            Scalar::F32 => numbers.map(|b| f64::from(f32::decode(b, endian))).collect(),
            Scalar::F64 => numbers.map(|b| f64::decode(b, endian)).collect(),
            _ => numbers.map(|b| self.integer(b, endian) as f64).collect(),
        }
    }

    /// All numbers in the bytes, as indices; `None` when the type is real or one is negative.
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
