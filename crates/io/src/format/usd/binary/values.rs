//! Values of a binary layer: a word each, with the type, and the value or where it is.

use super::integers::{integers, long_integers};
use super::tables::{Problem, Tables, long};

/// Shorter lists of integers are never packed.
const LEAST_PACKED: usize = 16;

/// A word that stands for a value.
#[derive(Clone, Copy, Debug)]
pub struct Word(pub u64);

impl Word {
    fn is_array(self) -> bool {
        self.0 >> 63 & 1 == 1
    }

    /// The value is in the word.
    fn is_inline(self) -> bool {
        self.0 >> 62 & 1 == 1
    }

    fn is_packed(self) -> bool {
        self.0 >> 61 & 1 == 1
    }

    pub fn kind(self) -> u8 {
        (self.0 >> 48) as u8
    }

    /// The value, or its place in the file.
    fn payload(self) -> u64 {
        self.0 & 0xffff_ffff_ffff
    }
}

/// Types by their numbers.
const STRING: u8 = 10;
const TOKEN: u8 = 11;
const TOKENS: u8 = 41;
pub const SAMPLES: u8 = 46;
const DOUBLES: u8 = 48;
pub const BLOCKED: u8 = 51;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    U8,
    I32,
    U32,
    I64,
    U64,
    Half,
    Single,
    Double,
}

impl Scalar {
    fn size(self) -> usize {
        match self {
            Scalar::U8 => 1,
            Scalar::Half => 2,
            Scalar::I32 | Scalar::U32 | Scalar::Single => 4,
            Scalar::I64 | Scalar::U64 | Scalar::Double => 8,
        }
    }

    fn of(self, bytes: &[u8]) -> f64 {
        let word = bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
        match self {
            Scalar::U8 | Scalar::U32 => word as f64,
            Scalar::I32 => f64::from(word as u32 as i32),
            Scalar::I64 => word as i64 as f64,
            Scalar::U64 => word as f64,
            Scalar::Half => half(word as u16),
            Scalar::Single => f64::from(f32::from_bits(word as u32)),
            Scalar::Double => f64::from_bits(word),
        }
    }
}

/// What a type consists of; `None` for all that are not numbers.
fn parts(kind: u8) -> Option<(Scalar, usize)> {
    Some(match kind {
        1 | 2 => (Scalar::U8, 1),
        3 | 42..=44 => (Scalar::I32, 1),
        4 => (Scalar::U32, 1),
        5 => (Scalar::I64, 1),
        6 => (Scalar::U64, 1),
        7 => (Scalar::Half, 1),
        8 => (Scalar::Single, 1),
        9 | 56 => (Scalar::Double, 1),
        13 => (Scalar::Double, 4),
        14 => (Scalar::Double, 9),
        15 => (Scalar::Double, 16),
        16 => (Scalar::Double, 4),
        17 => (Scalar::Single, 4),
        18 => (Scalar::Half, 4),
        19..=30 => {
            let scalar = [Scalar::Double, Scalar::Single, Scalar::Half, Scalar::I32];
            (scalar[usize::from(kind - 19) % 4], 2 + usize::from(kind - 19) / 4)
        }
        _ => return None,
    })
}

impl Tables {
    /// The numbers of a value, bounded by what the file holds.
    pub fn numbers(&self, bytes: &[u8], word: u64) -> Result<Vec<f64>, Problem> {
        let word = Word(word);
        if word.kind() == DOUBLES && !word.is_array() {
            let place = at(bytes, word)?;
            let count = checked(place.get(..8).map(long), place.len() / 8)?;
            let values = place.get(8..8 + 8 * count).ok_or_else(beyond)?;
            return Ok(values.chunks_exact(8).map(|v| Scalar::Double.of(v)).collect());
        }
        let (scalar, width) =
            parts(word.kind()).ok_or("has a value that was expected to be a number".to_owned())?;
        let mut numbers = match (word.is_array(), word.is_inline()) {
            (true, _) => self.array(bytes, word, scalar, width)?,
            (false, true) => return Ok(inline(word, scalar, width)),
            (false, false) => {
                let size = scalar.size();
                let place = at(bytes, word)?.get(..width * size).ok_or_else(beyond)?;
                place.chunks_exact(size).map(|v| scalar.of(v)).collect()
            }
        };
        if matches!(word.kind(), 16..=18) {
            // The real part comes last here, and first in text.
            numbers.chunks_exact_mut(4).for_each(|quaternion| quaternion.rotate_right(1));
        }
        Ok(numbers)
    }

