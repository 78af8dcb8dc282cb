//! Small rulesheets generated from bytes. Each byte is a choice, and most rulesheets are well
//! formed.
//!
//! Every form of the language occurs: static and dynamic recursion; nested `or`, `not` and
//! `distinct`; compound terms; keywords in bodies; facts as rules; names with two arities; `p` and
//! `(p)`; `sees` and `random`.
//!
//! Arguments have sorts, so that literals often match. Relations have an order, and negation refers
//! to earlier ones with rare exceptions. Functions wrap only constants and variables that facts
//! bind, so that terms do not grow. After the last byte every choice is the first one, so few bytes
//! give a small rulesheet.

/// The rulesheet determined by `bytes`.
#[must_use]
pub fn rulesheet(bytes: &[u8]) -> String {
    let mut author = Author { bytes: bytes.iter(), roles: vec!["red"], out: String::new() };
    author.write();
    author.out
}

/// The sort of an argument.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Role,
    Thing,
    Fluent,
    Move,
    Number,
}

use Sort::{Fluent, Move, Number, Role, Thing};

impl Sort {
    fn variables(self) -> &'static [&'static str] {
        match self {
            Role => &["?r", "?s"],
            Thing => &["?x", "?y", "?z"],
            Fluent => &["?f"],
            Move => &["?m"],
            Number => &["?n"],
        }
    }
}

/// The kind of a relation, which restricts the relations in its rules.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Phase {
    Facts,
    Static,
    State,
    Step,
}

#[derive(Clone, Copy)]
struct Relation {
    name: &'static str,
    sorts: &'static [Sort],
    phase: Phase,
}

const fn relation(name: &'static str, sorts: &'static [Sort], phase: Phase) -> Relation {
    Relation { name, sorts, phase }
}

/// The relations that have rules or facts. Each negates only earlier ones, with rare exceptions.
const RELATIONS: [Relation; 16] = [
    relation("p", &[Thing], Phase::Facts),
    relation("p", &[Thing, Thing], Phase::Facts),
    relation("score", &[Thing, Number], Phase::Facts),
    relation("base", &[Fluent], Phase::Static),
    relation("q", &[Thing], Phase::Static),
    relation("q", &[Thing, Thing], Phase::Static),
    relation("init", &[Fluent], Phase::Static),
    relation("v", &[Thing], Phase::State),
    relation("w", &[Thing, Thing], Phase::State),
    relation("legal", &[Role, Move], Phase::State),
    relation("v", &[], Phase::State),
    relation("goal", &[Role, Number], Phase::State),
    relation("terminal", &[], Phase::State),
    relation("done", &[Role, Thing], Phase::Step),
    relation("next", &[Fluent], Phase::Step),
    relation("sees", &[Role, Thing], Phase::Step),
];

const ROLE: Relation = relation("role", &[Role], Phase::Facts);
const TRUE: Relation = relation("true", &[Fluent], Phase::State);
const DOES: Relation = relation("does", &[Role, Move], Phase::Step);

/// Returns whether a relation occurs in heads only.
fn is_output(name: &str) -> bool {
    matches!(name, "base" | "init" | "next" | "sees")
}

/// The variables of a rule, as it is written.
#[derive(Clone, Default)]
struct Scope {
    /// The variables that a positive literal binds.
    bound: Vec<&'static str>,
    /// The bound variables whose values come from facts.
    given: Vec<&'static str>,
}

/// The use of a term, which restricts its variables.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// Ground terms only.
    Ground,
    /// Bound variables; functions wrap only those that facts bind.
    Head,
    /// Bound variables only.
    Test,
    /// Any variables; the literal binds them.
    Bind,
}

struct Author<'b> {
    bytes: std::slice::Iter<'b, u8>,
    roles: Vec<&'static str>,
    out: String,
}

