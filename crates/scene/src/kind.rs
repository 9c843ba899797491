//! Which kind of file a document is, told by keys that only that kind has.

/// Kinds of file, the command that takes them, and keys that no other kind has.
const KINDS: [(&str, &str, &[&str]); 3] = [
    ("a scene", "pliant simulate", &["frames", "substeps", "body", "collider"]),
    (
        "an enrich project",
        "pliant enrich",
        &["input", "tracked", "preroll", "blend", "follow", "weight_map", "compare"],
    ),
    (
        "an effects file",
        "pliant face animate --effects",
        &["fat", "injection", "palsy", "bone", "object"],
    ),
];

/// The first key that gives a document away as one of another kind, and what to do with it.
pub(crate) fn other_kind<'a>(
    keys: impl Iterator<Item = &'a str>,
    known: &[&str],
) -> Option<(&'a str, String)> {
    keys.filter(|key| !known.contains(key)).find_map(|key| {
        let (kind, command, _) = KINDS.iter().find(|(.., own)| own.contains(&key))?;
        Some((key, format!("this file is {kind}; `{command}` takes it")))
    })
}
