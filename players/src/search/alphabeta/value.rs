//! Values of alpha-beta: integers that the search compares, converted from goals and back.
//!
//! A point of a goal is [`UNIT`]. A value moves towards 0 by one for each joint move on its way up
//! the tree. So a quicker win and a later loss are preferred. The value of a state does not depend
//! on its depth in the tree.

/// The value of a point of a goal; greater than the number of moves in any line.
pub(super) const UNIT: i32 = 4096;

/// A bound that exceeds any value.
pub(super) const INFINITE: i32 = 1 << 30;

/// Returns the value of a terminal state: -100 to 100 points, and more for goals above 100.
pub(super) fn worth(own: u8, rival: Option<u8>) -> i32 {
    let points = match rival {
        Some(rival) => i32::from(own) - i32::from(rival),
        None => 2 * i32::from(own) - 100,
    };
    points * UNIT
}

/// Converts a value to a goal.
pub(super) fn goal(value: i32) -> f64 {
    let points = f64::from(value) / f64::from(UNIT);
    // The remaining correction for moves is less than 0.05 points.
    let points = if (points - points.round()).abs() < 0.05 { points.round() } else { points };
    f64::midpoint(points, 100.0)
}

/// Returns a value as seen one move earlier.
#[inline]
pub(super) fn earlier(value: i32) -> i32 {
    value - value.signum()
}

/// Converts bounds to those one move later. `alpha` becomes the greatest value with `earlier(value)
/// <= alpha`, and `beta` the least with `earlier(value) >= beta`.
#[inline]
pub(super) fn later(alpha: i32, beta: i32) -> (i32, i32) {
    let alpha = if alpha >= 0 { alpha + 1 } else { alpha - 1 };
    let beta = if beta > 0 { beta + 1 } else { beta - 1 };
    (alpha, beta)
}

/// A value, and whether it depends on terminal states alone.
pub(super) type Valued = (i32, bool);