impl Author<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.bytes.next().map_or(0, |&byte| usize::from(byte) % limit)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns true for one value in `count` of the next byte, and never after the last byte.
    fn rarely(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    fn write(&mut self) {
        self.roles = match self.below(6) {
            0 | 1 => vec!["red"],
            2 | 3 => vec!["red", "blue"],
            4 => vec!["blue", "random"],
            _ => vec!["red", "random", "blue"],
        };
        for role in self.roles.clone() {
            self.form(&format!("(role {role})"));
            // Without these rules, most rulesheets would be rejected or end for lack of moves.
            if !self.rarely(24) {
                self.form(&format!("(legal {role} noop)"));
                self.form(&format!("(<= (goal {role} 0) (true on))"));
            }
            // Without these rules, most games would have no interesting moves.
            if !self.rarely(3) {
                self.form(&format!("(<= (legal {role} (mark ?x)) (p ?x))"));
                self.form(&format!("(<= (next (at ?x)) (does {role} (mark ?x)))"));
            }
        }
        self.form("(init on)");
        for (place, &relation) in RELATIONS.iter().enumerate() {
            let (least, more) = match relation.name {
                "p" => (3, 3),
                "score" | "init" | "goal" | "terminal" => (1, 3),
                "base" => (0, 2),
                "legal" => (2, 3),
                "next" => (3, 4),
                _ => (0, 4),
            };
            for _ in 0..least + self.below(more) {
                if relation.phase == Phase::Facts || (relation.name == "init" && !self.rarely(3)) {
                    let fact = self.atom(relation, Use::Ground, &mut Scope::default());
                    let as_rule = self.rarely(8);
                    self.form(&if as_rule { format!("(<= {fact})") } else { fact });
                } else {
                    self.rule(place, relation);
                }
            }
        }
        if !self.rarely(3) {
            // A frame rule.
            self.form("(<= (next ?f) (true ?f) (not (true (at b))))");
        }
    }

    fn form(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn rule(&mut self, place: usize, head: Relation) {
        let mut scope = Scope::default();
        let mut body = Vec::new();
        // Biases for lively games: moves of arguments from facts, fluents that follow from moves,
        // and a terminal condition that does not hold initially.
        let opening: (&str, &[&str]) = match head.name {
            "legal" if !self.rarely(3) => ("(p ?x)", &["?x"]),
            "next" if !self.rarely(3) => ("(does ?r (mark ?x))", &["?r", "?x"]),
            "terminal" => (self.pick(&["(true (cell a b))", "(true (at b))", "(true (cell b a))"]), &[]),
            _ => ("", &[]),
        };
        if !opening.0.is_empty() {
            body.push(opening.0.to_owned());
            scope.bound.extend(opening.1);
        }
        for _ in 0..self.below(3).max(usize::from(body.is_empty())) {
            body.push(self.literal(place, Use::Bind, 0, &mut scope));
        }
        for _ in 0..self.below(3) {
            body.push(self.literal(place, Use::Test, 0, &mut scope));
        }
        // A test may precede the literal that binds its variables.
        let turn = self.below(body.len());
        body.rotate_left(turn);
        let head = self.atom(head, Use::Head, &mut scope);
        self.form(&format!("(<= {head} {})", body.join(" ")));
    }

    /// A literal for a rule of the relation at `place`.
    fn literal(&mut self, place: usize, usage: Use, depth: usize, scope: &mut Scope) -> String {
        let kind = self.below(if depth < 3 { 16 } else { 6 });
        match (kind, usage) {
            (12.., _) => {
                let before = scope.clone();
                let mut branches = vec![self.literal(place, usage, depth + 1, scope)];
                for _ in 0..=self.below(2) {
                    let mut branch = before.clone();
                    branches.push(self.literal(place, usage, depth + 1, &mut branch));
                    scope.bound.retain(|variable| branch.bound.contains(variable));
                    scope.given.retain(|variable| branch.given.contains(variable));
                }
                format!("(or {})", branches.join(" "))
            }
            (8.., Use::Test) => format!("(not {})", self.literal(place, usage, depth + 1, scope)),
            (6 | 7, Use::Test) => {
                let sort = self.pick(&[Thing, Thing, Thing, Role, Move, Fluent]);
                let (left, right) = (self.term(sort, usage, scope), self.term(sort, usage, scope));
                format!("(distinct {left} {right})")
            }
            _ => {
                let relation = self.relation(place, usage);
                self.atom(relation, usage, scope)
            }
        }
    }

    /// A relation for a rule of the relation at `place`: an earlier one, or itself outside
    /// negations. Rarely itself or the next one in a test, which often makes the rules
    /// unstratified.
    fn relation(&mut self, place: usize, usage: Use) -> Relation {
        let phase = RELATIONS[place].phase;
        let end = match usage {
            Use::Bind => place + 1,
            _ if self.rarely(10) => (place + 2).min(RELATIONS.len()),
            _ => place,
        };
        let mut from = vec![ROLE];
        from.extend(RELATIONS[..end].iter().filter(|r| !is_output(r.name) && r.phase <= phase));
        if phase >= Phase::State {
            from.extend([TRUE; 4]);
        }
        if phase == Phase::Step {
            from.extend([DOES; 3]);
        }
        self.pick(&from)
    }

    fn atom(&mut self, relation: Relation, usage: Use, scope: &mut Scope) -> String {
        let name = if self.rarely(40) { relation.name.to_uppercase() } else { relation.name.to_owned() };
        if relation.sorts.is_empty() {
            return if self.rarely(4) { format!("({name})") } else { name };
        }
        let before = scope.bound.len();
        let arguments: Vec<String> =
            relation.sorts.iter().map(|&sort| self.term(sort, usage, scope)).collect();
        if relation.phase == Phase::Facts {
            scope.given.extend_from_slice(&scope.bound[before..]);
        }
        format!("({name} {})", arguments.join(" "))
    }

    fn term(&mut self, sort: Sort, usage: Use, scope: &mut Scope) -> String {
        let variables: Vec<&str> = match usage {
            Use::Ground => Vec::new(),
            Use::Bind => sort.variables().to_vec(),
            _ => scope.bound.iter().copied().filter(|v| sort.variables().contains(v)).collect(),
        };
        // Things are mostly variables; fluents and moves are mostly terms.
        let share = if matches!(sort, Fluent | Move) { 1 } else { 6 };
        if !variables.is_empty() && self.below(8) < share {
            let variable = self.pick(&variables);
            if !scope.bound.contains(&variable) {
                scope.bound.push(variable);
            }
            return variable.to_owned();
        }
        match sort {
            Role => self.pick(&self.roles.clone()).to_owned(),
            Number => self.pick(&["0", "30", "100", "50", "050"]).to_owned(),
            Thing => self.thing(usage, scope),
            Fluent => match self.below(6) {
                0 => "on".to_owned(),
                1..4 => format!("(at {})", self.term(Thing, usage, scope)),
                _ => self.pair("cell", usage, scope),
            },
            Move => match self.below(6) {
                0 => "noop".to_owned(),
                1..4 => format!("(mark {})", self.term(Thing, usage, scope)),
                _ => self.pair("mark", usage, scope),
            },
        }
    }

    fn pair(&mut self, name: &str, usage: Use, scope: &mut Scope) -> String {
        let (first, second) = (self.term(Thing, usage, scope), self.term(Thing, usage, scope));
        format!("({name} {first} {second})")
    }

    /// A constant, or a function of constants and variables.
    fn thing(&mut self, usage: Use, scope: &mut Scope) -> String {
        let inner = match usage {
            Use::Bind => vec!["a", "b", "?x", "?y"],
            Use::Ground => vec!["a", "b"],
            Use::Head => ["a", "b"].into_iter().chain(scope.given.iter().copied()).collect(),
            Use::Test => ["a", "b"].into_iter().chain(scope.bound.iter().copied()).collect(),
        };
        let mut parts = Vec::new();
        match self.below(16) {
            kind @ 0..13 => {
                return ["a", "b", "1", "a", "b", "1", "a", "b", "a", "b", "a", "01", "(a)"][kind].to_owned();
            }
            13 | 14 => parts.push(self.pick(&inner)),
            _ => parts.extend([self.pick(&inner), self.pick(&inner)]),
        }
        if usage == Use::Bind {
            for &part in parts.iter().filter(|part| part.starts_with('?')) {
                if !scope.bound.contains(&part) {
                    scope.bound.push(part);
                }
            }
        }
        format!("(f {})", parts.join(" "))
    }
}
