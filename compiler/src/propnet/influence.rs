//! Cone of influence: the fluents on which legal moves, goals, the end or percepts can depend.

use super::{Gate, Net};

impl Net {
    /// Returns the cone of influence of play (Clarke, Grumberg and Peled 1999): for each fluent,
    /// true if a legal move, a goal, the end or a percept depends on it, now or after any number of
    /// steps. The other fluents are part of the state, but play does not depend on them.
    /// O(literals).
    ///
    /// ```
    /// use gdl_compiler::{Options, Source, compile};
    ///
    /// let rules = "(role p) (legal p go) (init (at 1)) (init (seen 1)) (succ 1 2) (succ 2 3)
    ///     (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
    ///     (<= (next (seen ?x)) (true (seen ?x))) (<= (next (seen ?x)) (true (at ?x)))
    ///     (<= terminal (true (at 3))) (goal p 100)";
    /// let net = compile(&Source::new("walk.kif", rules), &Options::default()).unwrap().net;
    /// let influential = net.influential();
    /// let named = net.vocabulary.fluents.iter().zip(influential);
    /// let matter: Vec<&str> = named.filter(|(_, matters)| *matters).map(|(name, _)| name.as_str()).collect();
    /// assert_eq!(matter, ["(at 1)", "(at 2)", "(at 3)"]);
    /// ```
    #[must_use]
    pub fn influential(&self) -> Vec<bool> {
        let outputs = &self.outputs;
        let legal = outputs.legal.iter().flatten().map(|(_, s)| s.gate());
        let goal = outputs.goal.iter().flatten().map(|(_, s)| s.gate());
        let sees = outputs.sees.iter().flatten().flatten().map(|(_, s)| s.gate());
        let mut pending: Vec<u32> = legal.chain(goal).chain(sees).chain([outputs.terminal.gate()]).collect();
        let mut inside = vec![false; self.len()];
        while let Some(gate) = pending.pop() {
            if std::mem::replace(&mut inside[gate as usize], true) {
                continue;
            }
            match self.gate(gate) {
                Gate::Fluent(fluent) => pending.push(outputs.next[fluent as usize].gate()),
                Gate::And(operands) => pending.extend(operands.iter().map(|s| s.gate())),
                Gate::Constant | Gate::Does { .. } => {}
            }
        }
        inside[1..=self.initial.len()].to_vec()
    }
}
