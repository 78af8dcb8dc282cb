//! Relations that are closed under composition, or under exchange of their ends, written as chains.
//!
//! That stones are connected is often said with few words: `p(x, z)` where `p(x, y)` and `p(y, z)`, or `p(y, x)` where `p(x, y)`. As it stands, a
//! closure by composition has an instance for each three places, and either makes of all pairs of places one group of atoms that depend
//! on each other. [`chain`] makes clauses that mean the same, in which one end stays where it is: there are as many instances as pairs
//! of a place and a link, and a group has one place for each.
//!
//! The arguments of such a relation p are those of its near end X, those of its far end Z, and others, F, which all its clauses hand on. Its
//! clauses may be, with any bodies A without such literals for p:
//! - base: `p(..) <- A`;
//! - far: `p(X, Z, F) <- p(X, Y, F), A`, where nothing else mentions X; and near: `p(X, Z, F) <- A, p(Y, Z, F)`, where nothing else mentions Z;
//! - composed: `p(X, Z, F) <- p(X, Y, F), p(Y, Z, F), A`, where A does not mention X and Z. If there is one such clause, and no near and no far ones, A may
//!   have conditions on X alone, and on Z alone, of which one end's are also among those on Y; if there are exchanged clauses, both are, and
//!   they are the same. Then A may also tell any of X, Y and Z apart, if these have one argument each;
//! - exchanged: `p(Z, X, F) <- p(X, Z, F)`.
//!
//! If there are exchanged clauses, each other one counts with its ends exchanged too, a far one as a near one. Where there are no far ones,
//! the ends have each other's part. Then the clauses made are, with links h that are p without far and composed clauses,
//! ```text
//! h <- A                p <- A                         for base clauses
//! h <- A, h(Y, Z, F)    p <- A, h(Y, Z, F)             for near clauses
//!                       p <- p(X, Y, F), A             for far clauses
//!                       p <- p(X, Y, F), h(Y, Z, F), A    for composed clauses
//! ```
//! Whatever is derived of p is a chain of base, far and near clauses, and the order in which they were put together
//! does not matter: a near one may be put on before all that stands behind it, since what follows does not look at X. So each part up to
//! a composition is a base clause behind near ones, which is h, and far ones, and the parts can be put together from the left. Where ends are told
//! apart, of a chain from x to another place z there is one that comes through no place twice, and of one from x by way of another place
//! back to x one that only ends where it began; the parts of such a chain meet all conditions. Conditions on an end that are among those on Y
//! are asked of all places of a chain but the other end, however it is put together; and of the other end all that is composed asks. Conversely each clause made follows
//! from those of p, as h is within p. That holds whatever is true of all that A says, so A may depend on p by way of other relations.
//!
//! O(literals) for each such relation, paid for beforehand.

use super::clause::{Clause, Clauses, Literal, Test};
use crate::{
    datalog::pattern::Pattern,
    meter::Meter,
    rules::{Keywords, RelationId},
};
use std::rc::Rc;

/// Steps that a literal takes, which is looked at and copied.
const STEPS: u64 = 8;

/// The clauses with chains for all relations that can be written so. None if there are none, or if it takes more steps than there are.
pub(super) fn chain(clauses: &Clauses, keywords: &Keywords, meter: &mut Meter) -> Option<Clauses> {
    let size = |clause: &Rc<Clause>| 1 + clause.positives.len() + clause.tests.len();
    let size = STEPS * clauses.list.iter().map(size).sum::<usize>() as u64;
    meter.spend(size)?;
    let mut relations = Vec::new();
    for clause in clauses.list.iter().filter(|clause| Ends::of(clause).is_some()) {
        let relation = clause.head.relation;
        if !keywords.contains(relation) && !relations.contains(&relation) {
            relations.push(relation);
        }
    }
    let mut chained: Option<Clauses> = None;
    for relation in relations {
        meter.spend(size)?;
        let given = chained.as_ref().unwrap_or(clauses);
        if let Some(closure) = Closure::of(given, relation) {
            chained = Some(closure.chain(given));
        }
    }
    chained
}

/// The two ends among the arguments of a relation: places in pairs, which belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ends {
    near: Vec<usize>,
    far: Vec<usize>,
}