    fn array(
        &self,
        bytes: &[u8],
        word: Word,
        scalar: Scalar,
        width: usize,
    ) -> Result<Vec<f64>, Problem> {
        if word.payload() == 0 {
            return Ok(Vec::new());
        }
        let (count, data) = self.counted(bytes, word)?;
        let size = scalar.size();
        if word.is_packed() && width == 1 && count >= LEAST_PACKED {
            // Faces have fewer corners than the file bytes: points are not packed.
            let count = checked(Some(count as u64), bytes.len())?;
            return packed(data, scalar, count).ok_or_else(beyond);
        }
        let whole = count.checked_mul(width * size).and_then(|size| data.get(..size));
        Ok(whole.ok_or_else(beyond)?.chunks_exact(size).map(|v| scalar.of(v)).collect())
    }

    /// How many elements an array has, and what follows.
    fn counted<'a>(&self, bytes: &'a [u8], word: Word) -> Result<(usize, &'a [u8]), Problem> {
        let mut place = at(bytes, word)?;
        if self.version < [0, 5, 0] {
            // How many dimensions: one.
            place = place.get(4..).ok_or_else(beyond)?;
        }
        let size = if self.version < [0, 7, 0] { 4 } else { 8 };
        let (count, data) = place.split_at_checked(size).ok_or_else(beyond)?;
        Ok((usize::try_from(Scalar::U64.of(count) as u64).map_err(|_| beyond())?, data))
    }

    /// The tokens or strings of a value.
    pub fn strings(&self, bytes: &[u8], word: u64) -> Option<Vec<String>> {
        let word = Word(word);
        let name = |number: u32| match word.kind() {
            STRING => self.token(*self.strings.get(number as usize)?).to_owned().into(),
            _ => Some(self.token(number).to_owned()),
        };
        let list = match (word.kind(), word.is_array()) {
            (STRING | TOKEN, false) => return Some(vec![name(word.payload() as u32)?]),
            (STRING | TOKEN, true) if word.payload() == 0 => return Some(Vec::new()),
            (STRING | TOKEN, true) => {
                let (count, data) = self.counted(bytes, word).ok()?;
                data.get(..count.checked_mul(4)?)?
            }
            (TOKENS, false) => {
                let place = at(bytes, word).ok()?;
                let count = usize::try_from(long(place.get(..8)?)).ok()?;
                place.get(8..)?.get(..count.checked_mul(4)?)?
            }
            _ => return None,
        };
        list.chunks_exact(4).map(|w| name(u32::from_le_bytes([w[0], w[1], w[2], w[3]]))).collect()
    }

    /// Times and values of samples; at most `most` of them.
    pub fn samples(
        &self,
        bytes: &[u8],
        word: u64,
        most: usize,
    ) -> Result<Vec<(f64, u64)>, Problem> {
        // Twice: how far it is from here to what is meant, past what that refers to.
        let jump = |place: usize| -> Option<usize> {
            let far = long(bytes.get(place..place.checked_add(8)?)?);
            place.checked_add(usize::try_from(far).ok()?)
        };
        let start = usize::try_from(Word(word).payload()).map_err(|_| beyond())?;
        let times = jump(start).ok_or_else(beyond)?;
        let after = times.checked_add(8).ok_or_else(beyond)?;
        let times = self.numbers(bytes, long(bytes.get(times..after).ok_or_else(beyond)?))?;
        let values = jump(after).and_then(|place| bytes.get(place..)).ok_or_else(beyond)?;
        let count = checked(values.get(..8).map(long), most)?;
        let words = values.get(8..8 + 8 * count).ok_or_else(beyond)?;
        Ok(times.into_iter().zip(words.chunks_exact(8).map(long)).collect())
    }
}

