//! The file around the JSON: `.glb` chunks, buffers inside, in data URIs, and in other files.

use std::ops::Range;
use std::path::Path;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::document::{Buffer, Document};
use crate::beside::Beside;
use crate::cursor::Cursor;
use crate::error::IoError;

const MAGIC: &[u8] = b"glTF";
const JSON: u32 = 0x4e4f_534a;
const BINARY: u32 = 0x004e_4942;

/// A document with the bytes of its buffers.
#[derive(Debug)]
pub struct Container {
    pub document: Document,
    pub buffers: Vec<Vec<u8>>,
}

impl Container {
    /// Reads `.gltf` or `.glb`, told apart by the first bytes. The binary chunk stays where it is:
    /// a long animation is in memory once.
    pub fn read(path: &Path, mut bytes: Vec<u8>, beside: Beside) -> Result<Container, IoError> {
        let (json, binary) = match bytes.starts_with(MAGIC) {
            true => chunks(path, &bytes)?,
            false => (if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }..bytes.len(), None),
        };
        let document: Document = serde_json::from_slice(&bytes[json])
            .map_err(|e| IoError::content(path, format!("expected the JSON of a glTF: {e}")))?;
        refuse_compression(path, &document)?;
        let mut binary = binary.map(|chunk| {
            bytes.truncate(chunk.end);
            bytes.drain(..chunk.start);
            bytes
        });
        let mut buffers = Vec::new();
        for (index, buffer) in document.buffers.iter().enumerate() {
            let bytes = match (&buffer.uri, binary.take()) {
                (None, Some(chunk)) if index == 0 => chunk,
                (None, _) => return Err(fail(path, index, "has neither a uri nor a binary chunk")),
                (Some(uri), _) => load(uri, buffer, beside).map_err(|p| fail(path, index, &p))?,
            };
            if (bytes.len() as u64) < buffer.byte_length {
                let problem =
                    format!("claims {} bytes, but has {}", buffer.byte_length, bytes.len());
                return Err(fail(path, index, &problem));
            }
            buffers.push(bytes);
        }
        Ok(Container { document, buffers })
    }
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
fn load(uri: &str, buffer: &Buffer, beside: Beside) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, data) = data.split_once(',').ok_or("has a data URI without a comma")?;
        if !kind.ends_with(";base64") {
            return Ok(percent_decoded(data));
        }
        let lenient =
            GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        return GeneralPurpose::new(&base64::alphabet::STANDARD, lenient)
            .decode(data)
            .map_err(|e| format!("has a data URI that is not base64: {e}"));
    }
    if uri.contains("://") {
        return Err(format!("is at {uri}; expected a file beside this one"));
    }
    let name = String::from_utf8_lossy(&percent_decoded(uri)).into_owned();
    beside.read(&name, buffer.byte_length).map_err(|error| format!("cannot be had: {error}"))
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