impl Ends {
    /// The ends that a composed or an exchanged clause shows.
    fn of(clause: &Clause) -> Option<Self> {
        Self::composed(clause).map(|(ends, ..)| ends).or_else(|| Self::exchanged(clause))
    }

    /// The ends of a composed clause, with the places of its literals that have the near end and the far one.
    fn composed(clause: &Clause) -> Option<(Self, usize, usize)> {
        let mut own = own_literals(clause);
        let (one, other) = (own.next()?, own.next()?);
        if own.next().is_some() {
            return None;
        }
        let head = variables(&clause.head)?;
        [(one, other), (other, one)].into_iter().find_map(|(first, second)| {
            let left = variables(&clause.positives[first])?;
            let right = variables(&clause.positives[second])?;
            let (mut ends, mut middle) = (Self { near: Vec::new(), far: Vec::new() }, Vec::new());
            for place in 0..head.len() {
                match (left[place] == head[place], right[place] == head[place]) {
                    (true, true) => {}
                    (true, false) => middle.push((right[place], place)),
                    (false, true) => ends.far.push(place),
                    (false, false) => return None,
                }
            }
            // What is the far end of the first literal is the near end of the second.
            for &place in &ends.far {
                let (_, near) = middle.iter().find(|(variable, _)| *variable == left[place])?;
                ends.near.push(*near);
            }
            (middle.len() == ends.far.len() && !middle.is_empty()).then_some((ends, first, second))
        })
    }

    /// The ends of an exchanged clause.
    fn exchanged(clause: &Clause) -> Option<Self> {
        let [literal] = &clause.positives[..] else { return None };
        if literal.relation != clause.head.relation || !clause.tests.is_empty() {
            return None;
        }
        let (head, body) = (variables(&clause.head)?, variables(literal)?);
        let mut ends = Self { near: Vec::new(), far: Vec::new() };
        for place in 0..head.len() {
            let other = body.iter().position(|&variable| variable == head[place])?;
            if body[place] != head[other] {
                return None;
            }
            if place < other {
                ends.near.push(place);
                ends.far.push(other);
            }
        }
        (!ends.near.is_empty()).then_some(ends)
    }

    /// Whether the same places belong together.
    fn is_like(&self, other: &Self) -> bool {
        let pairs = |ends: &Self| {
            let pairs = ends.near.iter().zip(&ends.far);
            let mut pairs: Vec<_> = pairs.map(|(&a, &b)| (a.min(b), a.max(b))).collect();
            pairs.sort_unstable();
            pairs
        };
        pairs(self) == pairs(other)
    }

    fn exchange(&self, literal: &Literal) -> Literal {
        let mut arguments = literal.arguments.clone();
        for (&near, &far) in self.near.iter().zip(&self.far) {
            arguments.swap(near, far);
        }
        Literal { relation: literal.relation, arguments }
    }

    /// A clause with the ends exchanged in its head, and in the literal at `place` if there is one.
    fn exchange_in(&self, clause: &Clause, place: Option<usize>) -> Clause {
        let mut positives = clause.positives.clone();
        if let Some(place) = place {
            positives[place] = self.exchange(&positives[place]);
        }
        Clause { head: self.exchange(&clause.head), positives, tests: clause.tests.clone(), ..*clause }
    }
}

/// A composed clause.
struct Composed<'c> {
    clause: &'c Clause,
    /// The places of the literals that have the near end and the far one.
    places: [usize; 2],
    conditions: Conditions,
}

/// What a composed clause asks of its places beside that they are joined.
struct Conditions {
    /// What it asks of the near end and of the far end, as if it were said of what is between.
    ends: [Vec<Test>; 2],
    between: Vec<Test>,
    /// Whether it tells two of them apart.
    is_apart: bool,
}

