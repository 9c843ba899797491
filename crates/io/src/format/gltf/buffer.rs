//! The bytes behind accessors: in memory, or in a file that is too large for it.

use crate::error::IoError;
use crate::paged::Paged;

/// A buffer of a document.
#[derive(Debug)]
pub enum Buffer {
    Memory(Vec<u8>),
    File(Paged),
}

impl Buffer {
    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        match self {
            Buffer::Memory(bytes) => bytes.len() as u64,
            Buffer::File(paged) => paged.len(),
        }
    }

    /// Up to four bytes; `None` if they are not there.
    pub fn word(&self, at: usize, size: usize) -> Option<[u8; 4]> {
        match self {
            Buffer::Memory(bytes) => {
                let mut word = [0; 4];
                word.get_mut(..size)?.copy_from_slice(bytes.get(at..at.checked_add(size)?)?);
                Some(word)
            }
            Buffer::File(paged) => paged.word(at as u64, size),
        }
    }

    /// What the disk refused since the last time.
    pub fn failure(&self) -> Option<IoError> {
        match self {
            Buffer::Memory(_) => None,
            Buffer::File(paged) => paged.failure(),
        }
    }
}
