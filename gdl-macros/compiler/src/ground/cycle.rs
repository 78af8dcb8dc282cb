//! Strongly connected components of a graph given by successors, after Tarjan (1972), without
//! recursion.

/// Calls `emit` with each component of the graph on `0..nodes`, a component after all it points to.
/// `successors` appends the successors of a node. O(nodes + edges).
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
    // The path: node, its number, and where its pending successors start in `pending`.
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

#[cfg(test)]
mod tests {
    use super::components;

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
}
