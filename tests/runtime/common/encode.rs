//! Tables of games that are assembled gate by gate.

use gdl_format::{
    aig::Program,
    table::{Sees, Table},
};
use gdl_runtime::vocabulary::{Texts, Vocabulary};

/// A circuit: inputs, including the constant, and gates in the given order.
#[derive(Debug)]
pub struct Circuit {
    pub inputs: usize,
    pub gates: Vec<[u32; 2]>,
    pub outputs: Vec<u32>,
}

impl Circuit {
    pub fn new(inputs: usize) -> Self {
        Self { inputs, gates: Vec::new(), outputs: Vec::new() }
    }

    pub fn and(&mut self, a: u32, b: u32) -> u32 {
        self.gates.push([a, b]);
        2 * (self.inputs + self.gates.len() - 1) as u32
    }

    pub fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    fn program(&self) -> Program {
        Program { inputs: self.inputs - 1, gates: self.gates.clone(), outputs: self.outputs.clone() }
    }
}

/// The encoded table of a game. It has `perceive` if the vocabulary has percepts, and is not for
/// lanes.
pub fn table(
    vocabulary: &Vocabulary,
    initial: &[u32],
    observe: &Circuit,
    advance: &Circuit,
    perceive: Option<&Circuit>,
) -> Vec<u8> {
    fn texts(texts: &Texts) -> Vec<&str> {
        texts.iter().collect()
    }
    let roles = || 0..vocabulary.roles().len();
    let sees = perceive.map(|perceive| Sees {
        percepts: texts(vocabulary.percepts()),
        role_percepts: roles().map(|role| vocabulary.percepts_of(role).to_vec()).collect(),
        perceive: perceive.program(),
    });
    let table = Table {
        roles: texts(vocabulary.roles()),
        fluents: texts(vocabulary.fluents()),
        moves: texts(vocabulary.moves()),
        role_moves: roles().map(|role| vocabulary.moves_of(role).to_vec()).collect(),
        role_goals: roles().map(|role| vocabulary.goals_of(role).to_vec()).collect(),
        chance: vocabulary.chance(),
        initial: initial.to_vec(),
        observe: observe.program(),
        advance: advance.program(),
        sees,
        lanes: None,
    };
    table.encode()
}
