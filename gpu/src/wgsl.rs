//! Kernels as shaders: translates a [`Kernel`] to the WebGPU Shading Language, which drivers of all
//! cards accept.

use crate::{
    builder::{Build, Counter, Register},
    kernel::{Kernel, Start},
    random,
};
use std::{fmt::Write, sync::LazyLock};

/// The number of threads of a workgroup.
pub(crate) const GROUP: u32 = 64;

/// The declarations of a dispatch's parameters and buffers; all numbers have 32 bits.
const HEAD: &str = "\
struct Job { key: vec2<u32>, first: vec2<u32>, blocks: u32, games: u32, last: u32, each: u32, phase: u32, words: u32 }
@group(0) @binding(0) var<storage, read> job: Job;
@group(0) @binding(1) var<storage, read_write> counters: array<u32>;
@group(0) @binding(2) var<storage, read> states: array<u32>;
";

/// Returns the shader of a kernel.
pub(crate) fn shader(kernel: &Kernel) -> String {
    let mut body = Text { code: String::new(), values: 0 };
    kernel.play(&mut body);
    let mut code = format!("{HEAD}{}", random::WGSL);
    let mut line = |text: &str| {
        code.push_str(text);
        code.push('\n');
    };
    line(&format!(
        "@compute @workgroup_size({GROUP})\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {{"
    ));
    line("if (id.x >= job.blocks) { return; }");
    match kernel.start {
        Start::Initial => {
            line("let low = job.first.x + id.x;");
            line("begin(job.key, vec2<u32>(low, job.first.y + u32(low < id.x)));");
        }
        Start::Given => {
            // The words of a state follow its index.
            line("let state = id.x / job.each * job.words;");
            line("begin(job.key, vec2<u32>(states[state] * job.each + id.x % job.each, 0u));");
            line("var phase = job.phase;");
        }
    }
    line("var left = select(job.games, job.last, (id.x + 1u) % job.each == 0u);");
    line("var started = 0u;");
    (0..kernel.length()).for_each(|register| line(&format!("var r{register} = 0u;")));
    (0..kernel.counters()).for_each(|counter| line(&format!("var c{counter} = 0u;")));
    line(&body.code);
    for counter in 0..kernel.counters() {
        line(&format!("counters[{counter}u * job.blocks + id.x] = c{counter};"));
    }
    line("}");
    code
}

/// A value by its number; the first two numbers are constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value(u32);

const ZERO: Value = Value(0);
const ONES: Value = Value(1);

/// The code of a kernel written so far.
struct Text {
    code: String,
    values: u32,
}

impl Text {
    /// Declares a new value.
    fn value(&mut self, text: impl std::fmt::Display) -> Value {
        self.values += 1;
        let value = Value(self.values + 1);
        self.line(format_args!("let v{} = {text};", value.0));
        value
    }

    fn line(&mut self, text: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.code, "{text}");
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            ZERO => f.write_str("0u"),
            ONES => f.write_str("0xffffffffu"),
            Self(number) => write!(f, "v{number}"),
        }
    }
}

impl Build for Text {
    type Value = Value;

    fn constant(&mut self, bit: bool) -> Value {
        if bit { ONES } else { ZERO }
    }

    fn lut(&mut self, table: u8, operands: [Value; 3]) -> Value {
        static EXPRESSIONS: LazyLock<Vec<String>> = LazyLock::new(expressions);
        let table = fold(table, operands);
        let text = &EXPRESSIONS[usize::from(table)];
        match text.as_str() {
            "0" => return ZERO,
            "1" => return ONES,
            "A" => return operands[0],
            "B" => return operands[1],
            "C" => return operands[2],
            _ => {}
        }
        let mut written = String::with_capacity(4 * text.len());
        for letter in text.chars() {
            let Some(operand) = ['A', 'B', 'C'].iter().position(|&name| name == letter) else {
                written.push(letter);
                continue;
            };
            let _ = write!(written, "{}", operands[operand]);
        }
        self.value(written)
    }

    fn get(&mut self, register: Register) -> Value {
        self.value(format_args!("r{}", register.0))
    }

    fn set(&mut self, register: Register, value: Value) {
        self.line(format_args!("r{} = {value};", register.0));
    }

    fn noise(&mut self) -> Value {
        self.value("noise()")
    }

    fn given(&mut self, fluent: usize) -> Value {
        self.value(format_args!("0u - ((states[state + {}u] >> {}u) & 1u)", 1 + fluent / 32, fluent % 32))
    }

    fn count(&mut self, Counter(counter): Counter, games: Value) {
        if games != ZERO {
            self.line(format_args!("c{counter} += countOneBits({games});"));
        }
    }

    fn start(&mut self, free: Value) -> Value {
        self.line(format_args!(
            "started = {free};\nloop {{ if (countOneBits(started) <= left) {{ break; }} started &= started - 1u; }}\n\
            left -= countOneBits(started);"
        ));
        self.value("started")
    }

