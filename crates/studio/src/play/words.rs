//! The vocabulary of methods as a page sees it: names in settings, and menus.

use pliant_model::Word;
use pliant_model::method::{Correction, Damping, Method, Preset, Scheme, Solver, check};
use serde_json::{Value, json};

use super::settings::Choice;

/// The word for no correction, and for no damping.
const NONE: &str = "none";

/// A choice in settings, by its name.
pub mod by_name {
    use pliant_model::Word;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<T: Word, S: Serializer>(word: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(word.name())
    }

    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        T::named(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// A choice that may be left out: by its name, or by "none".
pub mod by_name_or_none {
    use pliant_model::Word;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::NONE;

    pub fn serialize<T: Word, S: Serializer>(
        word: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(word.as_ref().map_or(NONE, Word::name))
    }

    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        let name = String::deserialize(from)?;
        if name == NONE {
            return Ok(None);
        }
        T::named(&name).map(Some).map_err(D::Error::custom)
    }
}

/// Iterations that a solver starts with, at most: somebody waits for the next frame.
const MOST: u32 = 40;

/// The same choice with its parameters at their defaults.
pub fn plain<T: Word>(word: T) -> T {
    T::named(word.name()).unwrap_or(word)
}

/// Everything that menus offer. A scheme lists the solvers that it goes with, the best first.
pub fn menus() -> Value {
    let scheme = |scheme: &Scheme| {
        let mut solvers = vec![Solver::usual_for(*scheme).name()];
        let fits = |solver: &Solver| {
            check(&Method { scheme: *scheme, solver: *solver, ..Method::ROBUST }).is_ok()
        };
        let others = Solver::ALL.iter().filter(|solver| fits(solver)).map(Solver::name);
        solvers.extend(others.filter(|name| *name != solvers[0]).collect::<Vec<_>>());
        json!({ "solvers": solvers })
    };
    let solver = |solver: &Solver| json!({ "iterations": solver.iterations().min(MOST) });
    let preset = |preset: &Preset| json!({ "method": Choice::of(&preset.method()) });
    let nothing = |about: &str| json!({ "value": NONE, "words": "None", "about": about });
    let optional = |none: Value, mut some: Vec<Value>| {
        some.insert(0, none);
        some
    };
    let correction = |own: &Correction| json!({ "filters": matches!(own, Correction::Fepr(_)) });
    json!({
        "schemes": menu(scheme),
        "solvers": menu(solver),
        "corrections": optional(nothing("Keeps the step as it is."), menu(correction)),
        "dampings": optional(nothing("Takes no energy away."), menu(|_: &Damping| json!({}))),
        "presets": menu(preset),
    })
}

/// Every value of a choice, with `more` about it.
fn menu<T: Word>(more: impl Fn(&T) -> Value) -> Vec<Value> {
    let entry = |word: &T| {
        let mut entry = more(word);
        entry["value"] = word.name().into();
        entry["words"] = word.title().into();
        entry["about"] = word.about().into();
        entry
    };
    T::ALL.iter().map(entry).collect()
}
