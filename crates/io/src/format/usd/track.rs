//! A value over time: a default, and samples between which it is linear.

use super::content::{Content, Value};
use super::layer::Attribute;
use crate::error::IoError;

#[derive(Clone, Debug, Default)]
pub struct Track {
    value: Option<Value>,
    /// Ascending in time.
    samples: Vec<(f64, Value)>,
    single: bool,
}

/// Values, and, between two samples, those of the next with how far it is gone.
pub type Around = (Vec<f64>, Option<(Vec<f64>, f64)>);

/// When: the time code, or at rest.
pub type When = Option<f64>;

impl Track {
    pub fn of(attribute: &Attribute) -> Track {
        Track {
            value: attribute.value.clone(),
            samples: attribute.samples.clone(),
            single: attribute.single,
        }
    }

    fn numbers(&self, content: &Content, value: &Value) -> Result<Vec<f64>, IoError> {
        let mut numbers = content.numbers(value)?;
        if self.single {
            numbers.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        }
        Ok(numbers)
    }

    /// The first and the last time code of its samples, if there are several.
    pub fn range(&self) -> Option<(f64, f64)> {
        let ((first, _), (last, _)) = (self.samples.first()?, self.samples.last()?);
        Some((*first, *last))
    }

    /// The numbers of the value: at rest the default, or else the first sample.
    pub fn at(&self, content: &Content, when: When) -> Result<Vec<f64>, IoError> {
        let (mut values, goal) = self.around(content, when)?;
        // Arrays of different lengths hold until the next sample.
        if let Some((goal, fraction)) = goal.filter(|(goal, _)| goal.len() == values.len()) {
            values.iter_mut().zip(goal).for_each(|(a, b)| *a += (b - *a) * fraction);
        }
        Ok(values)
    }

    /// The sample before, and, between two, the one after with how far it is gone.
    pub fn around(&self, content: &Content, when: When) -> Result<Around, IoError> {
        let (Some(time), false) = (when, self.samples.is_empty()) else {
            let first = self.samples.first().map(|(_, value)| value);
            let value = self.value.as_ref().or(first);
            return Ok((value.map_or(Ok(Vec::new()), |value| self.numbers(content, value))?, None));
        };
        let next = self.samples.partition_point(|(at, _)| *at <= time);
        let (before, after) = (next.saturating_sub(1), next.min(self.samples.len() - 1));
        let ((start, from), (end, to)) = (&self.samples[before], &self.samples[after]);
        let fraction = if before < after { (time - start) / (end - start) } else { 0.0 };
        // Frames fall on samples, however their times were rounded.
        const NEAR: f64 = 1e-6;
        if fraction > 1.0 - NEAR {
            return Ok((self.numbers(content, to)?, None));
        }
        let goal =
            if fraction > NEAR { Some((self.numbers(content, to)?, fraction)) } else { None };
        Ok((self.numbers(content, from)?, goal))
    }
}
