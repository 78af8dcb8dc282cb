//! What a game is: the trait every player, search and tool works with.
//!
//! A state is a row of bits, one per fluent; a view is a row of bits that shows what can be seen of
//! a state: the legal moves, the goals and whether it is terminal. A compiled game's rows have a
//! fixed size and are plain `Copy` values, a dynamic game's live on the heap; both are the same to
//! whoever is generic over [`Game`]. What the roles perceive of a step is a function of its own, which
//! costs nothing unless it is asked for.

use crate::{
    bits,
    chance::Probability,
    error::{Kind, StepError, TextError},
    information::Perception,
    kif,
    random::Stream,
    table::Table,
    vocabulary::{Texts, Vocabulary},
};
use std::{fmt::Debug, hash::Hash, marker::PhantomData};

pub use gdl_format::shape::Shape;

/// A row of bits in words of 64, lowest bit first.
pub trait Row: AsRef<[u64]> + AsMut<[u64]> + Clone + Eq + Ord + Hash + Debug + Send + Sync {}

impl<T: AsRef<[u64]> + AsMut<[u64]> + Clone + Eq + Ord + Hash + Debug + Send + Sync> Row for T {}

/// A role, move, fluent or percept of a game: a dense number with a type of its own.
pub trait Id: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The position in the [`Vocabulary`]'s list.
    fn index(self) -> usize;

    /// The id at a position.
    ///
    /// # Panics
    /// May panic, or give an id the game does not know, if the list has no such position.
    fn from_index(index: usize) -> Self;
}

/// Plain positions, for code that has no game at hand.
impl Id for usize {
    #[inline]
    fn index(self) -> usize {
        self
    }

    #[inline]
    fn from_index(index: usize) -> Self {
        index
    }
}

/// The percepts of a game whose rules say nothing of percepts: there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoPercept {}

impl Id for NoPercept {
    fn index(self) -> usize {
        match self {}
    }

    fn from_index(_: usize) -> Self {
        panic!("the game has no percepts")
    }
}

/// The rules of a game, ready to play.
///
/// Everything works on `&self`: a compiled game is a zero-sized value, a dynamic one shares its
/// tables between threads.
pub trait Game: Send + Sync {
    /// A position: one bit per fluent.
    type State: Row;
    /// What is seen of a position; see [`Shape::view_words`] for the layout.
    type View: Row;
    /// A player.
    type Role: Id;
    /// Something a player may do.
    type Move: Id;
    /// Something that may hold in a position.
    type Fluent: Id;
    /// Something a player may perceive of a step; [`NoPercept`] if each perceives the joint move.
    type Percept: Id;

    /// The names of roles, moves, fluents and percepts, and the values of the goals.
    fn vocabulary(&self) -> &Vocabulary;

    /// The sizes of the game.
    fn shape(&self) -> Shape;

    /// The game as a table, if it was compiled from rules: what engines other than `self` can play from.
    fn table(&self) -> Option<&Table> {
        None
    }

    /// The state in which no fluent holds.
    fn empty(&self) -> Self::State;

    /// A view to be filled by [`Game::observe`].
    fn blank(&self) -> Self::View;

    /// The state at the start.
    fn initial(&self) -> Self::State;

    /// Writes what is seen of `state` into `view`, all of it. The hot half of a step.
    fn observe(&self, state: &Self::State, view: &mut Self::View);

    /// [`Game::observe`], but unless the state is terminal the goals may be missing: none of their bits is set that
    /// `observe` does not set. Playouts and searches need no more, and goals may be most of the work.
    #[inline]
    fn glance(&self, state: &Self::State, view: &mut Self::View) {
        self.observe(state, view);
    }

    /// Replaces `state` by the one that follows when each role makes its move of `joint`, one move
    /// per role in role order. The other hot half of a step.
    ///
    /// Nothing is checked: if `state` is terminal, a move is not legal in it or missing, the result is some
    /// state or a panic, never undefined behaviour. [`Game::next`] checks.
    fn advance(&self, state: &mut Self::State, joint: &[Self::Move]);

