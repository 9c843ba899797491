//! A model as bytes: `.lips`, little-endian.
//!
//! What is kept is what was given: the region at rest and the positions of the corrected frames in
//! it, from which gradients, bases and factors are made again in a fraction of a second. That is
//! a sixth of the numbers that gradients would take, nothing in a file can disagree with anything
//! else in it, and another corrected frame can always be added.
//!
//! Layout: magic with version, seven counts, ridge and truncation; vertices, positions and free
//! flags of the region, mouth and inner triangles, rigid vertices with positions; per frame that
//! spans the capture, and per sample, its number and positions; a checksum (FNV-1a) over all of it.

use glam::DVec3;

use crate::error::LipsError;
use crate::gradients::{corners, is_flat};
use crate::head::Head;
use crate::model::{LipModel, Sample};
use crate::region::Region;
use crate::regression::RegressionOptions;

const MAGIC: &[u8; 8] = b"PLIANTL1";

/// The model as bytes: the same bytes for the same corrected frames in the same order.
pub fn encode(model: &LipModel) -> Vec<u8> {
    let (region, head, options) = (model.region(), model.head(), model.options());
    let mut bytes = MAGIC.to_vec();
    let counts = [
        region.vertex_count,
        region.vertices.len(),
        region.mouth.len(),
        region.inner.len(),
        head.vertices.len(),
        model.prior().len(),
        model.samples().len(),
    ];
    counts.iter().for_each(|count| bytes.extend((*count as u64).to_le_bytes()));
    [options.ridge, options.truncation].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    let ids = |bytes: &mut Vec<u8>, ids: &[u32]| {
        ids.iter().for_each(|id| bytes.extend(id.to_le_bytes()));
    };
    let points = |bytes: &mut Vec<u8>, points: &[DVec3]| {
        let numbers = points.iter().flat_map(|x| x.to_array());
        numbers.for_each(|n| bytes.extend(n.to_le_bytes()));
    };
    ids(&mut bytes, &region.vertices);
    points(&mut bytes, &region.rest);
    bytes.extend(region.free.iter().map(|free| u8::from(*free)));
    ids(&mut bytes, region.mouth.as_flattened());
    ids(&mut bytes, region.inner.as_flattened());
    ids(&mut bytes, &head.vertices);
    points(&mut bytes, &head.rest);
    for sample in model.prior().iter().chain(model.samples()) {
        bytes.extend((sample.frame as u64).to_le_bytes());
        points(&mut bytes, &sample.positions);
    }
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// The model in bytes, trained again.
///
/// # Errors
/// When they are no model, cut off or damaged; never panics, and allocates nothing that the bytes
/// do not hold.
pub fn decode(bytes: &[u8]) -> Result<LipModel, LipsError> {
    let problem =
        |byte: usize, problem: &str| LipsError::File { byte, problem: problem.to_owned() };
    if bytes.get(..7) != Some(&MAGIC[..7]) {
        return Err(problem(0, "expected a lip model, as `pliant lips train` writes it"));
    }
    if bytes.get(7) != Some(&MAGIC[7]) {
        return Err(problem(7, "a lip model of another version of pliant; train it again"));
    }
    let body = bytes.len().checked_sub(8).filter(|end| *end >= 8);
    let Some(body) = body else { return Err(problem(bytes.len(), "the file is cut off")) };
    let stored: [u8; 8] = std::array::from_fn(|k| bytes[body + k]);
    if checksum(&bytes[..body]) != u64::from_le_bytes(stored) {
        return Err(problem(body, "the file is cut off or damaged: its checksum is another"));
    }
    let mut reader = Reader { bytes: &bytes[..body], at: 8 };
    let mut counts = [0usize; 7];
    for count in &mut counts {
        *count = reader.count()?;
    }
    let [vertex_count, local, mouth, inner, rigid, prior, samples] = counts;
    let options = RegressionOptions { ridge: reader.number()?, truncation: reader.number()? };
    let region = Region {
        vertex_count,
        vertices: reader.ids(local, vertex_count)?,
        rest: reader.points(local)?,
        free: reader.take(local)?.iter().map(|b| *b == 1).collect(),
        mouth: reader.triangles(mouth, local)?,
        inner: reader.triangles(inner, local)?,
    };
    let head = Head { vertices: reader.ids(rigid, vertex_count)?, rest: reader.points(rigid)? };
    check(&region)?;
    let mut read = Vec::new();
    for _ in 0..prior + samples {
        let frame = reader.count()?;
        read.push(Sample { frame, positions: reader.points(local)? });
    }
    if reader.at != body {
        return Err(problem(reader.at, "expected the end of the model, found more"));
    }
    let mut model = LipModel::new(region, head, options)?;
    let corrected = read.split_off(prior);
    if !read.is_empty() {
        model.set_prior(read)?;
    }
    if !corrected.is_empty() {
        model.extend(corrected)?;
    }
    Ok(model)
}

/// What [`Region::new`] guarantees, of a region that comes from a file.
fn check(region: &Region) -> Result<(), LipsError> {
    let problem = |text: &str| LipsError::File { byte: 0, problem: text.to_owned() };
    if !region.vertices.is_sorted_by(|a, b| a < b) {
        return Err(problem("the region's vertices are not ascending"));
    }
    // A surface has about twice as many triangles as vertices; gradients take memory by triangles.
    if region.mouth.len() + region.inner.len() > 64 * region.vertices.len() {
        return Err(problem("the region has more triangles than its vertices can have"));
    }
    let any_free = |t: &[u32; 3]| t.iter().any(|v| region.free[*v as usize]);
    if region.mouth.is_empty() || region.mouth.iter().any(any_free) {
        return Err(problem("the mouth is empty, or not apart from the inner lip"));
    }
    if region.inner.is_empty() || !region.inner.iter().all(any_free) {
        return Err(problem("the inner lip is empty, or has triangles that are not free"));
    }
    let flat = |t: &[u32; 3]| is_flat(corners(&region.rest, t));
    if region.mouth.iter().chain(&region.inner).any(flat) {
        return Err(problem("a triangle of the region is flat"));
    }
    region.check_border()
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], LipsError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else {
            let problem = format!("expected {count} more bytes, the model ends here");
            return Err(LipsError::File { byte: self.at, problem });
        };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// `count` things of `size` bytes each.
    fn array(&mut self, count: usize, size: usize) -> Result<&'a [u8], LipsError> {
        self.take(count.saturating_mul(size))
    }

    fn count(&mut self) -> Result<usize, LipsError> {
        let at = self.at;
        let word = u64::from_le_bytes(fixed(self.take(8)?));
        // Vertices are numbered in 32 bits.
        u32::try_from(word).map(|count| count as usize).map_err(|_| LipsError::File {
            byte: at,
            problem: format!("expected a count below 2³², found {word}"),
        })
    }

    fn number(&mut self) -> Result<f64, LipsError> {
        Ok(f64::from_le_bytes(fixed(self.take(8)?)))
    }

    fn ids(&mut self, count: usize, below: usize) -> Result<Vec<u32>, LipsError> {
        let at = self.at;
        let words = self.array(count, 4)?.chunks_exact(4);
        let ids: Vec<u32> = words.map(|word| u32::from_le_bytes(fixed(word))).collect();
        match ids.iter().position(|id| *id as usize >= below) {
            None => Ok(ids),
            Some(place) => Err(LipsError::File {
                byte: at + 4 * place,
                problem: format!("names vertex {} of {below}", ids[place]),
            }),
        }
    }

    fn triangles(&mut self, count: usize, below: usize) -> Result<Vec<[u32; 3]>, LipsError> {
        let ids = self.ids(count.saturating_mul(3), below)?;
        Ok(ids.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect())
    }

    fn points(&mut self, count: usize) -> Result<Vec<DVec3>, LipsError> {
        let at = self.at;
        let words = self.array(count, 24)?.chunks_exact(24);
        let number = |word: &[u8], k: usize| f64::from_le_bytes(fixed(&word[8 * k..]));
        let points: Vec<DVec3> =
            words.map(|w| DVec3::new(number(w, 0), number(w, 1), number(w, 2))).collect();
        match points.iter().position(|x| !x.is_finite()) {
            None => Ok(points),
            Some(place) => Err(LipsError::File {
                byte: at + 24 * place,
                problem: "expected a finite position".to_owned(),
            }),
        }
    }
}

/// The first bytes of a slice that has them.
fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|k| bytes[k])
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3))
}

/// Ends bytes with the checksum that they should have, for tests of what lies behind it.
#[doc(hidden)]
pub fn seal(bytes: &mut [u8]) {
    if let Some(body) = bytes.len().checked_sub(8) {
        let sum = checksum(&bytes[..body]);
        bytes[body..].copy_from_slice(&sum.to_le_bytes());
    }
}
