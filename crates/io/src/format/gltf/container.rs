//! The file around the JSON: `.glb` chunks, buffers inside, in data URIs, and in other files.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::buffer::Buffer;
use super::document::Document;
use crate::beside::Beside;
use crate::cursor::Cursor;
use crate::error::{IoError, Problem};
use crate::paged::{LARGE, Paged};
use crate::read::read_bytes;

const MAGIC: &[u8] = b"glTF";
/// Magic, version, length.
const HEADER: usize = 12;
const JSON: u32 = 0x4e4f_534a;
const BINARY: u32 = 0x004e_4942;

/// A document with the bytes of its buffers.
#[derive(Debug)]
pub struct Container {
    pub document: Document,
    pub buffers: Vec<Buffer>,
}

impl Container {
    /// Opens a file. Of a large `.glb`, only the JSON is read; numbers follow as they are needed.
    pub fn open(path: &Path, beside: Beside) -> Result<Container, IoError> {
        let mut file = File::open(path).map_err(IoError::system(path, "read"))?;
        let length = file.metadata().map_err(IoError::system(path, "measure"))?.len();
        let mut start = [0; HEADER];
        let large = length > LARGE && file.read_exact(&mut start).is_ok();
        if !(large && start.starts_with(MAGIC)) {
            return Self::read(path, read_bytes(path)?, beside);
        }
        let (json, binary) = chunks_of_file(path, &start, &mut file, length)?;
        let document = parse(path, &json)?;
        let binary = binary.map(|range| Buffer::File(Paged::new(path, file, range)));
        Self::with(path, document, binary, beside)
    }

    /// Reads `.gltf` or `.glb`, told apart by the first bytes. The binary chunk stays where it is:
    /// a long animation is in memory once.
    pub fn read(path: &Path, mut bytes: Vec<u8>, beside: Beside) -> Result<Container, IoError> {
        let (json, binary) = match bytes.starts_with(MAGIC) {
            true => chunks(path, &bytes)?,
            false => (if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }..bytes.len(), None),
        };
        let document = parse(path, &bytes[json])?;
        let binary = binary.map(|chunk| {
            bytes.truncate(chunk.end);
            bytes.drain(..chunk.start);
            Buffer::Memory(bytes)
        });
        Self::with(path, document, binary, beside)
    }

    fn with(
        path: &Path,
        document: Document,
        mut binary: Option<Buffer>,
        beside: Beside,
    ) -> Result<Container, IoError> {
        let mut buffers = Vec::new();
        for (index, buffer) in document.buffers.iter().enumerate() {
            let bytes = match (&buffer.uri, binary.take()) {
                (None, Some(chunk)) if index == 0 => chunk,
                (None, _) => return Err(fail(path, index, "has neither a uri nor a binary chunk")),
                (Some(uri), _) => load(uri, buffer.byte_length, beside)
                    .map_err(|p| fail(path, index, &p.to_string()))?,
            };
            if bytes.len() < buffer.byte_length {
                let problem =
                    format!("claims {} bytes, but has {}", buffer.byte_length, bytes.len());
                return Err(fail(path, index, &problem));
            }
            buffers.push(bytes);
        }
        Ok(Container { document, buffers })
    }

    /// What the disk refused since the last time.
    pub fn failure(&self) -> Option<IoError> {
        self.buffers.iter().find_map(Buffer::failure)
    }
}

fn parse(path: &Path, json: &[u8]) -> Result<Document, IoError> {
    let document = serde_json::from_slice(json)
        .map_err(|e| IoError::content(path, format!("expected the JSON of a glTF: {e}")))?;
    refuse_compression(path, &document)?;
    Ok(document)
}

