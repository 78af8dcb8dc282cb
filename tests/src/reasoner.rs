//! The oracle as a reasoner, which `gdl_tools::verify` compares with reference traces.

use gdl_oracle::{Error, Oracle, State};
use gdl_tools::verify::Reasoner;

/// An oracle that implements [`Reasoner`].
pub struct OracleReasoner(pub Oracle);

/// A state and its observation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known {
    fluents: State,
    is_terminal: bool,
    legal: Vec<Vec<String>>,
    goals: Vec<Vec<String>>,
}

impl OracleReasoner {
    fn know(&self, fluents: State) -> Result<Known, Error> {
        let (position, roles) = (self.0.position(&fluents)?, 0..self.0.roles().len());
        Ok(Known {
            is_terminal: position.is_terminal(),
            legal: roles.clone().map(|role| position.legal(role)).collect(),
            goals: roles.map(|role| position.goals(role)).collect(),
            fluents,
        })
    }
}

impl Reasoner for OracleReasoner {
    type State = Known;

    fn roles(&self) -> Vec<String> {
        self.0.roles().to_vec()
    }

    fn initial(&self) -> Result<Known, String> {
        self.know(self.0.initial().clone()).map_err(|error| error.to_string())
    }

    fn fluents(&self, state: &Known) -> Vec<String> {
        state.fluents.iter().cloned().collect()
    }

    fn legal(&self, state: &Known, role: usize) -> Result<Vec<String>, String> {
        Ok(state.legal[role].clone())
    }

    fn next(&self, state: &Known, joint: &[String]) -> Result<Known, String> {
        let next = self.0.position(&state.fluents).and_then(|position| position.next(joint));
        next.and_then(|(next, _)| self.know(next)).map_err(|error| error.to_string())
    }

    fn terminal(&self, state: &Known) -> Result<bool, String> {
        Ok(state.is_terminal)
    }

    fn goals(&self, state: &Known, role: usize) -> Result<Vec<String>, String> {
        Ok(state.goals[role].clone())
    }
}
