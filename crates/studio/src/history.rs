//! Undo: what was, and what was taken back.

/// Values, each with what it came from.
#[derive(Clone, Debug)]
pub struct History<T> {
    past: Vec<(String, T)>,
    future: Vec<(String, T)>,
    most: usize,
    /// What the last change was of, while it goes on.
    open: Option<String>,
}

impl<T: Clone> History<T> {
    /// Remembers so many.
    ///
    /// ```
    /// use pliant_studio::History;
    /// let mut history = History::new(10);
    /// history.note("stiffness", &1, false);
    /// history.note("stiffness", &2, false);
    /// history.note("stiffness", &3, true);
    /// assert_eq!(history.undo(&4), Some(("stiffness".to_owned(), 1)));
    /// assert_eq!(history.redo(&1), Some(("stiffness".to_owned(), 4)));
    /// ```
    pub fn new(most: usize) -> Self {
        History { past: Vec::new(), future: Vec::new(), most, open: None }
    }

    /// Notes what was before a change. A change of the same thing that goes on, as a slider that is
    /// dragged does, is one until it has ended.
    pub fn note(&mut self, what: &str, before: &T, has_ended: bool) {
        if self.open.as_deref() != Some(what) {
            self.past.push((what.to_owned(), before.clone()));
            let beyond = self.past.len().saturating_sub(self.most);
            self.past.drain(..beyond);
        }
        self.open = (!has_ended).then(|| what.to_owned());
        self.future.clear();
    }

    /// What was before the last change, if `now` is after it.
    pub fn undo(&mut self, now: &T) -> Option<(String, T)> {
        self.open = None;
        let (what, before) = self.past.pop()?;
        self.future.push((what.clone(), now.clone()));
        Some((what, before))
    }

    /// What was before the last undo.
    pub fn redo(&mut self, now: &T) -> Option<(String, T)> {
        self.open = None;
        let (what, after) = self.future.pop()?;
        self.past.push((what.clone(), now.clone()));
        Some((what, after))
    }

    /// Changes all that can be undone but the last so many: what is large is not kept for long.
    pub fn lighten(&mut self, all_but: usize, change: impl FnMut(&mut T)) {
        let older = self.past.len().saturating_sub(all_but);
        self.past[..older].iter_mut().map(|(_, value)| value).for_each(change);
    }

    /// Whether a change goes on.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What can be undone and redone next.
    pub fn offers(&self) -> [Option<&str>; 2] {
        [&self.past, &self.future].map(|side| side.last().map(|(what, _)| what.as_str()))
    }
}
