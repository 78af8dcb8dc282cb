//! Compiles a net to straight-line Rust for single states.
//!
//! A state is an array of words. Operands of a gate that are fluents of one word become one masked
//! comparison; outputs that copy bits become masked shifts; all other gates become local `bool`s.
//! Advancing first computes the successor for moves that affect no fluent. Each role's move then
//! patches the fluents that it touches, usually by constants once its legality is assumed. The
//! functions use only operators.
//!
//! The emitted functions are
//!
//! ```text
//! fn phase(state: &[u64; N]) -> usize                    where on the cycle of fluents that go round it is, if there is one
//! fn observe0(state: &[u64; N], view: &mut [u64; V])     every word of the view is written
//! fn advance0(state: &mut [u64; N], joint: &[u32; R])    the move of each role, as its number
//! fn perceive(state: &[u64; N], joint: &[u32; R], percepts: &mut [u64])
//! ```
//!
//! Each phase of a turn cycle has functions to observe and to advance, `observe1` and so on. They
//! take about half as long as those of the whole net. For unreachable states outside every phase,
//! `phase` returns the number after the last. `perceive` writes every word of a row of percepts; it
//! is emitted only if the rules define percepts.
//!
//! The length of the code is proportional to the operations of the net. These are at most
//! [`STRAIGHT_BUDGET`](super::STRAIGHT_BUDGET), unless the caller requests straight-line code of
//! any size.

use crate::{
    optimize::Phases,
    propnet::{Gate, Net, Signal},
};
use gdl_format::lanes::Cycle;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use rustc_hash::FxHashMap;
use std::{
    collections::{BTreeMap, BTreeSet},
    slice,
};

/// The largest size of all patches together, as a multiple of the net's. If they are larger,
/// advancing evaluates the whole net. Patches share no gates, whereas the net shares all equal
/// ones. Measured: nim is a fifth faster with patches of 4.2 times its size; on the built-in games,
/// all factors from 5 to 10 give equal decisions.
const MAX_PATCH_RATIO: usize = 8;

/// The largest average size of the nets of phases, as a percentage of the whole net's, for which
/// phases have their own functions. Identifying the phase takes time, too. Measured: at 83 percent
/// connect four is a tenth slower, at 64 tic-tac-toe is slightly faster, at 54 breakthrough is
/// twice as fast.
const MAX_PHASE: usize = 75;

