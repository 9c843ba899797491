//! The known name that a mistyped one most resembles.

/// Below this Jaro–Winkler similarity a suggestion would be a guess.
const LEAST: f64 = 0.8;

/// The nearest of the known names, if one is near.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&typed, name), name))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_mended_and_strangers_are_not() {
        let known = ["jelly", "flag", "hippo"];
        assert_eq!(nearest("jely", known), Some("jelly"));
        assert_eq!(nearest("Hipo", known), Some("hippo"));
        assert_eq!(nearest("sphinx", known), None);
    }
}
