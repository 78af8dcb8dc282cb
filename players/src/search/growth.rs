//! Growth of lists within a number of bytes: computes the bytes of a longer list before it is
//! allocated.
//!
//! A full list moves into a longer one, and both are allocated during the move. Short lists double.
//! Long ones grow by an eighth, so that a search can use most of its bytes.

/// The bytes from which a list counts as long.
const LONG: usize = 1 << 20;

/// A list whose growth is computed before it happens.
pub(crate) trait Grow {
    /// Returns the bytes that the list takes.
    fn held(&self) -> usize;

    /// Returns the bytes of the longer list that `more` further elements need; 0 if they fit.
    fn growth(&self, more: usize) -> usize;

    /// Makes room for `more` further elements.
    fn grow(&mut self, more: usize);
}

/// Returns the capacity after making room for `more` further elements.
fn longer<T>(list: &Vec<T>, more: usize) -> usize {
    let room = list.capacity();
    if list.len() + more <= room {
        return room;
    }
    let step = if room * size_of::<T>() < LONG { room } else { room / 8 };
    (list.len() + more).max(room + step)
}

impl<T> Grow for Vec<T> {
    fn held(&self) -> usize {
        self.capacity() * size_of::<T>()
    }

    #[inline]
    fn growth(&self, more: usize) -> usize {
        let room = longer(self, more);
        if room == self.capacity() { 0 } else { room * size_of::<T>() }
    }

    #[inline]
    fn grow(&mut self, more: usize) {
        let room = longer(self, more);
        self.reserve_exact(room - self.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_known_before() {
        let mut list: Vec<u64> = Vec::new();
        let mut moves = 0;
        while list.held() < 4 * LONG {
            let (held, growth) = (list.held(), list.growth(3));
            list.grow(3);
            if growth == 0 {
                assert_eq!(list.held(), held);
            } else {
                moves += 1;
                assert_eq!(list.held(), growth);
                let step = growth - held;
                assert!(
                    if held < LONG { step <= held.max(24) } else { step == held / 64 * 8 },
                    "{held} {growth}"
                );
            }
            list.extend([1, 2, 3]);
        }
        assert!((20..40).contains(&moves), "{moves}");
    }
}