impl Conditions {
    /// None if it asks for what is neither of this, such as something of both ends.
    fn of(clause: &Clause, [first, second]: [usize; 2], ends: &Ends) -> Option<Self> {
        let at = |literal: &Literal, places: &[usize]| -> Vec<u32> {
            places.iter().filter_map(|&place| variable(&literal.arguments[place])).collect()
        };
        let near = at(&clause.head, &ends.near);
        let far = at(&clause.head, &ends.far);
        let between = at(&clause.positives[second], &ends.near);
        let handed_on = clause.head.variables();
        let others = (0..clause.positives.len()).filter(|&place| place != first && place != second);
        let others = others.map(|place| Test::Literal(clause.positives[place].clone()));
        let mut conditions = Self { ends: [Vec::new(), Vec::new()], between: Vec::new(), is_apart: false };
        for test in others.chain(clause.tests.iter().cloned()) {
            let variables = test.variables();
            let asks = |places: &[u32]| variables.iter().any(|v| places.contains(v));
            let mut put = |end: usize, from: &[u32]| {
                let mut name = |v: u32| from.iter().position(|&other| other == v).map_or(v, |i| between[i]);
                conditions.ends[end].push(test.rename(&mut name));
            };
            // Another variable may be one for each place of a chain.
            let is_known = || variables.iter().all(|v| handed_on.contains(v));
            match (asks(&near), asks(&between), asks(&far)) {
                (false, _, false) => conditions.between.push(test),
                (true, false, false) if is_known() => put(0, &near),
                (false, false, true) if is_known() => put(1, &far),
                _ => {
                    let is_place = |pattern: &Pattern| matches!(pattern, Pattern::Variable(v) if near.contains(v) || between.contains(v) || far.contains(v));
                    match &test {
                        Test::Distinct(one, other)
                            if near.len() == 1 && one != other && is_place(one) && is_place(other) =>
                        {
                            conditions.is_apart = true;
                        }
                        _ => return None,
                    }
                }
            }
        }
        Some(conditions)
    }

    fn is_about_ends(&self) -> bool {
        self.is_apart || self.ends.iter().any(|end| !end.is_empty())
    }

    /// Whether chains have to begin at the far end where a relation is composed by this alone; none if they cannot.
    fn turn(&self, is_exchanged: bool) -> Option<bool> {
        let among = |some: &[Test], all: &[Test]| some.iter().all(|test| all.contains(test));
        let [near, far] = &self.ends;
        let is_known = [near, far].map(|end| among(end, &self.between));
        match (is_exchanged, is_known) {
            (true, [true, true]) => (among(near, far) && among(far, near)).then_some(false),
            (false, [_, true]) => Some(false),
            (false, [true, false]) => Some(true),
            _ => None,
        }
    }
}

