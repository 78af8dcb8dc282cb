//! Strongly connected components and shortest paths, without recursion: O(nodes + edges) each.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The component of each node; those a component leads to have smaller numbers (Tarjan 1972).
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low) = (vec![NONE; n], vec![0; n]);
    let mut component = vec![NONE; n];
    let (mut stack, mut calls) = (Vec::new(), Vec::new());
    let (mut next, mut count) = (0, 0);
    for root in 0..n {
        if index[root] != NONE {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, edge)) = calls.pop() {
            if edge == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
            } else {
                let child = edges[node][edge - 1];
                if component[child] == NONE {
                    low[node] = low[node].min(low[child]);
                }
            }
            if let Some(&child) = edges[node].get(edge) {
                calls.push((node, edge + 1));
                if index[child] == NONE {
                    calls.push((child, 0));
                }
                continue;
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}

/// The nodes of a shortest path of at least one edge, both ends included, through nodes that `may`
/// be passed.
pub(super) fn path(
    edges: &[Vec<usize>],
    from: usize,
    to: usize,
    may: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    // Many searches look at a small part of the graph each.
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
    use super::{components, path};

    #[test]
    fn components_are_numbered_against_the_edges() {
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![]];
        let component = components(&edges);
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
