//! A layered layout of an acyclic graph: positions of boxes in layers, and routes of the edges
//! between them.
//!
//! Edges run from left to right, each from a lower layer to a higher one (Sugiyama, Tagawa and
//! Toda, 1981). An edge gets a *stop* in each layer that it passes. All edges of a bundle share
//! their stops, so that they part late. Sweeps sort the vertices of each layer by the barycentres
//! of their neighbours, which reduces crossings. Then boxes are moved towards their neighbours as
//! far as their order allows, by isotonic regression. The layout is deterministic.
//!
//! A layout takes `SWEEPS` sweeps of each kind over all boxes and stops, and memory linear in them.
//! The caller bounds the boxes and the layers that edges pass.

/// The number of sweeps that sort layers, and of sweeps that move boxes.
const SWEEPS: usize = 12;
/// The gaps between the boxes of a layer, and between layers.
const GAPS: [f64; 2] = [7.0, 44.0];
/// The margin around the drawing.
const MARGIN: f64 = 12.0;
/// The height of a stop.
const STOP: f64 = 3.0;

/// The graph to lay out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// The width and height of each box.
    pub sizes: Vec<[f64; 2]>,
    /// The layer of each box.
    pub layers: Vec<usize>,
    /// The first box, the second box and the bundle of each edge. Edges from one box with the same
    /// bundle share stops.
    pub edges: Vec<(usize, usize, usize)>,
}

/// The positions of all boxes and edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    /// The centre of each box.
    pub centres: Vec<[f64; 2]>,
    /// The points of each edge, from the right side of one box to the left side of the other. The
    /// edge is horizontal inside layers: between the second and third point, the fourth and fifth,
    /// and so on.
    pub routes: Vec<Vec<[f64; 2]>>,
    /// The width and height of the drawing.
    pub size: [f64; 2],
}

/// Lays out a graph. O(sweeps * (b + s) log (b + s)) for b boxes and s pieces of edges between
/// neighbouring layers.
///
/// # Panics
/// Panics if a box has no layer, or an edge does not lead to a higher layer.
#[must_use]
pub(crate) fn lay_out(graph: &Graph) -> Layout {
    let mut sketch = Sketch::new(graph);
    sketch.sort();
    let heights = sketch.heights();
    let mut lefts = vec![MARGIN];
    let mut widths = vec![0.0_f64; sketch.rows.len()];
    for (size, &layer) in graph.sizes.iter().zip(&graph.layers) {
        widths[layer] = widths[layer].max(size[0]);
    }
    for &width in &widths {
        lefts.push(lefts[lefts.len() - 1] + width + GAPS[1]);
    }
    let middle = |layer: usize| lefts[layer] + widths[layer] / 2.0;
    let centres = |vertex: usize| [middle(sketch.layers[vertex]), heights[vertex]];
    let routes = graph.edges.iter().zip(&sketch.stops).map(|(&(from, to, _), stops)| {
        let [x, y] = centres(from);
        let mut route = vec![[x + graph.sizes[from][0] / 2.0, y]];
        for &stop in stops {
            let layer = sketch.layers[stop];
            route.push([lefts[layer], heights[stop]]);
            route.push([lefts[layer] + widths[layer], heights[stop]]);
        }
        let [x, y] = centres(to);
        route.push([x - graph.sizes[to][0] / 2.0, y]);
        route
    });
    let routes = routes.collect();
    let bottom = (0..sketch.layers.len()).map(|v| heights[v] + sketch.tall[v] / 2.0).fold(0.0, f64::max);
    Layout {
        centres: (0..graph.sizes.len()).map(centres).collect(),
        routes,
        size: [lefts[lefts.len() - 1] - GAPS[1] + MARGIN, bottom + MARGIN],
    }
}

/// The vertices of the layout, which are boxes and stops. Edges only join neighbouring layers.
struct Sketch {
    layers: Vec<usize>,
    tall: Vec<f64>,
    /// The neighbours of each vertex in the previous layer and in the next one.
    neighbours: [Vec<Vec<usize>>; 2],
    /// The vertices of each layer, from top to bottom.
    rows: Vec<Vec<usize>>,
    /// The index of each vertex in its row.
    ranks: Vec<usize>,
    /// The stops of each edge of the graph.
    stops: Vec<Vec<usize>>,
}