    /// Writes what each role perceives when the joint move is made in `state`: a row of percepts, which has
    /// [`Shape::percept_words`] words for each role. Nothing is checked, as for [`Game::advance`]; see
    /// [`Game::perception`] for what a player is told.
    ///
    /// # Panics
    /// If `percepts` is too short.
    fn perceive(&self, _state: &Self::State, _joint: &[Self::Move], percepts: &mut [u64]) {
        percepts.fill(0);
    }

    /// The roles, in role order.
    fn roles(&self) -> impl ExactSizeIterator<Item = Self::Role> + use<Self> {
        (0..self.shape().roles).map(Self::Role::from_index)
    }

    /// What is seen of `state`, for the functions that end in `_in`. One [`Game::observe`].
    fn view(&self, state: &Self::State) -> Self::View {
        let mut view = self.blank();
        self.observe(state, &mut view);
        view
    }

    /// True if the game is over.
    fn terminal(&self, state: &Self::State) -> bool {
        let mut view = self.blank();
        self.glance(state, &mut view);
        self.terminal_in(&view)
    }

    /// [`Game::terminal`] of a state already seen.
    #[inline]
    fn terminal_in(&self, view: &Self::View) -> bool {
        bits::test(view.as_ref(), self.shape().terminal_bit())
    }

    /// The moves a role may make, in move order. The rules may give legal moves in a terminal state
    /// too, though [`Game::next`] refuses to make them.
    fn legal(&self, state: &Self::State, role: Self::Role) -> Legal<Self::Move, Self::View> {
        let mut view = self.blank();
        self.glance(state, &mut view);
        Legal::new(view, self.shape(), role.index())
    }

