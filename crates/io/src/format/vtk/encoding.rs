//! How XML files of VTK hold bytes: raw or in base64, plain or in blocks of zlib.
//!
//! Plain: the number of bytes, then the bytes. In blocks: the number of blocks, the size of a
//! block, the size of the last, the compressed size of each, then the blocks. In base64, the
//! header of blocks is encoded on its own; that of plain data usually together with the data.

use crate::error::Problem;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;

use crate::cursor::{Binary, Endian};

/// What the root element of a file says about its arrays.
#[derive(Clone, Copy)]
pub struct Encoding {
    pub endian: Endian,
    /// Numbers in headers have 8 bytes rather than 4.
    pub wide_headers: bool,
    pub compressed: bool,
}

/// Where the bytes of an array start.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    Raw(&'a [u8]),
    Base64(&'a [u8]),
}

impl Source<'_> {
    /// The first `count` bytes, which were encoded as one stretch.
    fn stretch(&self, count: usize) -> Result<Vec<u8>, Problem> {
        let available = || Problem::from(format!("expected {count} more bytes, found fewer"));
        match self {
            Source::Raw(bytes) => bytes.get(..count).map(<[u8]>::to_vec).ok_or_else(available),
            Source::Base64(text) => {
                let letters = base64_length(count).ok_or_else(available)?;
                let text = text.get(..letters).ok_or_else(available)?;
                let mut bytes =
                    STANDARD.decode(text).map_err(|e| format!("expected base64: {e}"))?;
                if bytes.len() < count {
                    return Err(available());
                }
                bytes.truncate(count);
                Ok(bytes)
            }
        }
    }

    /// What follows a stretch of `count` bytes.
    fn after(&self, count: usize) -> Self {
        match self {
            Source::Raw(bytes) => Source::Raw(bytes.get(count..).unwrap_or_default()),
            Source::Base64(text) => {
                let letters = base64_length(count).unwrap_or(usize::MAX);
                Source::Base64(text.get(letters..).unwrap_or_default())
            }
        }
    }
}

fn base64_length(count: usize) -> Option<usize> {
    count.div_ceil(3).checked_mul(4)
}

impl Encoding {
    /// The bytes of an array.
    pub fn decode(&self, source: Source) -> Result<Vec<u8>, Problem> {
        if self.compressed { self.decode_blocks(source) } else { self.decode_plain(source) }
    }

    fn header_size(&self) -> usize {
        if self.wide_headers { 8 } else { 4 }
    }

    fn header_number(&self, header: &[u8], index: usize) -> Result<usize, Problem> {
        let size = self.header_size();
        let bytes = header.get(index * size..(index + 1) * size).unwrap_or_default();
        let number = match size {
            8 => u64::decode(bytes, self.endian),
            _ => u32::decode(bytes, self.endian).into(),
        };
        usize::try_from(number).map_err(|_| format!("a header of binary data says {number}").into())
    }

    fn decode_plain(&self, source: Source) -> Result<Vec<u8>, Problem> {
        let size = self.header_size();
        let count = self.header_number(&source.stretch(size)?, 0)?;
        let apart = match source {
            Source::Raw(_) => true,
            // A header on its own ends in its own padding.
            Source::Base64(text) => {
                let header = base64_length(size).and_then(|n| text.get(..n)).unwrap_or_default();
                header.iter().filter(|&&letter| letter == b'=').count() == (3 - size % 3) % 3
            }
        };
        if apart {
            return source.after(size).stretch(count);
        }
        let total = size.checked_add(count).ok_or("a header of binary data is too large")?;
        Ok(source.stretch(total)?.split_off(size))
    }

    fn decode_blocks(&self, source: Source) -> Result<Vec<u8>, Problem> {
        let size = self.header_size();
        let too_many = "a header of compressed data names more blocks than the file can hold";
        let blocks = self.header_number(&source.stretch(size)?, 0)?;
        let length = blocks.checked_add(3).and_then(|n| n.checked_mul(size)).ok_or(too_many)?;
        let header = source.stretch(length)?;
        let block_size = self.header_number(&header, 1)?;
        let mut sizes = Vec::with_capacity(blocks);
        for block in 0..blocks {
            sizes.push(self.header_number(&header, 3 + block)?);
        }
        let total = sizes.iter().try_fold(0usize, |sum, &n| sum.checked_add(n)).ok_or(too_many)?;
        let compressed = source.after(length).stretch(total)?;
        let mut bytes = Vec::new();
        let mut rest = &compressed[..];
        for (block, &n) in sizes.iter().enumerate() {
            let (this, others) = rest.split_at(n);
            rest = others;
            // No more than was announced: a few bytes could unpack to gigabytes.
            let read = ZlibDecoder::new(this).take(block_size as u64).read_to_end(&mut bytes);
            read.map_err(|e| format!("block {block} of compressed data: {e}"))?;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    const DATA: &[u8] = b"sixteen bytes...and a few more";

    fn encoding(wide_headers: bool, compressed: bool) -> Encoding {
        Encoding { endian: Endian::Little, wide_headers, compressed }
    }

    fn number(wide: bool, value: usize) -> Vec<u8> {
        if wide {
            (value as u64).to_le_bytes().to_vec()
        } else {
            (value as u32).to_le_bytes().to_vec()
        }
    }

    #[test]
    fn plain_data_is_found_with_its_header_together_or_apart() {
        for wide in [false, true] {
            let header = number(wide, DATA.len());
            let together = STANDARD.encode([&header[..], DATA].concat()) + "AAAA";
            let apart = STANDARD.encode(&header) + &STANDARD.encode(DATA);
            let raw = [&header[..], DATA, b"what follows"].concat();
            for source in [
                Source::Base64(together.as_bytes()),
                Source::Base64(apart.as_bytes()),
                Source::Raw(&raw),
            ] {
                assert_eq!(encoding(wide, false).decode(source).unwrap(), DATA);
            }
        }
    }

    #[test]
    fn blocks_are_unpacked() {
        let pack = |bytes: &[u8]| {
            let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
            packer.write_all(bytes).unwrap();
            packer.finish().unwrap()
        };
        let blocks: Vec<Vec<u8>> = DATA.chunks(16).map(pack).collect();
        let last = DATA.len() % 16;
        for wide in [false, true] {
            let numbers = [blocks.len(), 16, last, blocks[0].len(), blocks[1].len()];
            let header: Vec<u8> = numbers.iter().flat_map(|&n| number(wide, n)).collect();
            let base64 = STANDARD.encode(&header) + &STANDARD.encode(blocks.concat());
            let raw = [header, blocks.concat()].concat();
            for source in [Source::Base64(base64.as_bytes()), Source::Raw(&raw)] {
                assert_eq!(encoding(wide, true).decode(source).unwrap(), DATA);
            }
        }
    }

    #[test]
    fn false_headers_are_refused() {
        let huge = [0xff; 16];
        for wide in [false, true] {
            for compressed in [false, true] {
                assert!(encoding(wide, compressed).decode(Source::Raw(&huge)).is_err());
                assert!(
                    encoding(wide, compressed)
                        .decode(Source::Base64(b"/////////////////////w=="))
                        .is_err()
                );
                assert!(encoding(wide, compressed).decode(Source::Raw(b"")).is_err());
            }
        }
    }
}