/// The JSON of a `.glb`, and where its binary chunk is. What is read is not longer than the file.
fn chunks_of_file(
    path: &Path,
    start: &[u8; HEADER],
    file: &mut File,
    length: u64,
) -> Result<(Vec<u8>, Option<Range<u64>>), IoError> {
    let (mut json, mut binary) = (None, None);
    let mut at = HEADER as u64;
    let version = u32::from_le_bytes([start[4], start[5], start[6], start[7]]);
    if version != 2 {
        return Err(IoError::content(path, format!("expected glTF version 2, found {version}")));
    }
    while at + 8 <= length {
        let mut head = [0; 8];
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.read_exact(&mut head))
            .map_err(IoError::system(path, "read"))?;
        let [size, kind] = [0, 4].map(|k| [head[k], head[k + 1], head[k + 2], head[k + 3]]);
        let range = at + 8..at + 8 + u64::from(u32::from_le_bytes(size));
        if range.end > length {
            return Err(IoError::content(path, "expected a chunk, found the end"));
        }
        at = range.end;
        match u32::from_le_bytes(kind) {
            JSON if json.is_none() => {
                let mut bytes = Vec::new();
                let chunk = file.take(range.end - range.start).read_to_end(&mut bytes);
                chunk.map_err(IoError::system(path, "read"))?;
                json = Some(bytes);
            }
            BINARY if binary.is_none() => binary = Some(range),
            _ => {}
        }
    }
    let none = || IoError::content(path, "expected a chunk of JSON, found none");
    Ok((json.ok_or_else(none)?, binary))
}

fn fail(path: &Path, index: usize, problem: &str) -> IoError {
    IoError::content(path, format!("buffer {index} {problem}"))
}

type Chunks = (Range<usize>, Option<Range<usize>>);

/// Where the JSON chunk and the binary chunk are.
fn chunks(path: &Path, bytes: &[u8]) -> Result<Chunks, IoError> {
    let mut cursor = Cursor::new(path, bytes);
    cursor.set_binary();
    cursor.take(MAGIC.len(), "the header")?;
    let version: u32 = cursor.binary("the version")?;
    if version != 2 {
        return Err(cursor.error(format!("expected glTF version 2, found {version}")));
    }
    cursor.binary::<u32>("the length of the file")?;
    let (mut json, mut binary) = (None, None);
    while cursor.remaining() >= 8 {
        let length: u32 = cursor.binary("the length of a chunk")?;
        let kind: u32 = cursor.binary("the kind of a chunk")?;
        let start = bytes.len() - cursor.remaining();
        cursor.take(length as usize, "a chunk")?;
        let content = start..start + length as usize;
        match kind {
            JSON if json.is_none() => json = Some(content),
            BINARY if binary.is_none() => binary = Some(content),
            _ => {}
        }
    }
    let json = json.ok_or_else(|| cursor.error("expected a chunk of JSON, found none"))?;
    Ok((json, binary))
}

/// The bytes behind the address of a buffer. An error ends a sentence about the buffer.
fn load(uri: &str, length: u64, beside: Beside) -> Result<Buffer, Problem> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, data) = data.split_once(',').ok_or("has a data URI without a comma")?;
        if !kind.ends_with(";base64") {
            return Ok(Buffer::Memory(percent_decoded(data)));
        }
        let lenient =
            GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        return GeneralPurpose::new(&base64::alphabet::STANDARD, lenient)
            .decode(data)
            .map(Buffer::Memory)
            .map_err(|e| format!("has a data URI that is not base64: {e}").into());
    }
    if uri.contains("://") {
        return Err(format!("is at {uri}; expected a file beside this one").into());
    }
    let name = String::from_utf8_lossy(&percent_decoded(uri)).into_owned();
    let buffer = match length > LARGE {
        true => beside.paged(&name, length).map(Buffer::File),
        false => beside.read(&name, length).map(Buffer::Memory),
    };
    buffer.map_err(|error| format!("cannot be had: {error}").into())
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let code = code.and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

/// Compressed geometry is not read; whoever has it can have it uncompressed.
fn refuse_compression(path: &Path, document: &Document) -> Result<(), IoError> {
    // Not required, it is an offer beside plain data; the accessors show whether that is so.
    let plain = |accessor: &usize| {
        let accessor = document.accessors.get(*accessor);
        accessor.is_none_or(|a| a.buffer_view.is_some() || a.sparse.is_some())
    };
    let primitives = document.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let used = primitives
        .filter(|primitive| primitive.attributes.get("POSITION").is_some_and(|a| !plain(a)))
        .flat_map(|primitive| primitive.extensions.keys());
    for extension in document.extensions_required.iter().chain(used) {
        let method = match extension.as_str() {
            "KHR_draco_mesh_compression" => "Draco",
            "EXT_meshopt_compression" | "KHR_meshopt_compression" => "meshopt",
            _ => continue,
        };
        let problem = format!(
            "its meshes are compressed with {method} ({extension}), which is not read here; \
             export it without compression, or run `gltf-transform copy` on it"
        );
        return Err(IoError::content(path, problem));
    }
    Ok(())
}
