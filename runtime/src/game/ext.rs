//! The derived methods of every game: moves by role, turns, checked steps, goals, chance, names and
//! texts.

use super::{Game, Id, LegalMoves, Perception, StepError, TextError, TextKind, legal_words, percept_words};
use crate::{bits, chance::Probability, kif, random::Stream, vocabulary::Texts};

/// Derived methods of every [`Game`]. Methods that end in `_in` take a view, so that one
/// [`GameExt::view`] of a state serves several of them.
pub trait GameExt: Game {
    /// The roles, in role order.
    fn roles(&self) -> impl ExactSizeIterator<Item = Self::Role> + use<Self> {
        (0..self.shape().roles).map(Self::Role::from_index)
    }

    /// Observes `state` for the functions that end in `_in`, by one [`Game::observe`].
    fn view(&self, state: &Self::State) -> Self::View {
        let mut view = self.new_view();
        self.observe(state, &mut view);
        view
    }

    /// Returns true if the state is terminal.
    fn is_terminal(&self, state: &Self::State) -> bool {
        let mut view = self.new_view();
        self.observe_without_goals(state, &mut view);
        self.is_terminal_in(&view)
    }

    /// Like [`GameExt::is_terminal`], in a state already observed.
    #[inline]
    fn is_terminal_in(&self, view: &Self::View) -> bool {
        bits::test(view.as_ref(), self.shape().terminal_bit())
    }

    /// Returns the legal moves of a role, in move order. The rules may give legal moves in a
    /// terminal state too, though [`GameExt::apply`] rejects them.
    fn legal_moves(&self, state: &Self::State, role: Self::Role) -> LegalMoves<Self::Move, Self::View> {
        let mut view = self.new_view();
        self.observe_without_goals(state, &mut view);
        LegalMoves::new(view, self.shape(), role.index())
    }

