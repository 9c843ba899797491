//! Output of the command: results on stdout, everything else on stderr.
//!
//! Nobody listening (a closed pipe) is no failure, so writing errors are passed over here.

use std::io::Write;

use pliant::mesh::diagnosis::Finding;
use serde_json::{Value, json};

/// A line of the result.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// A defect of a mesh, for programs.
pub fn finding(finding: &Finding) -> Value {
    let Finding { kind, count, elements } = finding;
    json!({ "kind": kind.name(), "count": count, "elements": elements })
}

/// A line about the work, for whoever watches.
pub fn remark(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The one sentence of a failure; line breaks in it become spaces.
pub fn complain(sentence: &str) {
    let words: Vec<&str> =
        sentence.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    remark(&format!("error: {}", words.join(" ")));
}
