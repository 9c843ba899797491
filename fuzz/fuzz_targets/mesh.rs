#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    pliant_fuzz::check_mesh(bytes);
});
