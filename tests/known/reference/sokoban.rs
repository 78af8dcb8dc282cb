//! Sokoban in one warehouse.

use super::Position;

const WAREHOUSE: [&str; 7] =
    ["########", "#      #", "# #  $ #", "#. ##$@#", "#$    .#", "#. ### #", "########"];

type Place = (usize, usize);

/// The worker, the boxes and the number of steps.
#[derive(Clone)]
pub struct Warehouse {
    worker: Place,
    boxes: Vec<Place>,
    step: u32,
}

/// The mark of a place in the initial plan, by column and by row from the bottom.
fn plan((x, y): Place) -> u8 {
    WAREHOUSE[6 - y].as_bytes()[x]
}

/// The places with a mark, sorted.
fn places(mark: u8) -> Vec<Place> {
    (0..56).map(|place| (place / 7, place % 7)).filter(|&place| plan(place) == mark).collect()
}

impl Default for Warehouse {
    fn default() -> Self {
        Self { worker: places(b'@')[0], boxes: places(b'$'), step: 0 }
    }
}

/// The possible steps: the direction of each, and the worker and sorted boxes after it.
fn step(worker: Place, boxes: &[Place]) -> Vec<(&'static str, Place, Vec<Place>)> {
    let mut steps = Vec::new();
    for (name, right, up) in [("north", 0, 1), ("south", 0, -1), ("east", 1, 0), ("west", -1, 0)] {
        let after = |(x, y): Place| (x.wrapping_add_signed(right), y.wrapping_add_signed(up));
        let (to, behind) = (after(worker), after(after(worker)));
        let mut boxes = boxes.to_vec();
        if let Some(pushed) = boxes.iter().position(|&place| place == to) {
            if plan(behind) == b'#' || boxes.contains(&behind) {
                continue;
            }
            boxes[pushed] = behind;
            boxes.sort_unstable();
        }
        if plan(to) != b'#' {
            steps.push((name, to, boxes));
        }
    }
    steps
}

/// The numbers of arrangements that are 0, 1, 2 and more steps from the initial one, up to `depth`.
/// Solved arrangements have no successors.
#[must_use]
pub fn layers(depth: usize) -> Vec<u64> {
    let start = Warehouse::default();
    super::count_layers((start.worker, start.boxes), depth, |(worker, boxes)| {
        if *boxes == places(b'.') {
            return Vec::new();
        }
        step(*worker, boxes).into_iter().map(|(_, worker, boxes)| (worker, boxes)).collect()
    })
}

/// The length of a shortest solution.
#[must_use]
pub fn shortest() -> Option<usize> {
    let start = Warehouse::default();
    let mut seen = std::collections::HashSet::from([(start.worker, start.boxes.clone())]);
    let mut layer = vec![(start.worker, start.boxes)];
    for steps in 0.. {
        if layer.iter().any(|(_, boxes)| *boxes == places(b'.')) {
            return Some(steps);
        }
        let next = layer.iter().flat_map(|(worker, boxes)| step(*worker, boxes));
        layer =
            next.map(|(_, worker, boxes)| (worker, boxes)).filter(|next| seen.insert(next.clone())).collect();
        if layer.is_empty() {
            break;
        }
    }
    None
}

impl Position for Warehouse {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.boxes == places(b'.') || self.step == 100 {
            return Vec::new();
        }
        let steps = step(self.worker, &self.boxes).into_iter();
        let named = steps.map(|(name, worker, boxes)| {
            (format!("(go {name})"), Self { worker, boxes, step: self.step + 1 })
        });
        named.collect()
    }

    fn to_move(&self) -> usize {
        0
    }

    fn goals(&self) -> Vec<u8> {
        vec![if self.boxes == places(b'.') { 100 } else { 0 }]
    }
}
