//! Places of moves among those that a role may ever make, found in constant time.

/// For each role which moves it may ever make.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Words of a role.
    words: usize,
    /// A bit for each move.
    moves: Box<[u64]>,
    /// The number of bits of the role that are set before each word.
    before: Box<[u32]>,
}

impl Places {
    /// The places in ascending lists of moves, one for each role, with `words` words of 64 moves.
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

    /// The place of a move of a role; `None` if the role never makes it.
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
