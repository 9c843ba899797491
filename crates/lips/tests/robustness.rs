//! Models from bytes that nobody wrote.

use pliant_lips::performance::Performance;
use pliant_lips::{Head, LipModel, RegressionOptions, model_file};
use pliant_math::team::Team;
use proptest::prelude::*;

fn bytes() -> Vec<u8> {
    let show = Performance::new(16, 10).unwrap();
    let head = Head::new(show.rest(), &[0, 5, 9, 12]).unwrap();
    let options = RegressionOptions { ridge: 1e-4, truncation: 1e-5 };
    let mut model = LipModel::new(show.region().unwrap(), head, options).unwrap();
    let capture: Vec<_> = (0..276).step_by(40).map(|f| (f, show.captured(f))).collect();
    model.follow(&capture, &Team::new(1)).unwrap();
    for frame in [30, 90] {
        model.add(frame, &show.captured(frame), &show.truth(frame)).unwrap();
    }
    model_file::encode(&model)
}

fn cases() -> u32 {
    std::env::var("PLIANT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

#[test]
fn damage_is_noticed_and_named() {
    let whole = bytes();
    assert!(model_file::decode(&whole).is_ok());
    let error = |bytes: &[u8]| model_file::decode(bytes).err().unwrap().to_string();
    assert_eq!(error(b""), "byte 0: expected a lip model, as `pliant lips train` writes it");
    assert_eq!(
        error(&whole[..40]),
        "byte 32: the file is cut off or damaged: its checksum is another"
    );
    let mut other = whole.clone();
    other[7] = b'9';
    assert!(error(&other).contains("another version"));
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    assert!(error(&flipped).contains("checksum"));
    // A count that the file cannot hold, under a checksum that fits.
    for count in 0..7 {
        let mut large = whole.clone();
        large[8 + 8 * count..16 + 8 * count].copy_from_slice(&(u32::MAX as u64).to_le_bytes());
        model_file::seal(&mut large);
        // The first is the mesh's vertices, of which a file has no list.
        assert_eq!(model_file::decode(&large).is_ok(), count == 0, "count {count}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Bytes changed under a right checksum: a model or a sentence, never a panic.
    #[test]
    fn no_bytes_make_the_reader_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = bytes();
        for (place, value) in changes {
            let place = 8 + place.index(bytes.len() - 16);
            bytes[place] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        model_file::seal(&mut bytes);
        match model_file::decode(&bytes) {
            Ok(model) => prop_assert!(!model.region().inner.is_empty()),
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}
