//! Strongly connected components and shortest paths of a graph given by its edges, without
//! recursion: O(nodes + edges) each.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Calls `emit` with each strongly connected component of the graph on `0..nodes`, after the
/// components that it leads to. `successors` appends the successors of a node (Tarjan 1972).
#[allow(clippy::missing_panics_doc, reason = "what is expected holds for every graph")]
pub fn components(
    nodes: usize,
    mut successors: impl FnMut(usize, &mut Vec<usize>),
    mut emit: impl FnMut(&[usize]),
) {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let mut low = vec![UNSEEN; nodes];
    let mut stack: Vec<usize> = Vec::new();
    // The current path: each node, its number and the start of its successors in `pending`.
    let mut path: Vec<(usize, u32, usize)> = Vec::new();
    let mut pending: Vec<usize> = Vec::new();
    let mut counter = 0;
    for root in 0..nodes {
        if low[root] != UNSEEN {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                low[node] = counter;
                path.push((node, counter, pending.len()));
                counter += 1;
                stack.push(node);
                successors(node, &mut pending);
            }
            let Some(&(node, number, start)) = path.last() else { break };
            if pending.len() > start {
                let next = pending.pop().expect("longer than start");
                match low[next] {
                    UNSEEN => enter = Some(next),
                    DONE => {}
                    seen => low[node] = low[node].min(seen),
                }
                continue;
            }
            path.pop();
            if low[node] == number {
                let first = stack.iter().rposition(|&n| n == node).expect("on the stack");
                stack[first..].iter().for_each(|&n| low[n] = DONE);
                emit(&stack[first..]);
                stack.truncate(first);
            } else if let Some(&(parent, ..)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
}

/// The index of each node's component. A component has a larger index than the components that it
/// leads to.
pub(crate) fn component_of(nodes: usize, successors: impl FnMut(usize, &mut Vec<usize>)) -> Vec<usize> {
    let mut component = vec![0; nodes];
    let mut count = 0;
    components(nodes, successors, |members| {
        members.iter().for_each(|&member| component[member] = count);
        count += 1;
    });
    component
}

/// Returns the nodes of a shortest path of at least one edge, both ends included. All inner nodes
/// satisfy `may`. Returns `None` if there is no such path.
pub(crate) fn path(
    edges: &[Vec<usize>],
    from: usize,
    to: usize,
    may: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    // A map, since each of many searches visits only a small part of the graph.
    let mut before: FxHashMap<usize, usize> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for &next in &edges[node] {
            if next == to {
                let mut nodes = vec![to, node];
                let mut node = node;
                while node != from {
                    node = before[&node];
                    nodes.push(node);
                }
                nodes.reverse();
                return Some(nodes);
            }
            if !before.contains_key(&next) && next != from && may(next) {
                before.insert(next, node);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{component_of, components, path};

    #[test]
    fn dependencies_come_first() {
        let edges: [&[usize]; 6] = [&[1], &[2, 3], &[1], &[4], &[], &[5]];
        let mut found = Vec::new();
        components(
            6,
            |n, out| out.extend(edges[n]),
            |members| {
                let mut members = members.to_vec();
                members.sort_unstable();
                found.push(members);
            },
        );
        assert_eq!(found, [vec![4], vec![3], vec![1, 2], vec![0], vec![5]]);
    }

    #[test]
    fn components_are_numbered_against_the_edges() {
        let edges = [vec![1], vec![2], vec![1, 3], vec![]];
        let component = component_of(edges.len(), |node, out| out.extend(&edges[node]));
        assert_eq!(component[1], component[2]);
        assert!(component[3] < component[1] && component[1] < component[0]);
    }

    #[test]
    fn paths_are_shortest() {
        let edges = vec![vec![1, 2], vec![3], vec![1], vec![0]];
        assert_eq!(path(&edges, 0, 3, |_| true), Some(vec![0, 1, 3]));
        assert_eq!(path(&edges, 0, 3, |node| node != 1), None);
        assert_eq!(path(&edges, 0, 0, |_| true), Some(vec![0, 1, 3, 0]));
    }
}
