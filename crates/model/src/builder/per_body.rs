//! Values that were given for bodies.

/// Values with the number of the body that each belongs to, in the order in which they were added.
#[derive(Clone, Debug)]
pub(crate) struct PerBody<T>(Vec<(usize, T)>);

impl<T> Default for PerBody<T> {
    fn default() -> Self {
        PerBody(Vec::new())
    }
}

impl<T> PerBody<T> {
    /// Adds a value for a body.
    pub fn add(&mut self, body: usize, value: T) {
        self.0.push((body, value));
    }

    /// The values of a body.
    pub fn of(&self, body: usize) -> impl Iterator<Item = &T> {
        self.iter().filter(move |(of, _)| *of == body).map(|(_, value)| value)
    }

    /// All values with their bodies.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.0.iter().map(|(body, value)| (*body, value))
    }

    /// True if nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