/// Emits the functions of a net, or of the nets of its phases if these are small enough. Also
/// returns the number of phases with functions. Time and code are O(operations), patches included.
#[must_use]
pub fn straight(net: &Net, phases: Option<&Phases>) -> (TokenStream, usize) {
    let phases = super::pays(net, phases, MAX_PHASE);
    let nets = phases.map_or(slice::from_ref(net), |phases| &phases.nets);
    let functions = nets.iter().enumerate().map(|(i, net)| {
        let (observe, advance) = (observe(net, i), advance(net, i));
        quote!(#observe #advance)
    });
    let phase = phases.map(|phases| phase(&phases.cycle, net.shape().state_words()));
    let perceive = net.outputs.sees.is_some().then(|| perceive(net));
    (quote!(#(#functions)* #phase #perceive), nets.len())
}

/// Emits the function that identifies the phase of a state.
fn phase(cycle: &Cycle, words: usize) -> TokenStream {
    let phases = cycle.values.len();
    let tests = (0..phases).map(|i| {
        let number = Literal::usize_unsuffixed(i);
        let tests = cycle.words(i).into_iter().map(|(word, (mask, value))| {
            let (word, mask, value) = (Literal::usize_unsuffixed(word), hex(mask), hex(value));
            quote!(state[#word] & #mask == #value)
        });
        quote!(if #(#tests)&&* { return #number; })
    });
    let number = Literal::usize_unsuffixed(phases);
    quote! {
        #[inline]
        fn phase(state: &[u64; #words]) -> usize {
            #(#tests)*
            #number
        }
    }
}

fn observe(net: &Net, number: usize) -> TokenStream {
    let name = format_ident!("observe{number}");
    let shape = net.shape();
    let (state_words, view_words) = (shape.state_words(), shape.view_words());
    let mut outputs = Vec::new();
    for (role, legal) in net.outputs.legal.iter().enumerate() {
        outputs.extend(legal.iter().map(|&(action, s)| (shape.legal_bit(role, action as usize), s)));
    }
    let goals = net.outputs.goal.iter().flatten().map(|&(_, s)| s);
    outputs.extend(goals.enumerate().map(|(i, s)| (shape.goal_bit() + i, s)));
    outputs.push((shape.terminal_bit(), net.outputs.terminal));

    let mut block = Block::new(net);
    let words = block.words(&outputs, view_words);
    let gates = &block.statements;
    let reads = read_state(state_words);
    let writes = write_words(&quote!(view), &words);
    quote! {
        #[inline]
        #[allow(unused_variables, reason = "a view may not depend on every word")]
        fn #name(state: &[u64; #state_words], view: &mut [u64; #view_words]) {
            #reads
            #(#gates)*
            #writes
        }
    }
}

fn advance(net: &Net, number: usize) -> TokenStream {
    let name = format_ident!("advance{number}");
    let shape = net.shape();
    let (words, roles) = (shape.state_words(), net.vocabulary.roles.len());
    let body = if let Some(patches) = patches(net) {
        patched(net, words, &patches)
    } else {
        let mut block = Block::new(net);
        let outputs: Vec<(usize, Signal)> = net.outputs.next.iter().copied().enumerate().collect();
        let next = block.words(&outputs, words);
        let gates = &block.statements;
        quote!(#(#gates)* *state = [#(#next),*];)
    };
    let reads = read_state(words);
    quote! {
        #[inline]
        #[allow(unused_variables, reason = "a step may not depend on every word or move")]
        fn #name(state: &mut [u64; #words], joint: &[u32; #roles]) {
            #reads
            #body
        }
    }
}

fn perceive(net: &Net) -> TokenStream {
    let shape = net.shape();
    let (words, roles) = (shape.state_words(), shape.roles);
    let outputs: Vec<(usize, Signal)> = net
        .percepts()
        .enumerate()
        .flat_map(|(role, list)| list.iter().map(move |&(p, s)| (shape.percept_bit(role, p as usize), s)))
        .collect();
    let mut block = Block::new(net);
    let row = block.words(&outputs, shape.roles * shape.percept_words());
    let gates = &block.statements;
    let reads = read_state(words);
    let writes = write_words(&quote!(percepts), &row);
    quote! {
        #[allow(unused_variables, reason = "percepts may not depend on every word or move")]
        fn perceive(state: &[u64; #words], joint: &[u32; #roles], percepts: &mut [u64]) {
            #reads
            #(#gates)*
            #writes
        }
    }
}

/// Emits `let s0 = state[0]; ..`, for each word of a state.
fn read_state(words: usize) -> TokenStream {
    (0..words)
        .map(|word| {
            let (name, place) = (word_name(word), Literal::usize_unsuffixed(word));
            quote!(let #name = state[#place];)
        })
        .collect()
}

/// Emits `view[0] = ..; ..`, for each word of a row.
fn write_words(row: &TokenStream, words: &[TokenStream]) -> TokenStream {
    let write = |(place, word)| {
        let place = Literal::usize_unsuffixed(place);
        quote!(#row[#place] = #word;)
    };
    words.iter().enumerate().map(write).collect()
}

fn word_name(word: usize) -> Ident {
    format_ident!("s{word}", span = Span::call_site())
}

/// The effect of one role's move: the next-state functions of the fluents it touches.
struct Patch {
    role: u32,
    action: u32,
    /// The residual circuit after assuming that the move is legal and made. Moves of other roles
    /// are unknown.
    net: Net,
    /// Each touched fluent and its next value.
    next: Vec<(usize, Signal)>,
}

/// Makes the patch of every move, or `None` if they are too large together.
fn patches(net: &Net) -> Option<Vec<Patch>> {
    let mut touched: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (fluent, &next) in net.outputs.next.iter().enumerate() {
        for gate in cone(net, &[next]) {
            if let Gate::Does { .. } = net.gate(gate) {
                touched.entry(gate).or_default().push(fluent);
            }
        }
    }
    let budget = MAX_PATCH_RATIO * net.operations().max(64);
    let mut spent = 0;
    let mut patches = Vec::new();
    for (gate, fluents) in touched {
        let Gate::Does { role, action } = net.gate(gate) else { continue };
        let known = known_when_legal(net, role, action);
        let outputs: Vec<Signal> = fluents.iter().map(|&f| net.outputs.next[f]).collect();
        let mut residual = net.without_gates();
        let signals = specialise(net, &mut residual, &outputs, |input| match net.gate(input) {
            Gate::Does { role: r, action: a } if r == role => Some(Signal::FALSE.negate_if(a == action)),
            Gate::Fluent(_) => known.get(&input).map(|&value| Signal::FALSE.negate_if(value)),
            _ => None,
        });
        spent += residual.operations() + signals.len();
        if spent > budget {
            return None;
        }
        let next = fluents.into_iter().zip(signals).collect();
        patches.push(Patch { role, action, net: residual, next });
    }
    Some(patches)
}

/// Returns the values of fluents, by gate, that the legality of a move implies.
fn known_when_legal(net: &Net, role: u32, action: u32) -> FxHashMap<u32, bool> {
    let legal = &net.outputs.legal[role as usize];
    let signal = legal.iter().find(|&&(m, _)| m == action).map_or(Signal::TRUE, |&(_, s)| s);
    let single = [signal];
    let operands = match net.gate(signal.gate()) {
        Gate::And(operands) if !signal.is_negated() => operands,
        _ => &single[..],
    };
    operands
        .iter()
        .filter(|s| matches!(net.gate(s.gate()), Gate::Fluent(_)))
        .map(|s| (s.gate(), !s.is_negated()))
        .collect()
}

/// Emits the statements that advance by patches: the successor without moves, then the patch of
/// each role's move.
fn patched(net: &Net, words: usize, patches: &[Patch]) -> TokenStream {
    let mut rest = net.without_gates();
    let idle = specialise(net, &mut rest, &net.outputs.next, |input| {
        matches!(net.gate(input), Gate::Does { .. }).then_some(Signal::FALSE)
    });
    let mut block = Block::new(&rest);
    let outputs: Vec<(usize, Signal)> = idle.into_iter().enumerate().collect();
    let next = block.words(&outputs, words);
    let gates = &block.statements;
    let names: Vec<Ident> = (0..words).map(|word| format_ident!("n{word}")).collect();

    let moves = (0..net.vocabulary.roles.len()).map(|role| {
        let patches: Vec<&Patch> = patches.iter().filter(|p| p.role as usize == role).collect();
        patch_role(role, &patches, &names)
    });
    quote! {
        #(#gates)*
        #(let mut #names = #next;)*
        #(#moves)*
        *state = [#(#names),*];
    }
}

/// Emits the patches of the words `names` by one role's move: constants from a table, other bits by
/// code.
fn patch_role(role: usize, patches: &[&Patch], names: &[Ident]) -> TokenStream {
    let role = Literal::usize_unsuffixed(role);
    let mut code = TokenStream::new();
    for (word, name) in names.iter().enumerate() {
        let constants = patches.iter().filter_map(|patch| {
            let bits = patch.next.iter().filter(|(fluent, s)| fluent / 64 == word && s.is_constant());
            let (keep, set) = bits.fold((u64::MAX, 0), |(keep, set), (fluent, s)| {
                let bit = 1u64 << (fluent % 64);
                (keep & !bit, if *s == Signal::TRUE { set | bit } else { set })
            });
            (keep != u64::MAX).then_some((patch.action, keep, set))
        });
        let arms: Vec<TokenStream> = constants
            .map(|(action, keep, set)| {
                let (action, keep, set) = (Literal::u32_unsuffixed(action), hex(keep), hex(set));
                quote!(#action => (#keep, #set),)
            })
            .collect();
        if !arms.is_empty() {
            code.extend(quote! {
                let (keep, set): (u64, u64) = match joint[#role] { #(#arms)* _ => (!0, 0) };
                #name = #name & keep | set;
            });
        }
    }
    let mut arms = Vec::new();
    for patch in patches {
        let open: Vec<(usize, Signal)> =
            patch.next.iter().copied().filter(|(_, s)| !s.is_constant()).collect();
        if open.is_empty() {
            continue;
        }
        let mut block = Block::new(&patch.net);
        let values = block.words(&open, names.len());
        let statements = &block.statements;
        let updates = touched_words(&open).into_iter().map(|(word, mask)| {
            let (name, value, keep) = (&names[word], &values[word], hex(!mask));
            quote!(#name = #name & #keep | #value;)
        });
        let action = Literal::u32_unsuffixed(patch.action);
        arms.push(quote!(#action => { #(#statements)* #(#updates)* }));
    }
    if !arms.is_empty() {
        code.extend(quote!(match joint[#role] { #(#arms)* _ => {} }));
    }
    code
}

/// Returns the mask of the touched bits of each word.
fn touched_words(next: &[(usize, Signal)]) -> BTreeMap<usize, u64> {
    let mut masks = BTreeMap::new();
    for &(bit, _) in next {
        *masks.entry(bit / 64).or_insert(0) |= 1u64 << (bit % 64);
    }
    masks
}

/// Returns the gates that `signals` depend on, inputs included, in topological order.
fn cone(net: &Net, signals: &[Signal]) -> BTreeSet<u32> {
    let mut inside: BTreeSet<u32> = signals.iter().map(|s| s.gate()).collect();
    let mut pending: Vec<u32> = inside.iter().copied().collect();
    while let Some(gate) = pending.pop() {
        if let Gate::And(operands) = net.gate(gate) {
            pending.extend(operands.iter().map(|s| s.gate()).filter(|&g| inside.insert(g)));
        }
    }
    inside
}

/// Copies the cone of `outputs` into `target`. `value` returns the signal that replaces an input,
/// or `None`.
fn specialise(
    net: &Net,
    target: &mut Net,
    outputs: &[Signal],
    value: impl Fn(u32) -> Option<Signal>,
) -> Vec<Signal> {
    let mut signals: FxHashMap<u32, Signal> = FxHashMap::default();
    let of = |signals: &FxHashMap<u32, Signal>, s: Signal| signals[&s.gate()].negate_if(s.is_negated());
    for gate in cone(net, outputs) {
        let signal = match net.gate(gate) {
            Gate::And(operands) => {
                let operands = operands.iter().map(|&s| of(&signals, s)).collect();
                target.and(operands)
            }
            _ => value(gate).unwrap_or(Signal::new(gate, false)),
        };
        signals.insert(gate, signal);
    }
    outputs.iter().map(|&s| of(&signals, s)).collect()
}

fn hex(value: u64) -> TokenStream {
    format!("0x{value:x}").parse().expect("a number is a token")
}

/// The statements that compute gates as local `bool`s, each gate once.
struct Block<'n> {
    net: &'n Net,
    statements: Vec<TokenStream>,
    done: BTreeSet<u32>,
}

/// The source of a copied bit.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Copied {
    word: usize,
    /// The distance from the output's bit to the fluent's; positive for a right shift.
    shift: i32,
    negated: bool,
}

impl<'n> Block<'n> {
    fn new(net: &'n Net) -> Self {
        Self { net, statements: Vec::new(), done: BTreeSet::new() }
    }

    /// Returns expressions for `count` words with each signal at its bit.
    fn words(&mut self, outputs: &[(usize, Signal)], count: usize) -> Vec<TokenStream> {
        let mut constants = vec![0u64; count];
        // The masks of copied bits, by output word, condition, source word, shift and complement.
        let mut copies: BTreeMap<(usize, Vec<Signal>, Copied), u64> = BTreeMap::new();
        let mut others: Vec<(usize, Signal)> = Vec::new();
        let uses = self.count_uses(outputs);
        for &(bit, signal) in outputs {
            let (word, mask) = (bit / 64, 1u64 << (bit % 64));
            if signal == Signal::TRUE {
                constants[word] |= mask;
            } else if let Some((rest, copied)) = self.as_copy(signal, bit, &uses) {
                *copies.entry((word, rest, copied)).or_insert(0) |= mask;
            } else if signal != Signal::FALSE {
                others.push((bit, signal));
            }
        }
        let mut needed: Vec<Signal> = copies.keys().flat_map(|(_, rest, _)| rest).copied().collect();
        needed.extend(others.iter().map(|&(_, signal)| signal));
        self.compute(&needed);

        let mut words: Vec<Vec<TokenStream>> = vec![Vec::new(); count];
        let mut guarded: BTreeMap<(usize, Vec<Signal>), Vec<TokenStream>> = BTreeMap::new();
        for ((word, rest, copied), mask) in copies {
            let (name, mask) = (word_name(copied.word), hex(mask));
            let source = if copied.negated { quote!(!#name) } else { quote!(#name) };
            let distance = Literal::u32_unsuffixed(copied.shift.unsigned_abs());
            let moved = match copied.shift {
                0 => source,
                1.. => quote!((#source >> #distance)),
                _ => quote!((#source << #distance)),
            };
            guarded.entry((word, rest)).or_default().push(quote!(#moved & #mask));
        }
        for ((word, rest), parts) in guarded {
            let bits = quote!(#(#parts)|*);
            words[word].push(if rest.is_empty() {
                bits
            } else {
                let condition = self.conjunction(&rest);
                // The mask is all ones if the condition holds.
                quote!(0u64.wrapping_sub((#condition) as u64) & (#bits))
            });
        }
        for (bit, signal) in others {
            let (value, place) = (self.value(signal), Literal::usize_unsuffixed(bit % 64));
            words[bit / 64].push(quote!(((#value) as u64) << #place));
        }
        for (parts, constant) in words.iter_mut().zip(constants) {
            if constant != 0 || parts.is_empty() {
                parts.push(hex(constant));
            }
        }
        words.into_iter().map(|parts| quote!(#(#parts)|*)).collect()
    }

    /// Counts the outputs that have each signal as an operand.
    fn count_uses(&self, outputs: &[(usize, Signal)]) -> FxHashMap<Signal, usize> {
        let mut uses = FxHashMap::default();
        for (_, signal) in outputs {
            if let Gate::And(operands) = self.net.gate(signal.gate()) {
                operands.iter().for_each(|&s| *uses.entry(s).or_insert(0) += 1);
            }
        }
        uses
    }

    /// Returns the signal as a copy of one fluent's bit, with the other operands as its condition.
    /// Returns `None` if the signal is neither a fluent nor a conjunction with one. The fluent with
    /// the fewest uses is copied, so that many outputs have equal conditions.
    fn as_copy(
        &self,
        signal: Signal,
        bit: usize,
        uses: &FxHashMap<Signal, usize>,
    ) -> Option<(Vec<Signal>, Copied)> {
        let single = [signal];
        let operands = match self.net.gate(signal.gate()) {
            Gate::Fluent(_) => &single[..],
            Gate::And(operands) if !signal.is_negated() => operands,
            _ => return None,
        };
        let fluent_of = |s: Signal| match self.net.gate(s.gate()) {
            Gate::Fluent(fluent) => Some(fluent),
            _ => None,
        };
        let fluents = operands.iter().filter_map(|&s| fluent_of(s).map(|fluent| (s, fluent)));
        let (from, fluent) = fluents.min_by_key(|(s, _)| uses.get(s).copied().unwrap_or(0))?;
        let rest = operands.iter().copied().filter(|&s| s != from).collect();
        let shift = (fluent % 64) as i32 - (bit % 64) as i32;
        Some((rest, Copied { word: fluent as usize / 64, shift, negated: from.is_negated() }))
    }

    /// Emits the gates that signals depend on, each once, in topological order.
    fn compute(&mut self, signals: &[Signal]) {
        let net = self.net;
        for gate in cone(net, signals) {
            if let Gate::And(operands) = net.gate(gate)
                && self.done.insert(gate)
            {
                let (name, value) = (format_ident!("g{gate}"), self.conjunction(operands));
                self.statements.push(quote!(let #name = #value;));
            }
        }
    }

    /// Returns an expression for a signal whose gates are computed.
    fn value(&self, signal: Signal) -> TokenStream {
        if let Gate::And(_) = self.net.gate(signal.gate()) {
            let name = format_ident!("g{}", signal.gate());
            if signal.is_negated() { quote!(!#name) } else { quote!(#name) }
        } else {
            self.conjunction(&[signal])
        }
    }

    /// Returns the conjunction of signals whose gates are computed, with one comparison for all
    /// fluents of a word.
    fn conjunction(&self, operands: &[Signal]) -> TokenStream {
        let mut masks: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        let mut parts = Vec::new();
        for &signal in operands {
            match self.net.gate(signal.gate()) {
                Gate::Constant => {
                    parts.push(if signal == Signal::TRUE { quote!(true) } else { quote!(false) });
                }
                Gate::Fluent(fluent) => {
                    let bit = 1u64 << (fluent % 64);
                    let (mask, value) = masks.entry(fluent as usize / 64).or_default();
                    *mask |= bit;
                    *value |= if signal.is_negated() { 0 } else { bit };
                }
                Gate::Does { role, action } => {
                    let role = Literal::usize_unsuffixed(role as usize);
                    let action = Literal::u32_unsuffixed(action);
                    parts.push(if signal.is_negated() {
                        quote!((joint[#role] != #action))
                    } else {
                        quote!((joint[#role] == #action))
                    });
                }
                Gate::And(_) => parts.push(self.value(signal)),
            }
        }
        for (word, (mask, value)) in masks {
            let name = word_name(word);
            let (mask, single) = (hex(mask), value == mask && mask.is_power_of_two());
            let value = hex(value);
            parts.push(if single { quote!((#name & #mask != 0)) } else { quote!((#name & #mask == #value)) });
        }
        quote!(#(#parts)&*)
    }
}
