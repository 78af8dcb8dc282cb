//! Writes tables, as `gdl_compiler::emit::table` documents them.

use gdl_runtime::{Texts, Vocabulary};

/// Gates behind some inputs.
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

    fn write(&self, bytes: &mut Vec<u8>) {
        number(bytes, self.gates.len());
        for &[a, b] in &self.gates {
            number(bytes, a as usize);
            number(bytes, b as usize);
        }
        number(bytes, self.outputs.len());
        for &signal in &self.outputs {
            number(bytes, signal as usize);
        }
    }
}

/// The table of a game, with `perceive` if its vocabulary has percepts.
pub fn table(
    vocabulary: &Vocabulary,
    initial: &[u32],
    observe: &Circuit,
    advance: &Circuit,
    perceive: Option<&Circuit>,
) -> Vec<u8> {
    let mut bytes = b"GDLT\x06".to_vec();
    for list in [vocabulary.roles(), vocabulary.fluents(), vocabulary.moves()] {
        texts(&mut bytes, list);
    }
    for role in 0..vocabulary.roles().len() {
        distances(&mut bytes, vocabulary.moves_of(role));
    }
    for role in 0..vocabulary.roles().len() {
        let goals = vocabulary.goals_of(role);
        number(&mut bytes, goals.len());
        bytes.extend(goals);
    }
    number(&mut bytes, vocabulary.chance().map_or(0, |role| role + 1));
    distances(&mut bytes, initial);
    observe.write(&mut bytes);
    advance.write(&mut bytes);
    bytes.push(perceive.is_some().into());
    if let Some(perceive) = perceive {
        texts(&mut bytes, vocabulary.percepts());
        for role in 0..vocabulary.roles().len() {
            distances(&mut bytes, vocabulary.percepts_of(role));
        }
        perceive.write(&mut bytes);
    }
    // Not in lanes, neither round a cycle nor ply by ply.
    number(&mut bytes, 0);
    number(&mut bytes, 0);
    bytes
}

fn number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn texts(bytes: &mut Vec<u8>, texts: &Texts) {
    number(bytes, texts.len());
    for text in texts.iter() {
        number(bytes, text.len());
        bytes.extend(text.as_bytes());
    }
}

fn distances(bytes: &mut Vec<u8>, list: &[u32]) {
    number(bytes, list.len());
    let mut before = 0;
    for &item in list {
        number(bytes, (item - before) as usize);
        before = item;
    }
}
