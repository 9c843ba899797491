//! The sections `[[fat]]`, `[[injection]]` and `[[map]]`: changes of the flesh.

use pliant_scene::SceneError;
use pliant_scene::reading::{Limits, Table, Value};

use super::KeyedTrack;

/// Which flesh is meant.
#[derive(Clone, Debug, PartialEq)]
pub enum PaintSource {
    /// Weights from 0 to 1 of the skin's vertices, in a file; they go on into the flesh.
    Map(String),
    /// Under these regions of the skin.
    Regions(Vec<String>),
    /// By how much of a tet is not muscle (Dinev 2020, section 4.3.1).
    Passive,
}

/// One `[[fat]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fat {
    pub place: PaintSource,
    /// How deep what is painted goes into the flesh (m); down to the bone if `None`.
    pub depth: Option<f64>,
    /// Volume of what has the weight 1, over that at rest: slimmer below 1.
    pub amount: KeyedTrack<f64>,
    /// Stiffness of what has the weight 1, over that of other flesh; by the amount if `None`.
    pub stiffness: Option<f64>,
}

/// Where a needle goes in.
#[derive(Clone, Debug, PartialEq)]
pub enum InjectionSites {
    /// Points (m) on the skin or beneath.
    Points(Vec<[f64; 3]>),
    /// Landmarks of the template.
    Landmarks(Vec<String>),
    /// All over regions of the skin.
    Regions(Vec<String>),
}

/// One `[[injection]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    pub sites: InjectionSites,
    /// How far from the needle the filler spreads (m).
    pub radius: f64,
    /// Volume of flesh at the needle, over that at rest.
    pub amount: KeyedTrack<f64>,
    /// As [`Fat::stiffness`].
    pub stiffness: Option<f64>,
}

/// What a `[[map]]` changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TissueProperty {
    Mass,
    Stiffness,
}

/// One `[[map]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyMap {
    pub of: TissueProperty,
    pub place: PaintSource,
    /// As [`Fat::depth`].
    pub depth: Option<f64>,
    /// Of what has the weight 1.
    pub factor: KeyedTrack<f64>,
}

const DEPTH: Limits = Limits::above(0.0, "m").up_to(1.0);
/// Volumes beyond these are no faces.
const AMOUNT: Limits = Limits::from(0.1, "").up_to(8.0);
const FACTOR: Limits = Limits::from(0.01, "").up_to(100.0);

impl Fat {
    pub(super) fn read(value: &Value<'_>) -> Result<Fat, SceneError> {
        let table = value.table(&["map", "region", "depth", "amount", "stiffness"])?;
        Ok(Fat {
            place: PaintSource::read(&table)?,
            depth: table.optional("depth", |v| v.number(DEPTH))?,
            amount: KeyedTrack::number(&table.require("amount", "a ratio of volumes")?, AMOUNT)?,
            stiffness: table.optional("stiffness", |v| v.number(FACTOR))?,
        })
    }
}

impl Injection {
    pub(super) fn read(value: &Value<'_>) -> Result<Injection, SceneError> {
        let table =
            value.table(&["points", "landmarks", "region", "radius", "amount", "stiffness"])?;
        let (kind, place) = table.one_of("place", &["points", "landmarks", "region"])?;
        let sites = match kind {
            "points" => {
                let points = place.items("a list of [x, y, z]")?;
                let numbers = |p: &Value<'_>| p.numbers(Limits::from(-10.0, "m").up_to(10.0));
                InjectionSites::Points(points.iter().map(numbers).collect::<Result<_, _>>()?)
            }
            "landmarks" => InjectionSites::Landmarks(names(&place)?),
            _ => InjectionSites::Regions(names(&place)?),
        };
        if matches!(&sites, InjectionSites::Points(points) if points.is_empty()) {
            return Err(place.refuse("is empty, expected at least one"));
        }
        Ok(Injection {
            sites,
            radius: table.or("radius", 0.006, |v| v.number(Limits::from(1e-3, "m").up_to(0.1)))?,
            amount: KeyedTrack::number(&table.require("amount", "a ratio of volumes")?, AMOUNT)?,
            stiffness: table.optional("stiffness", |v| v.number(FACTOR))?,
        })
    }
}

impl PropertyMap {
    pub(super) fn read(value: &Value<'_>) -> Result<PropertyMap, SceneError> {
        let table = value.table(&["of", "map", "region", "depth", "factor"])?;
        let kinds = [("mass", TissueProperty::Mass), ("stiffness", TissueProperty::Stiffness)];
        let of = table.require("of", "`mass` or `stiffness`")?;
        Ok(PropertyMap {
            of: of.named("property", &kinds)?,
            place: PaintSource::read(&table)?,
            depth: table.optional("depth", |v| v.number(DEPTH))?,
            factor: KeyedTrack::number(&table.require("factor", "a factor")?, FACTOR)?,
        })
    }
}

impl PaintSource {
    fn read(table: &Table<'_>) -> Result<PaintSource, SceneError> {
        if table.get("map").is_none() && table.get("region").is_none() {
            return Ok(PaintSource::Passive);
        }
        Ok(match table.one_of("place", &["map", "region"])? {
            ("map", file) => PaintSource::Map(file.words()?.to_owned()),
            (_, regions) => PaintSource::Regions(names(&regions)?),
        })
    }
}

/// A name, or a list of them.
pub(super) fn names(value: &Value<'_>) -> Result<Vec<String>, SceneError> {
    if value.is_words() {
        return Ok(vec![value.words()?.to_owned()]);
    }
    let items = value.items("a name, or a list of names")?;
    if items.is_empty() {
        return Err(value.refuse("is empty, expected at least one name"));
    }
    items.iter().map(|item| item.words().map(str::to_owned)).collect()
}
