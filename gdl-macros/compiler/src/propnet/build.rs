//! Ground rules to net.

use super::Net;
use crate::ground::GroundRules;

/// Builds the net of ground rules.
#[must_use]
pub fn build(ground: &GroundRules) -> Net {
    let _ = ground;
    todo!()
}
