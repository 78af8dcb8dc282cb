//! Values of alpha-beta: whole numbers that a search compares, made of goals and turned into goals
//! again.
//!
//! There are [`UNIT`] for each point of a goal, and a value shrinks by one for each joint move on
//! its way up, so that a quicker win is worth more and a later loss too. What is known of a state
//! does not depend on how deep it was met.

/// The worth of a point of a goal. More than there are moves in a line.
pub(super) const UNIT: i32 = 4096;

/// More than any value.
pub(super) const INFINITE: i32 = 1 << 30;

/// The value of an end: -100 to 100, and more for goals above 100.
pub(super) fn worth(own: u8, rival: Option<u8>) -> i32 {
    let points = match rival {
        Some(rival) => i32::from(own) - i32::from(rival),
        None => 2 * i32::from(own) - 100,
    };
    points * UNIT
}

/// The goal that a value stands for.
pub(super) fn goal(value: i32) -> f64 {
    let points = f64::from(value) / f64::from(UNIT);
    // Moves that are left are far less than half a point.
    let points = if (points - points.round()).abs() < 0.05 { points.round() } else { points };
    f64::midpoint(points, 100.0)
}

/// A value one move earlier.
#[inline]
pub(super) fn earlier(value: i32) -> i32 {
    value - value.signum()
}

/// The greatest value that one move earlier is at most `alpha`, and the least that is at least
/// `beta`.
#[inline]
pub(super) fn later(alpha: i32, beta: i32) -> (i32, i32) {
    let alpha = if alpha >= 0 { alpha + 1 } else { alpha - 1 };
    let beta = if beta > 0 { beta + 1 } else { beta - 1 };
    (alpha, beta)
}

/// A value, and whether it depends on nothing but ends of the game.
pub(super) type Valued = (i32, bool);
