//! `.usdz`: a ZIP archive whose files are stored as they are. The first one is the layer.

use std::path::Path;

use crate::error::{IoError, Place};

/// How an archive starts.
pub const MAGIC: &[u8] = b"PK\x03\x04";

/// Bytes before the name of a file.
const HEADER: usize = 30;

/// Leaves only the first file of the archive.
pub fn keep_layer(path: &Path, bytes: &mut Vec<u8>) -> Result<(), IoError> {
    let fail = |problem: &str| {
        let (path, place, problem) = (path.to_owned(), Place::Byte(0), problem.to_owned());
        Err(IoError::Syntax { path, place, problem })
    };
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return fail("expected the header of a file, found the end");
    };
    let short = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let (flags, method, size) = (short(6), short(8), short(18) | short(20) << 16);
    if method != 0 || flags & 0b1001 != 0 {
        return fail("expected a file that is stored as it is, found it compressed or encrypted");
    }
    let start = HEADER + short(26) + short(28);
    if bytes.len() < start + size {
        return fail("the archive is shorter than its first file");
    }
    let name = String::from_utf8_lossy(&bytes[HEADER..HEADER + short(26)]).to_lowercase();
    if ![".usda", ".usdc", ".usd"].iter().any(|ending| name.ends_with(ending)) {
        return fail("expected the first file of the archive to be a layer: .usdc, .usda or .usd");
    }
    bytes.truncate(start + size);
    bytes.drain(..start);
    Ok(())
}
