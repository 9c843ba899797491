//! The places that there are: a name, as in the page's address, and what works there.

use crate::session::Work;
use crate::{enrich, face, lips, play};

/// In the order of the page's tabs.
pub const ALL: &[(&str, Work)] =
    &[("play", play::work), ("enrich", enrich::work), ("face", face::work), ("lips", lips::work)];