impl Sketch {
    fn new(graph: &Graph) -> Self {
        let boxes = graph.sizes.len();
        assert_eq!(boxes, graph.layers.len(), "each box has a layer");
        let count = graph.layers.iter().max().map_or(0, |last| last + 1);
        let mut sketch = Self {
            layers: graph.layers.clone(),
            tall: graph.sizes.iter().map(|size| size[1]).collect(),
            neighbours: [vec![Vec::new(); boxes], vec![Vec::new(); boxes]],
            rows: vec![Vec::new(); count],
            ranks: vec![0; boxes],
            stops: vec![Vec::new(); graph.edges.len()],
        };
        // The edges of a bundle are consecutive, so each can share the stops of the previous one.
        let mut order: Vec<usize> = (0..graph.edges.len()).collect();
        order.sort_by_key(|&edge| {
            let (from, to, bundle) = graph.edges[edge];
            (from, bundle, graph.layers[to], to)
        });
        let mut last = (usize::MAX, usize::MAX);
        let mut chain: Vec<usize> = Vec::new();
        for edge in order {
            let (from, to, bundle) = graph.edges[edge];
            assert!(graph.layers[from] < graph.layers[to], "edges lead to higher layers");
            if last != (from, bundle) {
                last = (from, bundle);
                chain = vec![from];
            }
            let passed = graph.layers[to] - graph.layers[from] - 1;
            while chain.len() <= passed {
                let before = chain[chain.len() - 1];
                let stop = sketch.add_stop(sketch.layers[before] + 1);
                sketch.join(before, stop);
                chain.push(stop);
            }
            sketch.join(chain[passed], to);
            sketch.stops[edge] = chain[1..=passed].to_vec();
        }
        for vertex in 0..sketch.layers.len() {
            sketch.rows[sketch.layers[vertex]].push(vertex);
        }
        sketch.rank();
        sketch
    }

    fn add_stop(&mut self, layer: usize) -> usize {
        self.layers.push(layer);
        self.tall.push(STOP);
        self.ranks.push(0);
        self.neighbours.iter_mut().for_each(|lists| lists.push(Vec::new()));
        self.layers.len() - 1
    }

    fn join(&mut self, from: usize, to: usize) {
        self.neighbours[0][to].push(from);
        self.neighbours[1][from].push(to);
    }

    fn rank(&mut self) {
        for row in &self.rows {
            row.iter().enumerate().for_each(|(rank, &vertex)| self.ranks[vertex] = rank);
        }
    }

    /// Returns the side whose neighbours are fixed in sweep `number`, and the layers in the order
    /// of the sweep. Sweeps alternate between forwards and backwards.
    fn sweep(&self, number: usize) -> (usize, Vec<usize>) {
        let layers = 0..self.rows.len();
        if number.is_multiple_of(2) {
            (0, layers.skip(1).collect())
        } else {
            (1, layers.rev().skip(1).collect())
        }
    }