    /// Like [`GameExt::legal_moves`], in a state already observed.
    fn legal_moves_in<'v>(
        &self,
        view: &'v Self::View,
        role: Self::Role,
    ) -> LegalMoves<Self::Move, &'v Self::View> {
        LegalMoves::new(view, self.shape(), role.index())
    }

    /// Returns true if the role may make the move. Observes the state once; use
    /// [`GameExt::is_legal_in`] for many moves of one state.
    fn is_legal(&self, state: &Self::State, role: Self::Role, action: Self::Move) -> bool {
        let mut view = self.new_view();
        self.observe_without_goals(state, &mut view);
        self.is_legal_in(&view, role, action)
    }

    /// Like [`GameExt::is_legal`], in a state already observed.
    fn is_legal_in(&self, view: &Self::View, role: Self::Role, action: Self::Move) -> bool {
        let shape = self.shape();
        action.index() < shape.moves
            && bits::test(legal_words(view.as_ref(), shape, role.index()), action.index())
    }

    /// The role to move: the only one other than chance that has a choice, or chance if only chance
    /// has one. If chance and one role both have a choice, a step takes the moves of both
    /// ([`GameExt::apply`]).
    ///
    /// Returns `None` if several roles other than chance have a choice, every role has one move, or
    /// the game cannot go on. If every role has one move, [`GameExt::apply_one`] accepts the move
    /// of any role.
    fn to_play(&self, state: &Self::State) -> Option<Self::Role> {
        let mut view = self.new_view();
        self.observe_without_goals(state, &mut view);
        self.to_play_in(&view)
    }

    /// Like [`GameExt::to_play`], in a state already observed.
    fn to_play_in(&self, view: &Self::View) -> Option<Self::Role> {
        if self.is_terminal_in(view) {
            return None;
        }
        let chance = self.chance_role();
        let (mut asked, mut draws) = (None, None);
        for role in self.roles() {
            match self.legal_moves_in(view, role).take(2).count() {
                0 => return None,
                1 => {}
                _ if Some(role) == chance => draws = chance,
                _ if asked.is_some() => return None,
                _ => asked = Some(role),
            }
        }
        asked.or(draws)
    }

    /// Returns the joint move in which one role makes this move and every other role its only one.
    /// The mover is the role that has a choice, otherwise the first role for which the move is
    /// legal.
    ///
    /// # Errors
    /// Returns an error if several roles have a choice (chance is a role, too), if the state is
    /// terminal or if the move is not legal.
    fn joint(&self, state: &Self::State, action: Self::Move) -> Result<Vec<Self::Move>, StepError> {
        let mut view = self.new_view();
        self.observe_without_goals(state, &mut view);
        self.joint_in(&view, action)
    }

    /// Like [`GameExt::joint`], in a state already observed.
    ///
    /// # Errors
    /// As for [`GameExt::joint`].
    fn joint_in(&self, view: &Self::View, action: Self::Move) -> Result<Vec<Self::Move>, StepError> {
        let (mut joint, mut asked, mut able) = (Vec::with_capacity(self.shape().roles), None, None);
        for (place, role) in self.roles().enumerate() {
            let mut legal = self.legal_moves_in(view, role);
            if legal.len() > 1 && asked.replace(place).is_some() {
                return Err(if self.is_terminal_in(view) { StepError::Terminal } else { StepError::Several });
            }
            let first = legal.next();
            if first == Some(action) {
                able = able.or(Some(place));
            }
            joint.push(first.unwrap_or(action));
        }
        if let Some(place) = joint.get_mut(asked.or(able).unwrap_or(0)) {
            *place = action;
        }
        self.check_in(view, &joint)?;
        Ok(joint)
    }

    /// Returns the successor after one role makes this move and every other role its only one, as
    /// in turn-based games. It is [`GameExt::apply`] with the result of [`GameExt::joint`].
    ///
    /// ```
    /// use gdl_runtime::{Game, GameExt, gdl};
    ///
    /// gdl!(name = count, rules = r"
    ///     ; Who comes to four wins, counting on by one or two in turn.
    ///     (role ann) (role ben) (init (at 0)) (init (turn ann)) (other ann ben) (other ben ann)
    ///     (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    ///     (<= (legal ?r one) (true (turn ?r)) (true (at ?m)) (succ ?m ?n))
    ///     (<= (legal ?r two) (true (turn ?r)) (true (at ?l)) (succ ?l ?m) (succ ?m ?n))
    ///     (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    ///     (<= (next (at ?n)) (does ?r one) (true (at ?m)) (succ ?m ?n))
    ///     (<= (next (at ?n)) (does ?r two) (true (at ?l)) (succ ?l ?m) (succ ?m ?n))
    ///     (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
    ///     (<= terminal (true (at 4)))
    ///     (<= (goal ?r 0) (true (turn ?r))) (<= (goal ?r 100) (true (turn ?s)) (other ?s ?r))
    /// ");
    ///
    /// use count::{Move, Role};
    /// let game = count::game();
    /// let mut state = game.initial();
    /// let mut asked = Vec::new();
    /// for action in [Move::ONE, Move::TWO, Move::ONE] {
    ///     asked.push(game.to_play(&state));
    ///     state = game.apply_one(&state, action)?;
    /// }
    /// // At three each role has one move: ben to count on, ann to wait.
    /// assert_eq!(asked, [Some(Role::Ann), Some(Role::Ben), None]);
    /// assert_eq!(game.goal(&state, Role::Ann), Some(100));
    /// # Ok::<(), gdl_runtime::game::StepError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`GameExt::joint`].
    fn apply_one(&self, state: &Self::State, action: Self::Move) -> Result<Self::State, StepError> {
        let joint = self.joint(state, action)?;
        Ok(self.apply_unchecked(state, &joint))
    }

    /// The role's goal value. Returns `None` if no value holds or several do, as is common before
    /// the end.
    fn goal(&self, state: &Self::State, role: Self::Role) -> Option<u8> {
        self.goal_in(&self.view(state), role)
    }

    /// Like [`GameExt::goal`], in a state already observed.
    fn goal_in(&self, view: &Self::View, role: Self::Role) -> Option<u8> {
        let mut goals = self.goals_in(view, role);
        let value = goals.next()?;
        goals.next().is_none().then_some(value)
    }

    /// All goal values of a role that hold, ascending. In a well-formed game exactly one does in a
    /// terminal state.
    fn goals(&self, state: &Self::State, role: Self::Role) -> Vec<u8> {
        self.goals_in(&self.view(state), role).collect()
    }

    /// Like [`GameExt::goals`], in a state already observed, without allocating.
    fn goals_in<'v>(
        &'v self,
        view: &'v Self::View,
        role: Self::Role,
    ) -> impl Iterator<Item = u8> + use<'v, Self> {
        let vocabulary = self.vocabulary();
        let before: usize = (0..role.index()).map(|r| vocabulary.goals_of(r).len()).sum();
        let first = self.shape().goal_bit() + before;
        let values = vocabulary.goals_of(role.index()).iter().enumerate();
        values.filter(move |(i, _)| bits::test(view.as_ref(), first + i)).map(|(_, &value)| value)
    }

    /// Returns the successor when each role makes its move of `joint`, in role order.
    ///
    /// # Errors
    /// Returns an error if the number of moves is not the number of roles, `state` is terminal, or
    /// a move is not legal. The first illegal move in role order is reported.
    fn apply(&self, state: &Self::State, joint: &[Self::Move]) -> Result<Self::State, StepError> {
        let mut view = self.new_view();
        self.observe_without_goals(state, &mut view);
        self.check_in(&view, joint)?;
        Ok(self.apply_unchecked(state, joint))
    }

    /// Checks a joint move as [`GameExt::apply`] does, in a state already observed.
    ///
    /// # Errors
    /// As for [`GameExt::apply`].
    fn check_in(&self, view: &Self::View, joint: &[Self::Move]) -> Result<(), StepError> {
        let expected = self.shape().roles;
        if joint.len() != expected {
            return Err(StepError::Count { expected, found: joint.len() });
        }
        if self.is_terminal_in(view) {
            return Err(StepError::Terminal);
        }
        for (role, &action) in self.roles().zip(joint) {
            if !self.is_legal_in(view, role, action) {
                let mut legal = self.legal_moves_in(view, role).map(|m| self.move_text(m).to_owned());
                return Err(StepError::Illegal {
                    role: self.role_text(role).to_owned(),
                    action: self.move_text(action).to_owned(),
                    legal: legal.by_ref().take(StepError::SHOWN).collect(),
                    more: legal.len(),
                });
            }
        }
        Ok(())
    }

    /// Returns a role's perception of the joint move in `state`: its percepts by the rules
    /// (`sees`), or the joint move if the rules have no `sees`.
    ///
    /// Nothing is checked, as for [`Game::advance`]. If the rules have `sees`, the cost is about
    /// that of a step plus an allocation.
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

    /// The legal moves of chance in a state, in move order, each with the same probability. Empty
    /// if the game has no chance.
    fn chance(&self, state: &Self::State) -> Vec<(Self::Move, Probability)> {
        let Some(role) = self.chance_role() else { return Vec::new() };
        let legal = self.legal_moves(state, role);
        let each = Probability::one_in(legal.len());
        legal.map(|action| (action, each)).collect()
    }

    /// The probability of a joint move in a state already observed, if each role draws one of its
    /// legal moves uniformly and independently. It is 0 if a move is missing or not legal. Returns
    /// `None` if the product takes more than 128 bits.
    fn probability_in(&self, view: &Self::View, joint: &[Self::Move]) -> Option<Probability> {
        if joint.len() != self.shape().roles {
            return Some(Probability::ZERO);
        }
        self.roles().zip(joint).try_fold(Probability::ONE, |product, (role, &action)| {
            let cases =
                if self.is_legal_in(view, role, action) { self.legal_moves_in(view, role).len() } else { 0 };
            product.checked_mul(Probability::one_in(cases))
        })
    }

    /// Draws one of a role's legal moves uniformly, as chance does, in a state already observed.
    /// Returns `None` if the role has no legal move.
    fn random_move_in(&self, view: &Self::View, role: Self::Role, stream: &mut Stream) -> Option<Self::Move> {
        let words = legal_words(view.as_ref(), self.shape(), role.index());
        bits::choose(words, |n| stream.below(n)).map(Self::Move::from_index)
    }

    /// Like [`GameExt::apply`], without its checks and their cost. See [`Game::advance`] for the
    /// result if a move is not legal or the state is terminal.
    fn apply_unchecked(&self, state: &Self::State, joint: &[Self::Move]) -> Self::State {
        let mut next = state.clone();
        self.advance(&mut next, joint);
        next
    }

    /// The fluents that hold in a state, in fluent order.
    fn fluents<'s>(&self, state: &'s Self::State) -> impl Iterator<Item = Self::Fluent> + use<'s, Self> {
        bits::ones(state.as_ref()).map(Self::Fluent::from_index)
    }

    /// Returns true if the fluent holds in the state.
    fn holds(&self, state: &Self::State, fluent: Self::Fluent) -> bool {
        bits::test(state.as_ref(), fluent.index())
    }

    /// Creates the state in which exactly these fluents hold, reachable or not.
    ///
    /// # Panics
    /// Panics if a fluent belongs to another, larger game.
    fn state_from(&self, fluents: impl IntoIterator<Item = Self::Fluent>) -> Self::State {
        let mut state = self.new_state();
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

    /// A role's perception as KIF text: a list of percepts, for example `((die 6))`, or of the
    /// moves of all roles.
    fn perception_text(&self, perception: &Perception<Self::Move, Self::Percept>) -> String {
        let texts: Vec<&str> = match perception {
            Perception::Joint(joint) => joint.iter().map(|&action| self.move_text(action)).collect(),
            Perception::Percepts(percepts) => percepts.iter().map(|&p| self.percept_text(p)).collect(),
        };
        format!("({})", texts.join(" "))
    }

    /// Returns the role with this name. Spacing does not matter. If no role has exactly this
    /// spelling, case is ignored. This holds for all functions that read texts.
    ///
    /// # Errors
    /// Returns an error if the game has no such role.
    fn parse_role(&self, text: &str) -> Result<Self::Role, TextError> {
        find(self.vocabulary().roles(), TextKind::Role, text)
    }

    /// Returns the move with this KIF text, legal or not.
    ///
    /// # Errors
    /// Returns an error if the game has no such move.
    fn parse_move(&self, text: &str) -> Result<Self::Move, TextError> {
        find(self.vocabulary().moves(), TextKind::Move, text)
    }

    /// Returns the fluent with this KIF text.
    ///
    /// # Errors
    /// Returns an error if the game has no such fluent.
    fn parse_fluent(&self, text: &str) -> Result<Self::Fluent, TextError> {
        find(self.vocabulary().fluents(), TextKind::Fluent, text)
    }

    /// Returns the percept with this KIF text.
    ///
    /// # Errors
    /// Returns an error if the game has no such percept.
    fn parse_percept(&self, text: &str) -> Result<Self::Percept, TextError> {
        find(self.vocabulary().percepts(), TextKind::Percept, text)
    }

    /// Parses a role's perception as a server sends it: its percepts in any order, or the joint
    /// move in role order if the rules have no `sees`. `nil` is the empty list. The reverse of
    /// [`GameExt::perception_text`].
    ///
    /// # Errors
    /// Returns an error if the text is not such a list, or the game does not have one of its names.
    fn parse_perception(&self, text: &str) -> Result<Perception<Self::Move, Self::Percept>, TextError> {
        let items = if text.trim().eq_ignore_ascii_case("nil") { Some(Vec::new()) } else { kif::items(text) };
        let malformed = || TextError::Malformed { kind: TextKind::Perception, text: text.to_owned() };
        let items = items.ok_or_else(malformed)?;
        if self.vocabulary().has_percepts() {
            let percepts: Result<Vec<_>, _> =
                items.into_iter().map(|item| self.parse_percept(item)).collect();
            return Ok(Perception::percepts(percepts?));
        }
        let joint: Result<Box<[_]>, _> = items.into_iter().map(|item| self.parse_move(item)).collect();
        Ok(Perception::Joint(joint?))
    }

    /// Parses a state from a list of fluents in any order. The reverse of [`GameExt::state_text`].
    ///
    /// # Errors
    /// Returns an error if the text is not a list in parentheses or the game does not have one of
    /// the fluents.
    fn parse_state(&self, text: &str) -> Result<Self::State, TextError> {
        let items = kif::items(text)
            .ok_or_else(|| TextError::Malformed { kind: TextKind::State, text: text.to_owned() })?;
        let mut state = self.new_state();
        for item in items {
            bits::set(state.as_mut(), self.parse_fluent(item)?.index());
        }
        Ok(state)
    }
}

impl<G: Game + ?Sized> GameExt for G {}

fn text<I: Id>(texts: &Texts, id: I) -> &str {
    texts.get(id.index()).unwrap_or("?")
}

fn find<I: Id>(texts: &Texts, kind: TextKind, text: &str) -> Result<I, TextError> {
    let position = texts.find(text);
    position.map(I::from_index).ok_or_else(|| TextError::Unknown { kind, text: text.to_owned() })
}
