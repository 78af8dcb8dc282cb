//! Symmetries that a game might have: permutations of its fluents and moves, proposed by their
//! names.
//!
//! Rulesheets number columns and rows, so what mirrors a board reverses the numbers at one place of
//! names, and what turns it about a diagonal exchanges two places. Whether the rules are the same
//! after that is for their user to prove: nothing here looks at the rules.
//!
//! Each change that is tried takes steps by the length of all names; at most [`MOST_WORK`] are
//! taken in all; there are at most [`MOST_FOUND`] permutations, of at most [`MOST_NAMES`] names,
//! and two groups of each of fewer than [`MOST`].

use gdl_runtime::{Game, kif, vocabulary::Texts};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A permutation of fluents and moves. Roles stay.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symmetry {
    pub(super) fluents: Vec<u32>,
    pub(super) moves: Vec<u32>,
}

impl Symmetry {
    /// True if nothing moves.
    fn is_identity(&self) -> bool {
        let same = |list: &[u32]| list.iter().enumerate().all(|(place, &to)| place == to as usize);
        same(&self.fluents) && same(&self.moves)
    }

    /// First this one, then the other.
    fn then(&self, other: &Self) -> Self {
        let compose = |first: &[u32], second: &[u32]| first.iter().map(|&to| second[to as usize]).collect();
        Self { fluents: compose(&self.fluents, &other.fluents), moves: compose(&self.moves, &other.moves) }
    }
}

/// The most permutations of a group; candidates that make it larger are left out.
const MOST: usize = 16;

/// The most permutations that are made of names.
const MOST_FOUND: usize = 16;

/// The most names of fluents and moves that are looked at: a game with more is hardly solved.
const MOST_NAMES: usize = 1 << 15;

/// The most arguments that are looked at to try all changes.
const MOST_WORK: usize = 10_000_000;

/// Groups of permutations that might be symmetries, the larger ones first, without the identity:
/// those made by all candidates together, then by each alone.
pub(super) fn candidates<G: Game>(game: &G) -> Vec<Vec<Symmetry>> {
    let vocabulary = game.vocabulary();
    candidates_of([vocabulary.fluents(), vocabulary.moves()])
}

