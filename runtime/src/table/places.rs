//! The places of moves in the ascending list of a role's possible moves, found in constant time.

/// The possible moves of each role, with ranks.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The number of words of each role.
    words: usize,
    /// A bit for each move of each role.
    moves: Box<[u64]>,
    /// For each word, the number of the role's bits that are set before it.
    before: Box<[u32]>,
}

impl Places {
    /// Creates the places of moves in ascending lists, one for each role, with `words` words of 64
    /// moves.
    pub(crate) fn new(lists: &[Vec<u32>], words: usize) -> Self {
        let mut moves = vec![0_u64; lists.len() * words];
        let mut before = Vec::with_capacity(moves.len());
        for (role, list) in lists.iter().enumerate() {
            let row = &mut moves[role * words..(role + 1) * words];
            list.iter().for_each(|&action| row[action as usize / 64] |= 1 << (action % 64));
            let mut count = 0;
            for word in row {
                before.push(count);
                count += word.count_ones();
            }
        }
        Self { words, moves: moves.into(), before: before.into() }
    }

    /// The place of a role's move. Returns `None` if the role never makes it.
    #[inline]
    pub(crate) fn find(&self, role: usize, action: usize) -> Option<usize> {
        if action / 64 >= self.words {
            return None;
        }
        let word = role * self.words + action / 64;
        let (moves, bit) = (*self.moves.get(word)?, 1 << (action % 64));
        (moves & bit != 0).then(|| self.before[word] as usize + (moves & (bit - 1)).count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_have_the_places_of_their_lists() {
        let lists = [vec![0, 3, 63, 64, 130], vec![], vec![64, 65, 191]];
        let places = Places::new(&lists, 3);
        for (role, list) in lists.iter().enumerate() {
            for action in 0..300 {
                let expected = list.iter().position(|&other| other as usize == action);
                assert_eq!(places.find(role, action), expected, "{role} {action}");
            }
        }
        assert_eq!(places.find(3, 0), None);
    }
}