    fn left(&mut self) -> Value {
        self.value("select(0u, 0xffffffffu, left > 0u)")
    }

    fn when(&mut self, any: Value, then: impl FnOnce(&mut Self)) {
        if any != ZERO {
            self.line(format_args!("if ({any} != 0u) {{"));
            then(self);
            self.line("}");
        }
    }

    fn when_due(&mut self, waiting: Value, most: u32, going: Value, then: impl FnOnce(&mut Self)) {
        self.line(format_args!(
            "if (countOneBits({waiting}) >= {most}u || ({waiting} != 0u && {going} == 0u)) {{"
        ));
        then(self);
        self.line("}");
    }

    fn when_at(&mut self, phase: usize, next: usize, then: impl FnOnce(&mut Self)) {
        self.line(format_args!("if (phase == {phase}u) {{\nphase = {next}u;"));
        then(self);
        self.line("}");
    }

    fn repeat(&mut self, mut body: impl FnMut(&mut Self) -> Value) {
        self.line("loop {");
        let again = body(self);
        self.line(format_args!("if ({again} == 0u) {{ break; }}\n}}"));
    }
}

/// Returns an equivalent truth table that does not depend on constant operands, nor on operands
/// that equal an earlier operand.
fn fold(mut table: u8, operands: [Value; 3]) -> u8 {
    let bits = [4, 2, 1];
    let rows = |table: u8, from: &dyn Fn(usize) -> usize| {
        (0..8).fold(0, |folded, row| folded | (table >> from(row) & 1) << row)
    };
    for (operand, bit) in operands.into_iter().zip(bits) {
        if operand == ZERO {
            table = rows(table, &|row| row & !bit);
        } else if operand == ONES {
            table = rows(table, &|row| row | bit);
        }
    }
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        if operands[one] == operands[other] {
            let (one, other) = (bits[one], bits[other]);
            table = rows(table, &|row| if row & one == 0 { row & !other } else { row | other });
        }
    }
    table
}

/// Returns for each function of the operands `A`, `B` and `C` an expression with the fewest
/// operations.
pub(crate) fn expressions() -> Vec<String> {
    // `levels` lists the functions by the number of operations that they need.
    let mut best: Vec<Option<String>> = vec![None; 256];
    let simple = [(0x00, "0"), (0xff, "1"), (0xf0, "A"), (0xcc, "B"), (0xaa, "C")];
    simple.iter().for_each(|&(table, name): &(usize, &str)| best[table] = Some(name.to_owned()));
    let mut levels: Vec<Vec<usize>> = vec![simple.map(|simple| simple.0).to_vec()];
    let operand = |text: &str| if text.contains(' ') { format!("({text})") } else { text.to_owned() };
    while best.iter().any(Option::is_none) {
        let cost = levels.len();
        let mut found: Vec<(usize, String)> = Vec::new();
        let text = |table: usize| operand(best[table].as_deref().unwrap_or_default());
        for &table in &levels[cost - 1] {
            found.push((!table & 0xff, format!("~{}", text(table))));
        }
        for left in 0..cost {
            for (&x, &y) in
                levels[left].iter().flat_map(|x| levels[cost - 1 - left].iter().map(move |y| (x, y)))
            {
                for (table, sign) in [(x & y, '&'), (x | y, '|'), (x ^ y, '^')] {
                    found.push((table, format!("{} {sign} {}", text(x), text(y))));
                }
            }
        }
        let mut level = Vec::new();
        for (table, text) in found {
            if best[table].is_none() {
                best[table] = Some(text);
                level.push(table);
            }
        }
        levels.push(level);
    }
    best.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations on constants and equal operands are folded.
    #[test]
    fn operations_fold() {
        let mut text = Text { code: String::new(), values: 1 };
        let [a, b] = [Value(2), Value(3)];
        assert!(text.lut(0xc0, [a, ONES, b]) == a && text.lut(0xc0, [a, ZERO, b]) == ZERO);
        assert!(text.lut(0x3c, [a, a, b]) == ZERO && text.lut(0xfc, [a, a, a]) == a);
        assert!(text.lut(0xca, [ZERO, a, b]) == b && text.lut(0xca, [ONES, a, b]) == a);
        assert!(text.code.is_empty());
        text.lut(0x3c, [a, b, b]);
        assert_eq!(text.code, "let v3 = v2 ^ v3;\n");
    }

    /// Swapping operands of a table agrees with `gdl_format::lanes::swap`.
    #[test]
    fn rows_are_those_of_the_format() {
        for table in 0..=255 {
            let same = fold(table, [Value(2), Value(3), Value(3)]);
            assert_eq!(same, fold(gdl_format::lanes::swap(table, 1, 2), [Value(2), Value(3), Value(3)]));
        }
    }
}
