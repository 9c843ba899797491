#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let bytes = pliant_fuzz::beginning_with(b"PXR-USDC", bytes);
    pliant_fuzz::check_format(pliant_io::Format::Usd, &bytes);
});
