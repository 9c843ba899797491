//! Selections kept in files: vertex ids, separated by blanks, commas or line ends.

use std::path::Path;

use crate::cursor::{parse, unexpected};
use crate::error::{IoError, Place};

/// Reads the ids of a selection file, in file order. `#` starts a comment.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ids.txt");
/// std::fs::write(&path, "# left ear\n3 4\n17\n")?;
/// assert_eq!(pliant_io::read_ids(&path)?, [3, 4, 17]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_ids(path: &Path) -> Result<Vec<u32>, IoError> {
    let bytes = std::fs::read(path).map_err(IoError::system(path, "read"))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut ids = Vec::new();
    for (index, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let text = line.split(|&b| b == b'#').next().unwrap_or_default();
        let words = text.split(|b| b.is_ascii_whitespace() || *b == b',').filter(|w| !w.is_empty());
        for word in words {
            ids.push(parse(word).ok_or_else(|| IoError::Syntax {
                path: path.to_owned(),
                place: Place::Line(index + 1),
                problem: unexpected("a vertex id", word),
            })?);
        }
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_id_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids.txt");
        std::fs::write(&path, "1, 2,3\r\n\n4 # five\n-6").unwrap();
        let error = read_ids(&path).unwrap_err().to_string();
        assert!(error.ends_with("ids.txt, line 4: expected a vertex id, found \"-6\""), "{error}");
        std::fs::write(&path, "1, 2,3\r\n\n4 # five\n").unwrap();
        assert_eq!(read_ids(&path).unwrap(), [1, 2, 3, 4]);
    }
}
