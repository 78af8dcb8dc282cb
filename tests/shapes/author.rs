//! The author of rulesheets of many shapes. A seed and a number determine a rulesheet, which is
//! usually valid and playable, and the names of its shapes.
//!
//! A rulesheet is assembled from parts (`parts.rs`): boards, walks, auctions, counters and others,
//! each with its own fluents and moves. This module adds the rest: roles and turns, a clock, and
//! formulas over all fluents and moves, with nested connectives. Relations are ordered, and
//! negation respects the order, so rulesheets are stratified. The same seed and number give the
//! same rulesheet on any machine.
//!
//! A rulesheet has at most hundreds of rules, of at most thousands of words each.

use gdl_runtime::chance::Stream;
use std::collections::BTreeSet;

/// A generated rulesheet.
pub(crate) struct Sheet {
    /// The rules, one form each.
    pub(crate) forms: Vec<String>,
    /// The names of its shapes, from [`FEATURES`].
    pub(crate) features: BTreeSet<&'static str>,
}

/// The names of all shapes.
pub(crate) const FEATURES: &[&str] = &[
    // Roles.
    "alone",
    "two roles",
    "many roles",
    "a crowd of roles",
    "at once",
    "in turns",
    "turns kept",
    "a wheel of turns",
    "chance",
    // Moves.
    "few moves",
    "many moves",
    "hundreds of moves",
    "moves with conditions",
    // Length.
    "short",
    "long",
    "binary clock",
    "no clock",
    // Formulas.
    "own disjunction",
    "mixed disjunction",
    "own beside mixed disjunction",
    "nested twice",
    "nested four times",
    "distinct",
    "helper",
    "wide gate",
    // Frame rules.
    "frame by denial",
    "frame by most moves",
    "frame by rules for moves",
    "frame by helper",
    "frame by distinct",
    // Parts.
    "board",
    "grid",
    "compound move",
    "walk",
    "hunt",
    "auction",
    "lamps",
    "toggles",
    "latches",
    "wheel",
    "binary counter",
    "score",
    "sum",
    "reach",
    "static closure",
    "tower",
    "wide arity",
    "huge arity",
    "two arities",
    "deal",
    "percepts",
    "goals by counting",
    "goals by formulas",
];

/// The roles that may act in a state.
#[derive(Clone, Copy, PartialEq)]
enum Turn {
    /// All roles, in every state.
    All,
    /// The role with `control`.
    Control,
    /// The roles that act at the current phase of the cycle.
    Wheel,
}

/// The state of writing a rulesheet.
pub(super) struct Author {
    stream: Stream,
    forms: Vec<String>,
    features: BTreeSet<&'static str>,
    pub(super) roles: Vec<String>,
    pub(super) chance: Option<usize>,
    turn: Turn,
    /// The ground moves of each role; rules with variables may offer more.
    pub(super) moves: Vec<Vec<String>>,
    /// The ground atoms that depend on the state: fluents in `true`, and relations.
    pub(super) atoms: Vec<String>,
    /// The atoms that raise each role's goal.
    pub(super) merits: Vec<Vec<String>>,
    /// The largest number of `succ`, which relates each number to the next.
    numbers: usize,
    /// The number of names in use.
    names: usize,
}

/// The rulesheet of a seed and a number.
pub(crate) fn sheet(seed: u64, number: u64) -> Sheet {
    let mut author = Author {
        stream: Stream::new(seed, number),
        forms: Vec::new(),
        features: BTreeSet::new(),
        roles: Vec::new(),
        chance: None,
        turn: Turn::All,
        moves: Vec::new(),
        atoms: Vec::new(),
        merits: Vec::new(),
        numbers: 0,
        names: 0,
    };
    author.write();
    Sheet { forms: author.forms, features: author.features }
}