/// [`candidates`] of the fluents and moves of these names.
fn candidates_of(texts: [&Texts; 2]) -> Vec<Vec<Symmetry>> {
    if texts[0].len() + texts[1].len() > MOST_NAMES {
        return Vec::new();
    }
    let names = texts.map(Names::read);
    let arguments: usize = names.iter().flat_map(|names| &names.parts).map(Vec::len).sum();
    let places =
        names.iter().map(|names| names.places.keys().map(|&(_, place)| place).max().unwrap_or(0)).max();
    let most = places.unwrap_or(0);
    let mut found: Vec<Symmetry> = Vec::new();
    // The same constants at the same place of several names are likely to mean the same.
    let mut domains: Vec<(usize, &[String])> = names
        .iter()
        .flat_map(|names| names.places.iter().map(|(&(_, place), domain)| (place, &domain[..])))
        .filter(|(_, domain)| domain.len() > 1 && domain.iter().all(|c| c.parse::<i64>().is_ok()))
        .collect();
    domains.sort();
    domains.dedup();
    // A move from place to place has the columns of both at every other argument.
    let mirrors = domains.iter().flat_map(|&(place, domain)| {
        [vec![place], vec![place, place + 2]].map(|places| Change::Mirror { places, domain })
    });
    let swaps = (1..=most).flat_map(|b| (1..b).map(move |a| Change::Swap { places: [a, b] }));
    for change in mirrors.chain(swaps).take(MOST_WORK / arguments.max(1)) {
        if found.len() == MOST_FOUND {
            break;
        }
        let permute = |names: &Names<'_>| change.permute(names);
        let [Some(fluents), Some(moves)] = [permute(&names[0]), permute(&names[1])] else { continue };
        let symmetry = Symmetry { fluents, moves };
        if !symmetry.is_identity() && !found.contains(&symmetry) {
            found.push(symmetry);
        }
    }
    let mut groups: Vec<Vec<Symmetry>> = Vec::new();
    for first in 0..found.len() {
        // All from here on, and this one alone.
        for generators in [&found[first..], &found[first..=first]] {
            let group = close(generators);
            if !group.is_empty() && !groups.contains(&group) {
                groups.push(group);
            }
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

/// All that comes of some permutations one after the other; nothing if that is too much.
fn close(generators: &[Symmetry]) -> Vec<Symmetry> {
    let mut group: Vec<Symmetry> = generators.to_vec();
    let mut next = 0;
    while next < group.len() {
        for generator in generators {
            let product = group[next].then(generator);
            if !product.is_identity() && !group.contains(&product) {
                group.push(product);
            }
        }
        if group.len() >= MOST {
            return Vec::new();
        }
        next += 1;
    }
    group.sort();
    group
}

/// Names taken apart.
struct Names<'t> {
    texts: &'t Texts,
    /// Functor and arguments; those without arguments have only a functor.
    parts: Vec<Vec<&'t str>>,
    /// For each functor and number of arguments, and each place from 1 on, the constants there, in
    /// numerical order.
    places: BTreeMap<((&'t str, usize), usize), Vec<String>>,
}

impl<'t> Names<'t> {
    fn read(texts: &'t Texts) -> Self {
        let parts: Vec<Vec<&str>> =
            texts.iter().map(|text| kif::items(text).unwrap_or_else(|| vec![text])).collect();
        let mut places: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for part in &parts {
            for place in 1..part.len() {
                places.entry(((part[0], part.len()), place)).or_default().push(part[place].to_owned());
            }
        }
        for domain in places.values_mut() {
            domain.sort_by_key(|constant| (constant.parse::<i64>().unwrap_or(i64::MAX), constant.clone()));
            domain.dedup();
        }
        Self { texts, parts, places }
    }
}

/// A change of names.
enum Change<'d> {
    /// Constants at some places are reversed in order, wherever they are the same ones.
    Mirror { places: Vec<usize>, domain: &'d [String] },
    /// Arguments at two places are exchanged, wherever the same constants are possible at both.
    Swap { places: [usize; 2] },
}

impl Change<'_> {
    /// The image of each name. Returns `None` if it is the name of nothing.
    fn permute(&self, names: &Names<'_>) -> Option<Vec<u32>> {
        // The places that are changed, and what each constant becomes.
        let mut changing = BTreeSet::new();
        let mut images: FxHashMap<&str, &str> = FxHashMap::default();
        match self {
            Self::Mirror { places, domain: wanted } => {
                let reversed = wanted.iter().rev().map(String::as_str);
                images = wanted.iter().map(String::as_str).zip(reversed).collect();
                let fits = |(key, domain): &(&(_, usize), &Vec<String>)| {
                    places.contains(&key.1) && domain[..] == **wanted
                };
                changing = names.places.iter().filter(fits).map(|(&key, _)| key).collect();
            }
            Self::Swap { places: [a, b] } => {
                let fits = |(key, domain): &(&(_, usize), &Vec<String>)| {
                    key.1 == *a && names.places.get(&(key.0, *b)) == Some(domain)
                };
                changing.extend(names.places.iter().filter(fits).map(|(&key, _)| key));
            }
        }
        let changed = names.parts.iter().map(|part| {
            let mut new: Vec<&str> = part.clone();
            let is_changing = |place: usize| changing.contains(&((part[0], part.len()), place));
            match self {
                Self::Mirror { places, .. } => {
                    for &place in places.iter().filter(|&&place| is_changing(place)) {
                        new[place] = images.get(part[place])?;
                    }
                }
                Self::Swap { places: [a, b] } if is_changing(*a) => new.swap(*a, *b),
                Self::Swap { .. } => {}
            }
            let text = if new.len() == 1 { new[0].to_owned() } else { format!("({})", new.join(" ")) };
            names.texts.position(&text).map(|position| position as u32)
        });
        let changed: Vec<u32> = changed.collect::<Option<_>>()?;
        let mut sorted = changed.clone();
        sorted.sort_unstable();
        sorted.dedup();
        (sorted.len() == changed.len()).then_some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: Vec<String>) -> Texts {
        let mut list = list;
        list.sort();
        Texts::new(list)
    }

    /// All ways to exchange two of seven arguments are symmetries of all combinations.
    #[test]
    fn permutations_are_few_whatever_the_names() {
        let all = |arity: u32| {
            let name = |number: u32| {
                let digits: Vec<String> = (0..arity).map(|place| (number >> place & 1).to_string()).collect();
                format!("(f {})", digits.join(" "))
            };
            texts((0..1_u32 << arity).map(name).collect())
        };
        let none = Texts::new::<&str>([]);
        let groups = candidates_of([&all(7), &none]);
        assert!((1..=2 * MOST_FOUND).contains(&groups.len()), "{} groups", groups.len());
        assert!(groups.iter().all(|group| group.len() < MOST));
        assert!(!candidates_of([&all(2), &none]).is_empty());
        assert!(candidates_of([&all(16), &none]).is_empty());
    }
}
