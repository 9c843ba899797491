//! The page that is compiled in, or the sentence that says why there is none.

use axum::response::Html;

/// Of the bundle.
pub const SCRIPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page/app.js"));
/// Of the bundle.
pub const STYLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page/app.css"));
const FRONT: &str = include_str!(concat!(env!("OUT_DIR"), "/page/index.html"));
/// Why there is no page; empty when there is one.
const MISSING: &str = env!("PLIANT_PAGE_MISSING");

/// What is missing, in one sentence, if the page is.
pub fn missing() -> Option<String> {
    (!MISSING.is_empty()).then(|| format!("the studio has no page: {MISSING}"))
}

pub(crate) fn front() -> Html<String> {
    Html(match missing() {
        None => FRONT.to_owned(),
        Some(sentence) => format!("<!doctype html><title>pliant studio</title><p>{sentence}</p>\n"),
    })
}