impl Author {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.stream.below(end as u64) as usize
    }

    pub(super) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// Returns true with a probability of one in `count`.
    pub(super) fn rarely(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// A random sublist of `from` with at least one and at most `most` elements, in order.
    fn some<T: Clone>(&mut self, from: &[T], most: usize) -> Vec<T> {
        let mut left = self.between(1, most.min(from.len()));
        let mut some = Vec::new();
        for (place, item) in from.iter().enumerate() {
            if self.below(from.len() - place) < left {
                some.push(item.clone());
                left -= 1;
            }
        }
        some
    }

    pub(super) fn note(&mut self, feature: &'static str) {
        debug_assert!(FEATURES.contains(&feature), "{feature}");
        self.features.insert(feature);
    }

    pub(super) fn say(&mut self, form: impl Into<String>) {
        self.forms.push(form.into());
    }

    /// A fresh name that begins with `stem`.
    pub(super) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Extends `succ` up to `number`.
    pub(super) fn count_to(&mut self, number: usize) {
        self.numbers = self.numbers.max(number);
    }

    /// The roles except chance.
    pub(super) fn players(&self) -> Vec<usize> {
        (0..self.roles.len()).filter(|&role| Some(role) != self.chance).collect()
    }

    fn write(&mut self) {
        self.write_roles();
        self.write_turns();
        let end = self.write_clock();
        self.write_moves();
        let most = if self.roles.len() > 6 { 1 } else { 3 };
        for _ in 0..self.between(1, most) {
            self.write_part();
        }
        if !self.rarely(3) {
            self.write_soup();
        }
        if self.rarely(3) {
            self.write_percepts();
        }
        self.write_goals();
        self.write_end(end);
        for number in 0..self.numbers {
            self.say(format!("(succ {number} {})", number + 1));
        }
        if self.rarely(2) {
            for place in (1..self.forms.len()).rev() {
                let other = self.below(place + 1);
                self.forms.swap(place, other);
            }
        }
    }

    fn write_roles(&mut self) {
        let count = match self.below(40) {
            0..8 => 1,
            26..32 => 3,
            32..35 => 4,
            35..38 => self.between(5, 6),
            38 => self.between(20, 24),
            _ => 2,
        };
        self.note(match count {
            1 => "alone",
            2 => "two roles",
            3..=6 => "many roles",
            _ => "a crowd of roles",
        });
        let names = ["red", "blue", "green", "white", "black", "gold"];
        self.roles =
            (0..count).map(|role| names.get(role).map_or(format!("r{role}"), |&n| n.to_owned())).collect();
        if count < 6 && self.rarely(5) {
            let place = self.below(count + 1);
            self.roles.insert(place, "random".to_owned());
            self.chance = Some(place);
            self.note("chance");
        }
        for role in self.roles.clone() {
            self.say(format!("(role {role})"));
        }
        self.moves = vec![Vec::new(); self.roles.len()];
        self.merits = vec![Vec::new(); self.roles.len()];
    }

    fn write_turns(&mut self) {
        let players = self.players();
        self.turn = if players.len() == 1 || players.len() > 6 {
            Turn::All
        } else {
            self.pick(&[Turn::All, Turn::All, Turn::Control, Turn::Control, Turn::Wheel])
        };
        match self.turn {
            Turn::All => self.note("at once"),
            Turn::Control => {
                self.note("in turns");
                for (place, &role) in players.iter().enumerate() {
                    let (role, next) = (&self.roles[role], &self.roles[players[(place + 1) % players.len()]]);
                    let form = format!("(follows {role} {next})");
                    self.atoms.push(format!("(true (control {role}))"));
                    self.say(form);
                }
                let first = self.roles[players[0]].clone();
                self.say(format!("(init (control {first}))"));
                if self.rarely(6) {
                    self.note("turns kept");
                    self.say("(<= (next (control ?r)) (does ?r again))");
                    self.say(
                        "(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s) (not (does ?r again)))",
                    );
                    for &role in &players {
                        self.offer(role, "again", &[]);
                    }
                } else {
                    self.say("(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s))");
                }
            }
            Turn::Wheel => {
                self.note("a wheel of turns");
                let phases = self.between(2, 4);
                for phase in 0..phases {
                    self.say(format!("(after {phase} {})", (phase + 1) % phases));
                    self.atoms.push(format!("(true (turn {phase}))"));
                }
                self.say("(init (turn 0))");
                self.say("(<= (next (turn ?y)) (true (turn ?x)) (after ?x ?y))");
                self.say("(<= (active ?r) (true (turn ?x)) (acts ?r ?x))");
                for &role in &players {
                    let all: Vec<usize> = (0..phases).collect();
                    for phase in self.some(&all, phases) {
                        let form = format!("(acts {} {phase})", self.roles[role]);
                        self.say(form);
                    }
                }
            }
        }
        for role in players {
            if let Some(guard) = self.guard(role) {
                let name = self.roles[role].clone();
                self.say(format!("(<= (legal {name} noop) (not {guard}))"));
                self.moves[role].push("noop".to_owned());
            }
        }
    }

    /// The condition for a role's turn; `None` if it may always act.
    fn guard(&self, role: usize) -> Option<String> {
        let name = &self.roles[role];
        match self.turn {
            _ if Some(role) == self.chance => None,
            Turn::All => None,
            Turn::Control => Some(format!("(true (control {name}))")),
            Turn::Wheel => Some(format!("(active {name})")),
        }
    }

    /// Adds a rule that makes a move legal on the role's turn if the literals hold.
    pub(super) fn offer(&mut self, role: usize, action: &str, body: &[String]) {
        let guard = self.guard(role);
        let body: Vec<String> = guard.into_iter().chain(body.iter().cloned()).collect();
        let head = format!("(legal {} {action})", self.roles[role]);
        if body.is_empty() {
            let as_rule = self.rarely(6);
            self.say(if as_rule { format!("(<= {head})") } else { head });
        } else {
            self.say(format!("(<= {head} {})", body.join(" ")));
        }
        // The caller adds the instances of moves with variables.
        if !action.contains('?') {
            self.moves[role].push(action.to_owned());
        }
    }

    /// Writes a clock and returns the atom that holds when it has run down; `None` without a clock.
    fn write_clock(&mut self) -> Option<String> {
        match self.below(12) {
            kind @ 0..8 => {
                let last = if kind < 6 {
                    self.note("short");
                    self.between(1, 8)
                } else {
                    self.note("long");
                    self.between(17, 40)
                };
                self.count_to(last);
                self.say("(init (step 0))");
                self.say("(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))");
                let some = self.below(last);
                self.atoms.push(format!("(true (step {some}))"));
                Some(format!("(true (step {last}))"))
            }
            8 | 9 => {
                self.note("binary clock");
                let bits = self.between(2, 4);
                self.count_to(bits);
                self.say("(carry 0)");
                self.say("(<= (carry ?y) (succ ?x ?y) (carry ?x) (true (bit ?x)))");
                for bit in 0..bits {
                    self.say(format!("(<= (next (bit {bit})) (carry {bit}) (not (true (bit {bit}))))"));
                    self.say(format!("(<= (next (bit {bit})) (true (bit {bit})) (not (carry {bit})))"));
                    self.atoms.push(format!("(true (bit {bit}))"));
                }
                Some(format!("(true (bit {}))", bits - 1))
            }
            _ => {
                self.note("no clock");
                None
            }
        }
    }

    /// Writes moves without an effect yet.
    fn write_moves(&mut self) {
        let crowd = self.roles.len() > 6;
        let most = match self.below(50) {
            _ if crowd => 3,
            0..20 => 3,
            20..42 => 9,
            42..47 => 20,
            47 | 48 => 40,
            _ if self.roles.len() < 3 => 150,
            _ => 9,
        };
        for role in 0..self.roles.len() {
            // Parts add more moves.
            let least = if crowd { 2 } else { usize::from(!self.rarely(12)) };
            let count = if most > 20 { self.between(most / 2, most) } else { self.between(least, most) };
            self.note(match count {
                0..10 => "few moves",
                10..60 => "many moves",
                _ => "hundreds of moves",
            });
            if count > 20 {
                let kind = self.name("kind");
                (0..count).for_each(|number| self.say(format!("({kind} {number})")));
                self.offer(role, "(take ?x)", &[format!("({kind} ?x)")]);
                self.moves[role].extend((0..count).map(|number| format!("(take {number})")));
                continue;
            }
            let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
            for number in 0..count {
                let action = letters.get(number).map_or(format!("m{number}"), |&n| n.to_owned());
                let free = number == 0 && !self.rarely(30);
                if free || self.atoms.is_empty() || !self.rarely(4) {
                    self.offer(role, &action, &[]);
                } else {
                    self.note("moves with conditions");
                    let condition = self.formula(1, false);
                    self.offer(role, &action, &[condition]);
                }
            }
        }
        // Usually, a role without a move gets a move without effect.
        for role in 0..self.roles.len() {
            if self.moves[role].iter().all(|action| action == "noop") && !self.rarely(30) {
                self.offer(role, "wait", &[]);
            }
        }
    }

    /// A literal of the state or, if `moving`, of the joint move.
    pub(super) fn literal(&mut self, moving: bool) -> String {
        let mut atom = None;
        if moving && self.rarely(2) {
            atom = self.does();
        }
        if atom.is_none() && !self.atoms.is_empty() {
            let atoms = std::mem::take(&mut self.atoms);
            atom = Some(self.pick(&atoms));
            self.atoms = atoms;
        }
        let Some(atom) = atom.filter(|_| !self.rarely(40)) else {
            self.note("distinct");
            let (left, right) = (self.pick(&["a", "b"]), self.pick(&["a", "b", "c", "(f a)"]));
            return format!("(distinct {left} {right})");
        };
        if self.rarely(3) { format!("(not {atom})") } else { atom }
    }

    /// An atom that holds if some role makes some move.
    pub(super) fn does(&mut self) -> Option<String> {
        let role = self.below(self.roles.len());
        let moves = std::mem::take(&mut self.moves[role]);
        let action = (!moves.is_empty()).then(|| self.pick(&moves));
        self.moves[role] = moves;
        Some(format!("(does {} {})", self.roles[role], action?))
    }

    /// An atom that holds if a role makes one of several moves.
    fn own_disjunction(&mut self) -> Option<String> {
        let role = self.below(self.roles.len());
        let moves = self.moves[role].clone();
        if moves.len() < 2 {
            return None;
        }
        let most = if self.rarely(4) { moves.len() } else { 4 };
        let moves = self.some(&moves, most);
        self.note("own disjunction");
        let does = |action: &String| format!("(does {} {action})", self.roles[role]);
        Some(format!("(or {})", moves.iter().map(does).collect::<Vec<_>>().join(" ")))
    }

    /// A disjunction of a move and a literal of the state.
    fn mixed_disjunction(&mut self) -> Option<String> {
        let does = self.does()?;
        let other = self.literal(false);
        self.note("mixed disjunction");
        Some(format!("(or {does} {other})"))
    }

    /// A formula with connectives nested up to `depth` times.
    pub(super) fn formula(&mut self, depth: usize, moving: bool) -> String {
        if depth == 0 {
            return self.literal(moving);
        }
        let found = match self.below(8) {
            0 | 1 => {
                let inner = self.formula(depth - 1, moving);
                // Nobody writes a double negation in one place.
                Some(if inner.starts_with("(not ") { inner } else { format!("(not {inner})") })
            }
            2 | 3 => {
                let parts: Vec<String> =
                    (0..self.between(2, 4)).map(|_| self.formula(depth - 1, moving)).collect();
                Some(format!("(or {})", parts.join(" ")))
            }
            4 if moving => self.own_disjunction(),
            5 if moving => self.mixed_disjunction(),
            6 => Some(self.helper(depth - 1, moving)),
            _ => None,
        };
        found.unwrap_or_else(|| self.literal(moving))
    }

    /// Writes a relation with one or two rules, whose bodies are formulas. Returns the relation's
    /// name.
    fn helper(&mut self, depth: usize, moving: bool) -> String {
        self.note("helper");
        let name = self.name("holds");
        for _ in 0..self.between(1, 2) {
            let body: Vec<String> = (0..self.between(1, 3)).map(|_| self.formula(depth, moving)).collect();
            self.say(format!("(<= {name} {})", body.join(" ")));
        }
        name
    }

    /// Writes fluents that follow from formulas.
    fn write_soup(&mut self) {
        let stem = self.name("p");
        let count = self.between(1, 6);
        let fluents: Vec<String> = match self.below(3) {
            0 => (0..count).map(|number| format!("{stem}{number}")).collect(),
            1 => (0..count).map(|number| format!("({stem} {number})")).collect(),
            _ => (0..count).map(|number| format!("({stem} {} {})", number / 2, number % 2)).collect(),
        };
        self.atoms.extend(fluents.iter().map(|fluent| format!("(true {fluent})")));
        for fluent in fluents {
            if self.rarely(3) {
                self.say(format!("(init {fluent})"));
            }
            for _ in 0..self.between(1, 2) {
                let mut body = Vec::new();
                match self.below(6) {
                    // A combination that once made the optimiser loop forever.
                    0 | 1 => {
                        let pair = [self.own_disjunction(), self.mixed_disjunction()];
                        if pair.iter().all(Option::is_some) {
                            self.note("own beside mixed disjunction");
                        }
                        body.extend(pair.into_iter().flatten());
                    }
                    2 if self.rarely(3) => {
                        self.note("wide gate");
                        let parts: Vec<String> =
                            (0..self.between(8, 40)).map(|_| self.literal(true)).collect();
                        body.push(if self.rarely(2) {
                            parts.join(" ")
                        } else {
                            format!("(or {})", parts.join(" "))
                        });
                    }
                    _ => {}
                }
                for _ in 0..self.between(usize::from(body.is_empty()), 2) {
                    let depth = self.below(5);
                    match depth {
                        0 | 1 => {}
                        2 | 3 => self.note("nested twice"),
                        _ => self.note("nested four times"),
                    }
                    body.push(self.formula(depth, true));
                }
                self.say(format!("(<= (next {fluent}) {})", body.join(" ")));
            }
            if self.rarely(2) {
                self.write_frame(&fluent);
            }
        }
    }

    /// Writes a frame rule that keeps a fluent except after some moves.
    pub(super) fn write_frame(&mut self, fluent: &str) {
        let role = self.below(self.roles.len());
        let moves = self.moves[role].clone();
        if moves.is_empty() {
            return;
        }
        let name = self.roles[role].clone();
        let gone = self.some(&moves, 2);
        let kept: Vec<&String> = moves.iter().filter(|action| !gone.contains(action)).collect();
        let keep = format!("(<= (next {fluent}) (true {fluent})");
        let does = |action: &String| format!("(does {name} {action})");
        match self.below(5) {
            0 => {
                self.note("frame by denial");
                let denials: Vec<String> = gone.iter().map(|a| format!("(not {})", does(a))).collect();
                self.say(format!("{keep} {})", denials.join(" ")));
            }
            1 if kept.len() > 1 => {
                self.note("frame by most moves");
                let most: Vec<String> = kept.iter().map(|action| does(action)).collect();
                self.say(format!("{keep} (or {}))", most.join(" ")));
            }
            2 if kept.len() < 30 => {
                self.note("frame by rules for moves");
                kept.iter().for_each(|action| self.say(format!("{keep} {})", does(action))));
            }
            3 => {
                self.note("frame by distinct");
                let others: Vec<String> =
                    gone.iter().map(|action| format!("(distinct ?m {action})")).collect();
                self.say(format!("{keep} (does {name} ?m) {})", others.join(" ")));
            }
            _ => {
                self.note("frame by helper");
                let touched = self.name("touched");
                gone.iter().for_each(|action| self.say(format!("(<= {touched} {})", does(action))));
                self.say(format!("{keep} (not {touched}))"));
            }
        }
    }

    /// Writes the percepts of the roles.
    fn write_percepts(&mut self) {
        self.note("percepts");
        for role in self.roles.clone() {
            match self.below(4) {
                0 => {
                    let other = self.pick(&self.roles.clone());
                    self.say(format!("(<= (sees {role} (did {other} ?m)) (does {other} ?m))"));
                }
                1 => {
                    let formula = self.formula(2, true);
                    self.say(format!("(<= (sees {role} sign) {formula})"));
                }
                2 => self.say(format!("(<= (sees {role} (now ?x)) (true ?x))")),
                _ => {}
            }
        }
    }

    fn write_goals(&mut self) {
        for role in 0..self.roles.len() {
            if Some(role) == self.chance && !self.rarely(4) {
                continue;
            }
            let name = self.roles[role].clone();
            self.note("goals by formulas");
            let mut best: Vec<String> = (0..self.between(1, 2)).map(|_| self.formula(1, false)).collect();
            let merits = self.merits[role].clone();
            if !merits.is_empty() && !self.rarely(3) {
                best = vec![self.pick(&merits)];
            }
            let won = self.name("won");
            self.say(format!("(<= {won} {})", best.join(" ")));
            self.say(format!("(<= (goal {name} 100) {won})"));
            if self.rarely(3) {
                let drawn = self.name("drawn");
                let formula = self.formula(1, false);
                self.say(format!("(<= {drawn} {formula})"));
                self.say(format!("(<= (goal {name} 50) (not {won}) {drawn})"));
                self.say(format!("(<= (goal {name} 0) (not {won}) (not {drawn}))"));
            } else if !self.rarely(20) {
                self.say(format!("(<= (goal {name} 0) (not {won}))"));
            }
        }
    }

    fn write_end(&mut self, clock: Option<String>) {
        let is_endless = clock.is_none();
        if let Some(clock) = clock {
            self.say(format!("(<= terminal {clock})"));
        }
        if is_endless || self.rarely(3) {
            let body: Vec<String> = (0..self.between(2, 3)).map(|_| self.literal(false)).collect();
            self.say(format!("(<= terminal {})", body.join(" ")));
        }
    }
}