    /// [`Game::legal`] of a state already seen.
    fn legal_in<'v>(&self, view: &'v Self::View, role: Self::Role) -> Legal<Self::Move, &'v Self::View> {
        Legal::new(view, self.shape(), role.index())
    }

    /// True if the role may make the move.
    fn is_legal_in(&self, view: &Self::View, role: Self::Role, action: Self::Move) -> bool {
        let shape = self.shape();
        action.index() < shape.moves
            && bits::test(legal_words(view.as_ref(), shape, role.index()), action.index())
    }

    /// The role's goal value: `None` if no value holds or several do, as is common before the end.
    fn goal(&self, state: &Self::State, role: Self::Role) -> Option<u8> {
        self.goal_in(&self.view(state), role)
    }

    /// [`Game::goal`] of a state already seen.
    fn goal_in(&self, view: &Self::View, role: Self::Role) -> Option<u8> {
        match self.goals_in(view, role)[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// All goal values of a role that hold, ascending. In a well-formed game exactly one does in a
    /// terminal state.
    fn goals(&self, state: &Self::State, role: Self::Role) -> Vec<u8> {
        self.goals_in(&self.view(state), role)
    }

    /// [`Game::goals`] of a state already seen.
    fn goals_in(&self, view: &Self::View, role: Self::Role) -> Vec<u8> {
        let vocabulary = self.vocabulary();
        let before: usize = (0..role.index()).map(|r| vocabulary.goals_of(r).len()).sum();
        let first = self.shape().goal_bit() + before;
        let values = vocabulary.goals_of(role.index()).iter().enumerate();
        values.filter(|(i, _)| bits::test(view.as_ref(), first + i)).map(|(_, &value)| value).collect()
    }

    /// The state that follows when each role makes its move of `joint`, in role order.
    ///
    /// # Errors
    /// If the number of moves is not that of the roles, if `state` is terminal, or if a move is not
    /// legal. The first fault in role order.
    fn next(&self, state: &Self::State, joint: &[Self::Move]) -> Result<Self::State, StepError> {
        let mut view = self.blank();
        self.glance(state, &mut view);
        self.check_in(&view, joint)?;
        Ok(self.next_unchecked(state, joint))
    }

    /// What [`Game::next`] tests, of a state already seen.
    ///
    /// # Errors
    /// As for [`Game::next`].
    fn check_in(&self, view: &Self::View, joint: &[Self::Move]) -> Result<(), StepError> {
        let expected = self.shape().roles;
        if joint.len() != expected {
            return Err(StepError::Count { expected, found: joint.len() });
        }
        if self.terminal_in(view) {
            return Err(StepError::Terminal);
        }
        for (role, &action) in self.roles().zip(joint) {
            if !self.is_legal_in(view, role, action) {
                return Err(StepError::Illegal {
                    role: self.role_text(role).to_owned(),
                    action: self.move_text(action).to_owned(),
                    legal: self.legal_in(view, role).map(|m| self.move_text(m).to_owned()).collect(),
                });
            }
        }
        Ok(())
    }

    /// What a role perceives when the joint move is made in `state`: the percepts that the rules give it
    /// (`sees`), or the joint move itself if the rules say nothing of percepts.
    ///
    /// Nothing is checked, as for [`Game::advance`]. As costly as a step, and a little allocation.
    fn perception(
        &self,
        state: &Self::State,
        joint: &[Self::Move],
        role: Self::Role,
    ) -> Perception<Self::Move, Self::Percept> {
        if !self.vocabulary().has_percepts() {
            return Perception::Joint(joint.into());
        }
        let shape = self.shape();
        let mut row = vec![0; shape.roles * shape.percept_words()];
        self.perceive(state, joint, &mut row);
        Perception::of_row(percept_words(&row, shape, role.index()))
    }

    /// The role that stands for chance, if the game has one: in rulesheets the one called `random`.
    fn chance_role(&self) -> Option<Self::Role> {
        self.vocabulary().chance().map(Self::Role::from_index)
    }

    /// What chance may do in a state and how likely it is, in move order: each legal move is as likely as
    /// the others. Nothing if the game has no chance.
    fn chance(&self, state: &Self::State) -> Vec<(Self::Move, Probability)> {
        let Some(role) = self.chance_role() else { return Vec::new() };
        let legal = self.legal(state, role);
        let each = Probability::one_in(legal.len());
        legal.map(|action| (action, each)).collect()
    }

    /// The probability of a joint move in a state already seen when each role draws one of its legal moves, all
    /// equally likely and independently of the others: the product of their probabilities. 0 if a move is
    /// missing or not legal; `None` if it takes more than 128 bits.
    fn probability_in(&self, view: &Self::View, joint: &[Self::Move]) -> Option<Probability> {
        if joint.len() != self.shape().roles {
            return Some(Probability::ZERO);
        }
        self.roles().zip(joint).try_fold(Probability::ONE, |product, (role, &action)| {
            let cases =
                if self.is_legal_in(view, role, action) { self.legal_in(view, role).len() } else { 0 };
            product.checked_mul(Probability::one_in(cases))
        })
    }

    /// A legal move of a role of a state already seen, each exactly as likely: what chance does. `None` if
    /// there is none.
    fn draw_in(&self, view: &Self::View, role: Self::Role, stream: &mut Stream) -> Option<Self::Move> {
        let words = legal_words(view.as_ref(), self.shape(), role.index());
        bits::choose(words, |n| stream.below(n)).map(Self::Move::from_index)
    }

    /// [`Game::next`] without the tests, and without their cost. See [`Game::advance`] for what may
    /// come out when a move is not legal or the game is over.
    fn next_unchecked(&self, state: &Self::State, joint: &[Self::Move]) -> Self::State {
        let mut next = state.clone();
        self.advance(&mut next, joint);
        next
    }

    /// What holds in a state, in fluent order.
    fn fluents<'s>(&self, state: &'s Self::State) -> impl Iterator<Item = Self::Fluent> + use<'s, Self> {
        bits::ones(state.as_ref()).map(Self::Fluent::from_index)
    }

    /// True if the fluent holds.
    fn holds(&self, state: &Self::State, fluent: Self::Fluent) -> bool {
        bits::test(state.as_ref(), fluent.index())
    }

    /// The state in which exactly these fluents hold. Whether play can reach it is not asked.
    ///
    /// # Panics
    /// If a fluent belongs to another, larger game.
    fn state_from(&self, fluents: impl IntoIterator<Item = Self::Fluent>) -> Self::State
    where
        Self: Sized,
    {
        let mut state = self.empty();
        for fluent in fluents {
            bits::set(state.as_mut(), fluent.index());
        }
        state
    }

    /// The name of a role.
    fn role_text(&self, role: Self::Role) -> &str {
        text(self.vocabulary().roles(), role)
    }

    /// A move as KIF text, for example `(mark 1 1)`.
    fn move_text(&self, action: Self::Move) -> &str {
        text(self.vocabulary().moves(), action)
    }

    /// A fluent as KIF text, for example `(cell 1 1 b)`.
    fn fluent_text(&self, fluent: Self::Fluent) -> &str {
        text(self.vocabulary().fluents(), fluent)
    }

    /// A percept as KIF text, for example `(die 6)`.
    fn percept_text(&self, percept: Self::Percept) -> &str {
        text(self.vocabulary().percepts(), percept)
    }

    /// A state as KIF text: its fluents in order, for example `((cell 1 1 b) (control x))`.
    fn state_text(&self, state: &Self::State) -> String {
        let texts: Vec<&str> = self.fluents(state).map(|fluent| self.fluent_text(fluent)).collect();
        format!("({})", texts.join(" "))
    }

    /// What a role perceived, as KIF text: a list of percepts, for example `((die 6))`, or the moves of all
    /// roles.
    fn perception_text(&self, perception: &Perception<Self::Move, Self::Percept>) -> String {
        let texts: Vec<&str> = match perception {
            Perception::Joint(joint) => joint.iter().map(|&action| self.move_text(action)).collect(),
            Perception::Percepts(percepts) => percepts.iter().map(|&p| self.percept_text(p)).collect(),
        };
        format!("({})", texts.join(" "))
    }

    /// The role of that name. White space around it and, if no role is spelt exactly so, case do not
    /// matter; the same holds for the other functions that read texts.
    ///
    /// # Errors
    /// If the game has no such role.
    fn parse_role(&self, text: &str) -> Result<Self::Role, TextError> {
        find(self.vocabulary().roles(), Kind::Role, text)
    }

    /// The move of that KIF text. Whether it is legal is not asked.
    ///
    /// # Errors
    /// If the game has no such move.
    fn parse_move(&self, text: &str) -> Result<Self::Move, TextError> {
        find(self.vocabulary().moves(), Kind::Move, text)
    }

    /// The fluent of that KIF text.
    ///
    /// # Errors
    /// If the game has no such fluent.
    fn parse_fluent(&self, text: &str) -> Result<Self::Fluent, TextError> {
        find(self.vocabulary().fluents(), Kind::Fluent, text)
    }

    /// The percept of that KIF text.
    ///
    /// # Errors
    /// If the game has no such percept.
    fn parse_percept(&self, text: &str) -> Result<Self::Percept, TextError> {
        find(self.vocabulary().percepts(), Kind::Percept, text)
    }

    /// What a role perceived, as a server tells it: a list of percepts in any order, or of the moves of all
    /// roles in role order where the rules say nothing of percepts. `nil` is the empty list. The reverse of
    /// [`Game::perception_text`].
    ///
    /// # Errors
    /// If the text is not such a list, or the game does not have one of its names.
    fn parse_perception(&self, text: &str) -> Result<Perception<Self::Move, Self::Percept>, TextError> {
        let items = if text.trim().eq_ignore_ascii_case("nil") { Some(Vec::new()) } else { kif::items(text) };
        let malformed = || TextError::Malformed { kind: Kind::Perception, text: text.to_owned() };
        let items = items.ok_or_else(malformed)?;
        if self.vocabulary().has_percepts() {
            let percepts: Result<Vec<_>, _> =
                items.into_iter().map(|item| self.parse_percept(item)).collect();
            return Ok(Perception::percepts(percepts?));
        }
        let joint: Result<Box<[_]>, _> = items.into_iter().map(|item| self.parse_move(item)).collect();
        Ok(Perception::Joint(joint?))
    }

    /// The state written as a list of fluents, in any order: the reverse of [`Game::state_text`].
    ///
    /// # Errors
    /// If the text is not a list in parentheses or the game does not have one of the fluents.
    fn parse_state(&self, text: &str) -> Result<Self::State, TextError> {
        let items = kif::items(text)
            .ok_or_else(|| TextError::Malformed { kind: Kind::State, text: text.to_owned() })?;
        let mut state = self.empty();
        for item in items {
            bits::set(state.as_mut(), self.parse_fluent(item)?.index());
        }
        Ok(state)
    }
}

