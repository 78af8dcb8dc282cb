//! Single games of a batch. A [`Single`] also supports what planes cannot: percepts, and rules
//! without a table. Otherwise the results are equal.

use crate::spec::Spec;
use gdl_runtime::{
    Dynamic, Game, GameExt,
    bits::{self, BitBox},
    chance::Stream,
    dynamic::{MoveId, RoleId},
    engine::{ONLY, Renewal},
    game::Id,
};

/// The state of a single game, with its view, percepts and flags.
pub(crate) struct Single {
    pub(crate) state: BitBox,
    view: BitBox,
    joint: Vec<MoveId>,
    /// The percepts of each role in the last step.
    percepts: Vec<u64>,
    stream: Stream,
    is_over: bool,
    has_ended: bool,
}

impl Single {
    /// A game in the initial state. Chance draws from the stream.
    pub(crate) fn new(game: &Dynamic, stream: Stream) -> Self {
        let shape = game.shape();
        let mut single = Self {
            state: game.initial(),
            view: game.new_view(),
            joint: Vec::with_capacity(shape.roles),
            percepts: vec![0; shape.roles * shape.percept_words()],
            stream,
            is_over: false,
            has_ended: false,
        };
        single.reset(game, None);
        single
    }

    /// Restarts the game. Chance draws from the given stream, or continues with its present one.
    pub(crate) fn reset(&mut self, game: &Dynamic, stream: Option<Stream>) {
        if let Some(stream) = stream {
            self.stream = stream;
        }
        self.state = game.initial();
        game.observe(&self.state, &mut self.view);
        self.percepts.fill(0);
        (self.is_over, self.has_ended) = (false, false);
    }

    fn legal_words(&self, game: &Dynamic, role: usize) -> &[u64] {
        let words = game.shape().legal_words();
        &self.view.as_ref()[role * words..(role + 1) * words]
    }

    /// The legal moves of a role; none if the game is over.
    pub(crate) fn legal(&self, game: &Dynamic, role: usize) -> Vec<usize> {
        if self.is_over { Vec::new() } else { bits::ones(self.legal_words(game, role)).collect() }
    }

    /// The role to move, if only that role gives moves. Otherwise the result has no meaning.
    pub(crate) fn speaker(&self, spec: &Spec) -> usize {
        spec.proof.as_ref().and_then(|proof| proof.speaker(self.state.as_ref())).unwrap_or(0)
    }

    /// Stores the moves of a step. Returns false if one is illegal.
    pub(crate) fn choose(&mut self, game: &Dynamic, spec: &Spec, actions: &[i32]) -> bool {
        self.joint.clear();
        if self.is_over {
            return true;
        }
        let speaker = self.speaker(spec);
        for role in 0..spec.roles {
            if Some(role) == spec.chance {
                self.joint.push(MoveId::from_index(0));
                continue;
            }
            let words = self.legal_words(game, role);
            let mut legal = bits::ones(words);
            let action = match (spec.all, role == speaker) {
                (true, _) => actions[role],
                (false, true) => actions[0],
                (false, false) => ONLY,
            };
            let chosen = if action == ONLY {
                legal.next().filter(|_| legal.next().is_none())
            } else {
                usize::try_from(action)
                    .ok()
                    .filter(|&action| action < spec.moves && bits::test(words, action))
            };
            let Some(chosen) = chosen else { return false };
            self.joint.push(MoveId::from_index(chosen));
        }
        true
    }

    /// Makes the stored moves.
    pub(crate) fn step(&mut self, game: &Dynamic, spec: &Spec, renewal: Renewal) {
        self.has_ended = false;
        if self.is_over {
            if renewal == Renewal::NextStep {
                self.reset(game, None);
            }
            return;
        }
        if let Some(chance) = spec.chance {
            let drawn = game.random_move_in(&self.view, RoleId::from_index(chance), &mut self.stream);
            let Some(drawn) = drawn else {
                (self.is_over, self.has_ended) = (true, true);
                return;
            };
            self.joint[chance] = drawn;
        }
        if spec.hidden {
            game.perceive(&self.state, &self.joint, &mut self.percepts);
        }
        game.advance(&mut self.state, &self.joint);
        game.observe(&self.state, &mut self.view);
        let stuck = (0..spec.roles).any(|role| bits::count(self.legal_words(game, role)) == 0);
        self.has_ended = game.is_terminal_in(&self.view) || stuck;
        self.is_over = self.has_ended;
    }

    /// Restarts the game if the last step ended it.
    pub(crate) fn renew(&mut self, game: &Dynamic) {
        if self.has_ended {
            self.reset(game, None);
            self.has_ended = true;
        }
    }

    /// The bits of an observation: the words, the number of rows and the bits of a row.
    pub(crate) fn observation(&self, spec: &Spec) -> (&[u64], usize, usize) {
        if spec.hidden {
            (&self.percepts, spec.roles, spec.percepts)
        } else {
            (self.state.as_ref(), 1, spec.fluents)
        }
    }

    /// The bits of the mask of legal moves: the words, the number of rows and the bits of a row.
    pub(crate) fn mask(&self, game: &Dynamic, spec: &Spec) -> (Vec<u64>, usize, usize) {
        let words = game.shape().legal_words();
        let mut mask = if spec.all {
            self.view.as_ref()[..spec.roles * words].to_vec()
        } else {
            self.legal_words(game, self.speaker(spec)).to_vec()
        };
        if let Some(chance) = spec.chance {
            mask[chance * words..(chance + 1) * words].fill(0);
        }
        if self.is_over {
            mask.fill(0);
        }
        (mask, if spec.all { spec.roles } else { 1 }, spec.moves)
    }

    pub(crate) fn asked(&self, game: &Dynamic, spec: &Spec) -> i8 {
        if self.is_over {
            return -1;
        }
        if !spec.all {
            return self.speaker(spec) as i8;
        }
        let several =
            |&role: &usize| Some(role) != spec.chance && bits::count(self.legal_words(game, role)) > 1;
        let mut roles = (0..spec.roles).filter(several);
        match (roles.next(), roles.next()) {
            (Some(role), None) => role as i8,
            _ => -1,
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The goal values of all roles, with 50 for chance. `None` unless the last step reached a
    /// terminal state in which each role has exactly one.
    pub(crate) fn scores(&self, game: &Dynamic, spec: &Spec) -> Option<Vec<u8>> {
        if !self.has_ended || !game.is_terminal_in(&self.view) {
            return None;
        }
        // Chance gets the neutral goal, whose reward is 0.
        let goal = |role| {
            if Some(role) == spec.chance {
                Some(50)
            } else {
                game.goal_in(&self.view, RoleId::from_index(role))
            }
        };
        (0..spec.roles).map(goal).collect()
    }
}