fn beyond() -> Problem {
    "has a value that reaches beyond its end".to_owned()
}

fn checked(count: Option<u64>, most: usize) -> Result<usize, Problem> {
    let count = count.ok_or_else(beyond)?;
    let fits = usize::try_from(count).ok().filter(|&count| count <= most);
    fits.ok_or_else(|| format!("has a list of {count} entries, more than the file can hold"))
}

/// Where the value is, and all that follows.
fn at(bytes: &[u8], word: Word) -> Result<&[u8], Problem> {
    let place = usize::try_from(word.payload()).ok().and_then(|place| bytes.get(place..));
    place.ok_or_else(beyond)
}

/// A value small enough for its word: whole numbers of a byte, for vectors and the diagonals of
/// matrices; numbers of 64 bits by those of 32.
fn inline(word: Word, scalar: Scalar, width: usize) -> Vec<f64> {
    let low = word.payload() as u32;
    let byte = |k: usize| f64::from((word.payload() >> (8 * k)) as u8 as i8);
    match (word.kind(), width) {
        (13..=15, _) => {
            let side = [2, 3, 4][usize::from(word.kind() - 13)];
            (0..width)
                .map(|k| if k % (side + 1) == 0 { byte(k / (side + 1)) } else { 0.0 })
                .collect()
        }
        (_, 1) => vec![match scalar {
            Scalar::I64 => f64::from(low as i32),
            Scalar::U64 => f64::from(low),
            Scalar::Double => f64::from(f32::from_bits(low)),
            Scalar::U8 => f64::from(low as u8),
            other => other.of(&low.to_le_bytes()[..other.size().min(4)]),
        }],
        _ => (0..width).map(byte).collect(),
    }
}

/// A packed array: integers, or numbers that are integers, or that are taken from a list.
fn packed(data: &[u8], scalar: Scalar, count: usize) -> Option<Vec<f64>> {
    let sized = |data: &[u8]| -> Option<std::ops::Range<usize>> {
        let size = usize::try_from(long(data.get(..8)?)).ok()?;
        Some(8..8usize.checked_add(size)?)
    };
    match scalar {
        Scalar::I32 => {
            let values = integers(data.get(sized(data)?)?, count)?;
            Some(values.into_iter().map(f64::from).collect())
        }
        Scalar::U32 => {
            let values = integers(data.get(sized(data)?)?, count)?;
            Some(values.into_iter().map(|v| f64::from(v as u32)).collect())
        }
        Scalar::I64 => {
            let values = long_integers(data.get(sized(data)?)?, count)?;
            Some(values.into_iter().map(|v| v as f64).collect())
        }
        Scalar::U64 => {
            let values = long_integers(data.get(sized(data)?)?, count)?;
            Some(values.into_iter().map(|v| v as u64 as f64).collect())
        }
        Scalar::U8 => None,
        Scalar::Half | Scalar::Single | Scalar::Double => match data.split_first()? {
            (b'i', data) => {
                let values = integers(data.get(sized(data)?)?, count)?;
                Some(values.into_iter().map(f64::from).collect())
            }
            (b't', data) => {
                let (length, data) = data.split_first_chunk::<4>()?;
                let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
                let list = data.get(..length.checked_mul(scalar.size())?)?;
                let data = &data[list.len()..];
                let numbers = integers(data.get(sized(data)?)?, count)?;
                let value = |number: i32| {
                    let start = usize::try_from(number).ok()?.checked_mul(scalar.size())?;
                    Some(scalar.of(list.get(start..start + scalar.size())?))
                };
                numbers.into_iter().map(value).collect()
            }
            _ => None,
        },
    }
}

/// A number of half precision.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * (-24f64).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
    }
}