/// The clauses of a relation, by what they do.
struct Closure<'c> {
    relation: RelationId,
    ends: Ends,
    base: Vec<&'c Clause>,
    /// With the place of the relation's own literal.
    near: Vec<(&'c Clause, usize)>,
    far: Vec<(&'c Clause, usize)>,
    composed: Vec<Composed<'c>>,
    exchanged: Option<&'c Clause>,
}

impl<'c> Closure<'c> {
    fn of(clauses: &'c Clauses, relation: RelationId) -> Option<Self> {
        let own: Vec<&Clause> =
            clauses.list.iter().map(|c| &**c).filter(|c| c.head.relation == relation).collect();
        // A composed clause says which end is which.
        let composed = own.iter().find_map(|clause| Ends::composed(clause).map(|(ends, ..)| ends));
        let ends = composed.or_else(|| own.iter().find_map(|clause| Ends::exchanged(clause)))?;
        let mut closure = Self {
            relation,
            ends,
            base: Vec::new(),
            near: Vec::new(),
            far: Vec::new(),
            composed: Vec::new(),
            exchanged: None,
        };
        own.into_iter().try_for_each(|clause| closure.sort(clause))?;
        let is_extended = !closure.near.is_empty() || !closure.far.is_empty();
        let is_worth_it = !closure.composed.is_empty() || closure.exchanged.is_some() && is_extended;
        if !is_worth_it || closure.base.is_empty() {
            return None;
        }
        let is_turned = match &closure.composed[..] {
            [one] if !is_extended => one.conditions.turn(closure.exchanged.is_some())?,
            all if all.iter().any(|one| one.conditions.is_about_ends()) => return None,
            _ => closure.far.is_empty(),
        };
        if is_turned {
            closure.turn();
        }
        Some(closure)
    }

    /// Gives each end the part of the other.
    fn turn(&mut self) {
        std::mem::swap(&mut self.ends.near, &mut self.ends.far);
        std::mem::swap(&mut self.near, &mut self.far);
        self.composed.iter_mut().for_each(|one| one.places.reverse());
    }

    /// Notes what a clause does. None if that is nothing of all this.
    fn sort(&mut self, clause: &'c Clause) -> Option<()> {
        let own: Vec<usize> = own_literals(clause).collect();
        if let Some(ends) = Ends::exchanged(clause) {
            self.exchanged = Some(clause);
            return self.ends.is_like(&ends).then_some(());
        }
        match own[..] {
            [] => self.base.push(clause),
            [place] => {
                let hands_on = |places: &[usize]| places.iter().all(|&i| clause.hands_on(place, i));
                let is_own = |i: &usize| !self.ends.near.contains(i) && !self.ends.far.contains(i);
                let (head, literal) = (&clause.head.arguments, &clause.positives[place].arguments);
                let is_same = |i: usize| matches!(head[i], Pattern::Variable(_)) && head[i] == literal[i];
                if !(0..head.len()).filter(is_own).all(is_same) {
                    return None;
                }
                if hands_on(&self.ends.near) {
                    self.far.push((clause, place));
                } else if hands_on(&self.ends.far) {
                    self.near.push((clause, place));
                } else {
                    return None;
                }
            }
            [_, _] => {
                let (ends, first, second) = Ends::composed(clause)?;
                let conditions = Conditions::of(clause, [first, second], &ends)?;
                if ends != self.ends {
                    return None;
                }
                self.composed.push(Composed { clause, places: [first, second], conditions });
            }
            _ => return None,
        }
        Some(())
    }

    /// The clauses with chains for those of the relation.
    fn chain(&self, clauses: &Clauses) -> Clauses {
        let Self { relation, ends, base, near, far, composed, exchanged } = self;
        let link = RelationId(clauses.relations as u32);
        let mut list: Vec<Rc<Clause>> =
            clauses.list.iter().filter(|clause| clause.head.relation != *relation).cloned().collect();
        let mut add = |mut clause: Clause, head: RelationId, other: Option<(usize, RelationId)>| {
            clause.head.relation = head;
            if let Some((place, relation)) = other {
                clause.positives[place].relation = relation;
            }
            list.push(Rc::new(clause));
        };
        let exchange =
            |clause: &Clause, place| exchanged.map(|by| (ends.exchange_in(clause, place), by.rule));
        for &clause in base {
            for head in [link, *relation] {
                add(clause.clone(), head, None);
                if let Some((clause, rule)) = exchange(clause, None) {
                    // It is this rule that gives it.
                    add(Clause { rule, ..clause }, head, None);
                }
            }
        }
        let mut put_on = |clause: Clause, place| {
            for head in [link, *relation] {
                add(clause.clone(), head, Some((place, link)));
            }
        };
        near.iter().for_each(|&(clause, place)| put_on(clause.clone(), place));
        for &(clause, place) in far {
            exchange(clause, Some(place)).into_iter().for_each(|(clause, _)| put_on(clause, place));
        }
        far.iter().for_each(|&(clause, _)| add(clause.clone(), *relation, None));
        for &(clause, place) in near {
            exchange(clause, Some(place)).into_iter().for_each(|(clause, _)| add(clause, *relation, None));
        }
        for Composed { clause, places: [_, place], .. } in composed {
            add(Clause::clone(clause), *relation, Some((*place, link)));
        }
        let (rewritten, demanded) = (clauses.rewritten.clone(), clauses.demanded.clone());
        Clauses { list, relations: clauses.relations + 1, rewritten, demanded, ..*clauses }
    }
}

/// The places of the positive literals of the relation that the clause is for.
fn own_literals(clause: &Clause) -> impl Iterator<Item = usize> + '_ {
    (0..clause.positives.len()).filter(|&place| clause.positives[place].relation == clause.head.relation)
}

/// The arguments of a literal, if they are variables and all different.
fn variables(literal: &Literal) -> Option<Vec<u32>> {
    let all: Option<Vec<u32>> = literal.arguments.iter().map(variable).collect();
    all.filter(|all| literal.variables().len() == all.len())
}

fn variable(pattern: &Pattern) -> Option<u32> {
    if let Pattern::Variable(variable) = pattern { Some(*variable) } else { None }
}