    /// Sorts the rows so that few edges cross.
    fn sort(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for number in 0..SWEEPS {
            let (side, layers) = self.sweep(number);
            for layer in layers {
                let mut row = std::mem::take(&mut self.rows[layer]);
                // A vertex without neighbours on that side stays about where it is.
                row.sort_by_cached_key(|&vertex| {
                    let places = self.neighbours[side][vertex].iter().map(|&other| self.ranks[other] as f64);
                    Key(mean(places).unwrap_or(self.ranks[vertex] as f64))
                });
                row.iter().enumerate().for_each(|(rank, &vertex)| self.ranks[vertex] = rank);
                self.rows[layer] = row;
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
        self.rank();
    }

    /// Counts the pairs of crossing edge pieces: inversions, by a binary indexed tree.
    fn crossings(&self) -> usize {
        let mut crossings = 0;
        for pair in self.rows.windows(2) {
            let mut tree = vec![0_usize; pair[1].len() + 1];
            let mut pieces = 0;
            for &vertex in &pair[0] {
                let mut ends: Vec<usize> =
                    self.neighbours[1][vertex].iter().map(|&other| self.ranks[other]).collect();
                ends.sort_unstable();
                for &end in &ends {
                    let (mut place, mut before) = (end + 1, 0);
                    while place > 0 {
                        before += tree[place];
                        place &= place - 1;
                    }
                    crossings += pieces - before;
                }
                for &end in &ends {
                    let mut place = end + 1;
                    while place < tree.len() {
                        tree[place] += 1;
                        place += place & place.wrapping_neg();
                    }
                }
                pieces += ends.len();
            }
        }
        crossings
    }

    /// Returns the height of each vertex: near its neighbours, in the order of its row, with gaps
    /// between vertices.
    fn heights(&self) -> Vec<f64> {
        let mut heights = vec![0.0; self.layers.len()];
        let stacks: Vec<Vec<f64>> = self.rows.iter().map(|row| self.stack(row)).collect();
        for (row, stack) in self.rows.iter().zip(&stacks) {
            row.iter().zip(stack).for_each(|(&vertex, &height)| heights[vertex] = height);
        }
        for number in 0..SWEEPS {
            let (side, layers) = self.sweep(number);
            for layer in layers {
                let (row, stack) = (&self.rows[layer], &stacks[layer]);
                let wanted = row.iter().zip(stack).map(|(&vertex, &least)| {
                    let others = self.neighbours[side][vertex].iter().map(|&other| heights[other]);
                    mean(others).unwrap_or(heights[vertex]) - least
                });
                let shifts = isotonic(&wanted.collect::<Vec<_>>());
                for ((&vertex, &least), shift) in row.iter().zip(stack).zip(shifts) {
                    heights[vertex] = least + shift;
                }
            }
        }
        let top = (0..heights.len()).map(|v| heights[v] - self.tall[v] / 2.0).fold(f64::INFINITY, f64::min);
        heights.iter_mut().for_each(|height| *height += MARGIN - top);
        heights
    }

    /// Returns the heights of a row's vertices when they are stacked with minimal gaps.
    fn stack(&self, row: &[usize]) -> Vec<f64> {
        let mut bottom = 0.0;
        let place = |&vertex: &usize| {
            let height = bottom + self.tall[vertex] / 2.0;
            bottom += self.tall[vertex] + GAPS[0];
            height
        };
        row.iter().map(place).collect()
    }
}

/// A number as a sort key.
#[derive(PartialEq)]
struct Key(f64);

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0_u32), |(sum, count), number| (sum + number, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Returns the ascending numbers that are nearest to `wanted` by least squares, by pooling adjacent
/// violators.
fn isotonic(wanted: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &number in wanted {
        let mut pool = (number, 1);
        while let Some(&(mean, count)) = pools.last()
            && mean > pool.0
        {
            pools.pop();
            let total = count + pool.1;
            pool = ((mean * count as f64 + pool.0 * pool.1 as f64) / total as f64, total);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(layers: &[usize], edges: &[(usize, usize)]) -> Graph {
        Graph {
            sizes: vec![[20.0, 20.0]; layers.len()],
            layers: layers.to_vec(),
            edges: edges.iter().map(|&(from, to)| (from, to, 0)).collect(),
        }
    }

    #[test]
    fn crossings_that_need_not_be_are_undone() {
        let mut sketch = Sketch::new(&graph(&[0, 0, 0, 1, 1, 1], &[(0, 5), (1, 4), (2, 3)]));
        assert_eq!(sketch.crossings(), 3);
        sketch.sort();
        assert_eq!(sketch.crossings(), 0);
        // A complete bipartite graph of two and two vertices has one crossing in any order.
        let mut sketch = Sketch::new(&graph(&[0, 0, 1, 1], &[(0, 2), (0, 3), (1, 2), (1, 3)]));
        sketch.sort();
        assert_eq!(sketch.crossings(), 1);
    }

    #[test]
    fn boxes_keep_apart_and_edges_reach_them() {
        let graph =
            graph(&[0, 0, 0, 1, 1, 2, 3], &[(0, 3), (1, 3), (1, 4), (2, 6), (3, 5), (4, 5), (5, 6), (0, 6)]);
        let drawing = lay_out(&graph);
        for a in 0..7 {
            let [x, y] = drawing.centres[a];
            assert!(x >= 10.0 && y >= 10.0 && x + 10.0 <= drawing.size[0] && y + 10.0 <= drawing.size[1]);
            for b in (0..a).filter(|&b| graph.layers[a] == graph.layers[b]) {
                assert!((drawing.centres[b][1] - y).abs() >= 20.0, "{a} and {b} are too close");
            }
        }
        for (&(from, to, _), route) in graph.edges.iter().zip(&drawing.routes) {
            assert_eq!(
                route.len(),
                2 * (graph.layers[to] - graph.layers[from]),
                "two points for each layer passed"
            );
            assert_eq!(route[0][1].to_bits(), drawing.centres[from][1].to_bits());
            assert!(route.windows(2).all(|pair| pair[0][0] <= pair[1][0]), "from left to right");
        }
        assert_eq!(drawing, lay_out(&graph), "the same graph gives the same drawing");
    }

    #[test]
    fn edges_of_a_bundle_share_their_stops() {
        let long = [(0, 2), (0, 3)];
        let sketch = Sketch::new(&graph(&[0, 1, 3, 3], &long));
        assert_eq!(sketch.stops[0], sketch.stops[1]);
        let mut apart = graph(&[0, 1, 3, 3], &long);
        apart.edges[1].2 = 1;
        let sketch = Sketch::new(&apart);
        assert_ne!(sketch.stops[0], sketch.stops[1]);
    }

    #[test]
    fn nothing_is_a_drawing_too() {
        let drawing = lay_out(&Graph::default());
        assert!(drawing.centres.is_empty() && drawing.size.iter().all(|side| side.is_finite()));
    }

    #[test]
    fn pools_are_means() {
        assert_eq!(isotonic(&[1.0, 3.0, 2.0, 4.0]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(isotonic(&[3.0, 2.0, 1.0]), [2.0, 2.0, 2.0]);
        assert!(isotonic(&[]).is_empty());
    }
}
