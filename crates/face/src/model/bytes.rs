//! Lists of numbers and texts as little-endian bytes, each with its length in front.

use glam::DVec3;

use crate::error::FaceError;

/// Collects bytes.
#[derive(Default)]
pub struct ByteWriter {
    pub bytes: Vec<u8>,
}

impl ByteWriter {
    pub fn count(&mut self, count: usize) {
        self.bytes.extend((count as u64).to_le_bytes());
    }

    /// Without control characters, which the reader refuses.
    pub fn text(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        self.count(text.len());
        self.bytes.extend(text.as_bytes());
    }

    pub fn ids(&mut self, ids: impl ExactSizeIterator<Item = u32>) {
        self.count(ids.len());
        ids.for_each(|id| self.bytes.extend(id.to_le_bytes()));
    }

    pub fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        numbers.iter().for_each(|n| self.bytes.extend(n.to_le_bytes()));
    }

    pub fn points(&mut self, points: &[DVec3]) {
        let numbers: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
        self.numbers(&numbers);
    }

    /// Where vertices move, and how, in single precision.
    pub fn displacements(&mut self, displacement: &[DVec3]) {
        let moved: Vec<u32> = (0u32..)
            .zip(displacement)
            .filter(|(_, d)| d.to_array().iter().any(|x| *x as f32 != 0.0))
            .map(|(v, _)| v)
            .collect();
        self.ids(moved.iter().copied());
        for v in moved {
            let numbers = displacement[v as usize].to_array();
            numbers.iter().for_each(|n| self.bytes.extend((*n as f32).to_le_bytes()));
        }
    }
}

/// Takes them apart again.
pub struct ByteReader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> ByteReader<'a> {
    pub fn problem<T>(&self, problem: &str) -> Result<T, FaceError> {
        Err(FaceError::File { byte: self.at, problem: problem.to_owned() })
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], FaceError> {
        let end = self.at.checked_add(count);
        let Some(bytes) = end.and_then(|end| self.bytes.get(self.at..end)) else {
            return self.problem("the file is cut off");
        };
        self.at += count;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FaceError> {
        let bytes = self.take(N)?;
        Ok(std::array::from_fn(|k| bytes[k]))
    }

    /// A count of things of some bytes each, as many as there can be.
    pub fn count(&mut self, size: usize) -> Result<usize, FaceError> {
        let count = u64::from_le_bytes(self.array()?);
        let left = (self.bytes.len() - self.at) / size.max(1);
        match usize::try_from(count) {
            Ok(count) if count <= left => Ok(count),
            _ => self.problem("a list is longer than the file"),
        }
    }

    pub fn text(&mut self) -> Result<String, FaceError> {
        let count = self.count(1)?;
        let bytes = self.take(count)?;
        match String::from_utf8(bytes.to_vec()) {
            // Names are told in sentences, which have one line.
            Ok(text) if text.chars().all(|c| !c.is_control()) => Ok(text),
            _ => self.problem("expected text"),
        }
    }

    /// Numbers below `limit`.
    pub fn ids(&mut self, limit: usize) -> Result<Vec<u32>, FaceError> {
        let count = self.count(4)?;
        let mut ids = Vec::with_capacity(count);
        for _ in 0..count {
            let id = u32::from_le_bytes(self.array()?);
            if id as usize >= limit {
                return self.problem(&format!("number {id}, expected one below {limit}"));
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// The same in groups of N.
    pub fn tuples<const N: usize>(&mut self, limit: usize) -> Result<Vec<[u32; N]>, FaceError> {
        let ids = self.ids(limit)?;
        if ids.len() % N != 0 {
            return self.problem("a list is cut off");
        }
        Ok(ids.chunks_exact(N).map(|c| std::array::from_fn(|k| c[k])).collect())
    }

    pub fn numbers(&mut self) -> Result<Vec<f64>, FaceError> {
        let count = self.count(8)?;
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            let number = f64::from_le_bytes(self.array()?);
            if !number.is_finite() {
                return self.problem("a number that is not finite");
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// Numbers in groups of N, of which there must be `count`.
    pub fn rows<const N: usize>(&mut self, count: usize) -> Result<Vec<[f64; N]>, FaceError> {
        let numbers = self.numbers()?;
        if numbers.len() != N * count {
            let found = numbers.len();
            return self.problem(&format!("{found} numbers, expected {}", N * count));
        }
        Ok(numbers.chunks_exact(N).map(|c| std::array::from_fn(|k| c[k])).collect())
    }

    pub fn points(&mut self) -> Result<Vec<DVec3>, FaceError> {
        let numbers = self.numbers()?;
        if numbers.len() % 3 != 0 {
            return self.problem("a list of points is cut off");
        }
        Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    pub fn displacements(&mut self, vertices: usize) -> Result<Vec<DVec3>, FaceError> {
        let moved = self.ids(vertices)?;
        let mut all = vec![DVec3::ZERO; vertices];
        for v in moved {
            let mut d = [0.0; 3];
            for x in &mut d {
                *x = f64::from(f32::from_le_bytes(self.array()?));
            }
            all[v as usize] = DVec3::from_array(d);
        }
        Ok(all)
    }
}