fn text<I: Id>(texts: &Texts, id: I) -> &str {
    texts.get(id.index()).unwrap_or("?")
}

fn find<I: Id>(texts: &Texts, kind: Kind, text: &str) -> Result<I, TextError> {
    let position = texts.find(text);
    position.map(I::from_index).ok_or_else(|| TextError::Unknown { kind, text: text.to_owned() })
}

/// The words of a view that show a role's legal moves; none for a role the game does not have.
#[inline]
pub(crate) fn legal_words(view: &[u64], shape: Shape, role: usize) -> &[u64] {
    let words = shape.legal_words();
    if role >= shape.roles {
        return &[];
    }
    view.get(role * words..(role + 1) * words).unwrap_or(&[])
}

/// The words of a row of percepts that are a role's; none for a role the game does not have.
pub(crate) fn percept_words(row: &[u64], shape: Shape, role: usize) -> &[u64] {
    let words = shape.percept_words();
    if role >= shape.roles {
        return &[];
    }
    row.get(role * words..(role + 1) * words).unwrap_or(&[])
}

/// The legal moves of a role, in move order; see [`Game::legal`]. It holds the view it reads, or
/// refers to one.
#[derive(Clone, Debug)]
pub struct Legal<M, V> {
    view: V,
    /// The word that comes next and the one behind the last.
    words: std::ops::Range<usize>,
    /// The number of the current word's first bit.
    base: usize,
    /// The set bits of the current word that are still to come.
    rest: u64,
    /// The moves still to come.
    left: usize,
    id: PhantomData<M>,
}

impl<M: Id, V: AsRef<[u64]>> Legal<M, V> {
    fn new(view: V, shape: Shape, role: usize) -> Self {
        let row = legal_words(view.as_ref(), shape, role);
        let left = bits::count(row);
        let rest = row.first().copied().unwrap_or(0);
        let start = role * shape.legal_words();
        let words = start + 1..start + row.len().max(1);
        Self { view, words, base: 0, rest, left, id: PhantomData }
    }
}

impl<M: Id, V: AsRef<[u64]>> Iterator for Legal<M, V> {
    type Item = M;

    #[inline]
    fn next(&mut self) -> Option<M> {
        while self.rest == 0 {
            self.rest = *self.view.as_ref().get(self.words.next()?)?;
            self.base += 64;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        self.left -= 1;
        Some(M::from_index(self.base + bit))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<M: Id, V: AsRef<[u64]>> ExactSizeIterator for Legal<M, V> {}
impl<M: Id, V: AsRef<[u64]>> std::iter::FusedIterator for Legal<M, V> {}
