//! Names of choices: one word for each scheme, solver, material and shape, everywhere.
//!
//! Scene files, messages, menus and documents take their words from here. Each choice is an enum
//! that `words!` defines, with a line per value: documentation, name, title, source.

use std::fmt;

/// A choice that files, messages and menus name.
pub trait Word: Copy + 'static {
    /// What is chosen: "scheme".
    const KIND: &'static str;
    /// Every value; parameters have their defaults.
    const ALL: &'static [Self];
    /// The names of all values, in the same order.
    const NAMES: &'static [&'static str];

    /// The name in files: "backward-euler". Parameters do not matter.
    fn name(&self) -> &'static str;

    /// The name in menus: "Backward Euler".
    fn title(&self) -> &'static str;

    /// One sentence of documentation.
    fn about(&self) -> &'static str;

    /// The paper or book that describes it: a key of `references.bib`.
    fn cite(&self) -> Option<&'static str>;

    /// The value with this name, its parameters at their defaults.
    ///
    /// # Errors
    /// [`UnknownWord`] names the nearest word.
    fn named(name: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.iter().find(|value| value.name() == name);
        found.copied().ok_or_else(|| {
            let nearest = nearest(name, Self::NAMES).map(str::to_owned);
            UnknownWord { kind: Self::KIND, word: name.to_owned(), nearest, known: Self::NAMES }
        })
    }
}

/// A name that no value of a choice has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// What was to be chosen: "scheme".
    pub kind: &'static str,
    /// What was written.
    pub word: String,
    /// The known name that it resembles, if any.
    pub nearest: Option<String>,
    /// All known names.
    pub known: &'static [&'static str],
}

impl std::error::Error for UnknownWord {}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} `{}`: ", self.kind, self.word)?;
        match &self.nearest {
            Some(nearest) => write!(f, "did you mean `{nearest}`?"),
            None => {
                let quoted: Vec<String> = self.known.iter().map(|k| format!("`{k}`")).collect();
                write!(f, "expected one of {}", quoted.join(", "))
            }
        }
    }
}

/// The known name that `written` most resembles, if any does.
pub fn nearest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    // Jaro–Winkler favours a common beginning, as typing slips and plurals have; below 0.75 the
    // suggestion would be a guess.
    let written = written.to_lowercase().replace('_', "-");
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(&written, &name.replace('_', "-")), *name))
        .filter(|(score, _)| *score >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Defines the enum of a choice. A value is its documentation, then
/// `"name", "Title", ["citation"] => Variant`, with the defaults of its parameters.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $Enum:ident: $kind:literal {
            $(
                $(#[doc = $about:literal])+
                $name:literal, $title:literal, [$($cite:literal)?] =>
                $Variant:ident
                $({ $( $(#[doc = $field_about:literal])+ $field:ident: $Type:ty = $default:expr ),+ $(,)? })?
                $(( $Inner:ty = $inner:expr ))?
            ),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        pub enum $Enum {
            $(
                $(#[doc = $about])+
                $Variant
                $({ $( $(#[doc = $field_about])+ $field: $Type ),+ })?
                $(( $Inner ))?
            ),+
        }

        impl $Enum {
            /// Every value; parameters have their defaults.
            pub const ALL: &'static [$Enum] =
                &[$( $Enum::$Variant $({ $($field: $default),+ })? $(($inner))? ),+];

            /// The name in files.
            pub const fn name(&self) -> &'static str {
                match self { $( $Enum::$Variant { .. } => $name ),+ }
            }
        }

        impl $crate::words::Word for $Enum {
            const KIND: &'static str = $kind;
            const ALL: &'static [Self] = $Enum::ALL;
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn name(&self) -> &'static str {
                $Enum::name(self)
            }

            fn title(&self) -> &'static str {
                match self { $( $Enum::$Variant { .. } => $title ),+ }
            }

            fn about(&self) -> &'static str {
                match self { $( $Enum::$Variant { .. } => concat!($($about),+).trim_start() ),+ }
            }

            fn cite(&self) -> Option<&'static str> {
                match self { $( $Enum::$Variant { .. } => [$($cite)?].first().copied() ),+ }
            }
        }

        impl std::str::FromStr for $Enum {
            type Err = $crate::words::UnknownWord;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::words::Word::named(name)
            }
        }
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Scheme, Solver};

    #[test]
    fn a_name_is_read_back() {
        for scheme in Scheme::ALL {
            assert_eq!(scheme.name().parse(), Ok(*scheme));
            assert!(!scheme.about().starts_with(' ') && scheme.about().ends_with('.'));
        }
        let newton = Solver::Newton { iterations: 3, tolerance: 0.0 };
        assert_eq!(newton.name(), "newton");
    }

    #[test]
    fn an_unknown_name_suggests_the_nearest_or_lists_all() {
        let near = "implicit_midpiont".parse::<Scheme>().unwrap_err();
        assert_eq!(
            near.to_string(),
            "unknown scheme `implicit_midpiont`: did you mean `implicit-midpoint`?"
        );
        let far = "quux".parse::<Solver>().unwrap_err().to_string();
        assert!(far.starts_with("unknown solver `quux`: expected one of `projective`"), "{far}");
    }
}
