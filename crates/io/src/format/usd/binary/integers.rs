//! How binary layers pack lists of integers: differences in as few bytes as each needs, all of it
//! through LZ4 (OpenUSD, `integerCoding.cpp` and `fastCompression.cpp`).

/// LZ4 makes at most so many bytes of one.
const MOST_PER_BYTE: usize = 255;

/// What LZ4 packed, at most `most` bytes of it: one block, or several, each behind its length.
pub fn unpack(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let (&blocks, mut rest) = packed.split_first()?;
    let most = most.min(rest.len().saturating_mul(MOST_PER_BYTE));
    let mut out = vec![0; most];
    if blocks == 0 {
        let size = lz4_flex::block::decompress_into(rest, &mut out).ok()?;
        out.truncate(size);
        return Some(out);
    }
    let mut filled = 0;
    for _ in 0..blocks {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
        let block = after.get(..length)?;
        filled += lz4_flex::block::decompress_into(block, &mut out[filled..]).ok()?;
        rest = &after[length..];
    }
    out.truncate(filled);
    Some(out)
}

/// A list of `count` integers of 32 bits. The caller has checked that so many can be.
pub fn integers(packed: &[u8], count: usize) -> Option<Vec<i32>> {
    let mut differences = Differences::<4>::read(packed, count, [1, 2, 4])?;
    let mut value = 0i32;
    let mut next = || {
        value = value.wrapping_add(differences.next()? as i32);
        Some(value)
    };
    (0..count).map(|_| next()).collect()
}

/// A list of `count` integers of 64 bits.
pub fn long_integers(packed: &[u8], count: usize) -> Option<Vec<i64>> {
    let mut differences = Differences::<8>::read(packed, count, [2, 4, 8])?;
    let mut value = 0i64;
    let mut next = || {
        value = value.wrapping_add(differences.next()?);
        Some(value)
    };
    (0..count).map(|_| next()).collect()
}

/// The commonest difference; two bits per integer, which say whether it is that or how many bytes
/// it has; and those bytes.
struct Differences<const N: usize> {
    data: Vec<u8>,
    common: i64,
    widths: [usize; 3],
    index: usize,
    at: usize,
}

impl<const N: usize> Differences<N> {
    fn read(packed: &[u8], count: usize, widths: [usize; 3]) -> Option<Self> {
        let codes = count.div_ceil(4);
        let data = unpack(packed, N + codes + N * count)?;
        let common = signed(data.get(..N)?);
        (data.len() >= N + codes).then_some(())?;
        Some(Differences { data, common, widths, index: 0, at: N + codes })
    }

    fn next(&mut self) -> Option<i64> {
        let code = self.data.get(N + self.index / 4)? >> (2 * (self.index % 4)) & 3;
        self.index += 1;
        let Some(width) = usize::from(code).checked_sub(1).map(|kind| self.widths[kind]) else {
            return Some(self.common);
        };
        let bytes = self.data.get(self.at..self.at + width)?;
        self.at += width;
        Some(signed(bytes))
    }
}

/// A signed integer of up to eight bytes, the lowest first.
fn signed(bytes: &[u8]) -> i64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unused = 64 - 8 * bytes.len() as u32;
    i64::from_le_bytes(wide) << unused >> unused
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As a writer would: every difference in the fewest bytes, 7 being the common one.
    fn pack(values: &[i32]) -> Vec<u8> {
        let (mut codes, mut bytes) = (vec![0u8; values.len().div_ceil(4)], Vec::new());
        let mut last = 0i32;
        for (index, &value) in values.iter().enumerate() {
            let difference = value.wrapping_sub(last);
            last = value;
            let code = if difference == 7 {
                0
            } else if let Ok(small) = i8::try_from(difference) {
                bytes.extend(small.to_le_bytes());
                1
            } else if let Ok(middle) = i16::try_from(difference) {
                bytes.extend(middle.to_le_bytes());
                2
            } else {
                bytes.extend(difference.to_le_bytes());
                3
            };
            codes[index / 4] |= code << (2 * (index % 4));
        }
        let all = [&7i32.to_le_bytes()[..], &codes, &bytes].concat();
        // A block of literals: LZ4 without anything repeated.
        let mut packed = vec![0];
        if all.len() < 15 {
            packed.push((all.len() as u8) << 4);
        } else {
            packed.push(0xf0);
            let more = all.len() - 15;
            packed.extend(std::iter::repeat_n(255, more / 255));
            packed.push((more % 255) as u8);
        }
        packed.extend(all);
        packed
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::property_cases()))]
        #[test]
        fn integers_come_back(values in proptest::collection::vec(
            prop_oneof![-300i32..300, any::<i32>(), Just(7)], 0..200)) {
            prop_assert_eq!(integers(&pack(&values), values.len()), Some(values));
        }

        #[test]
        fn any_bytes_are_integers_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200), count in 0usize..5000) {
            for found in [integers(&bytes, count).map(|v| v.len()), long_integers(&bytes, count).map(|v| v.len())] {
                prop_assert!(found.is_none_or(|length| length == count));
            }
        }
    }
}
