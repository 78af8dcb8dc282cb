//! Straight-line Rust for lanes: functions that run the programs of all phases as the interpreter
//! does, with values in registers.
//!
//! Operations are in depth-first order from the outputs, so that values are read soon after they
//! are computed. The operations are divided into chunks, since rustc's time for a function grows
//! faster than its length. Slots pass values between chunks, and an output that replaces an input
//! is written after the last operation that reads the input. The functions are generic over the
//! runtime's vectors and use only their operations.

use super::{LanePhase, Lanes, Part, cover::Cover};
use gdl_format::lanes::{Choice, Item};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// The largest number of operations in a chunk.
const CHUNK: usize = 500;

/// The names of a phase's parts.
const PARTS: [&str; 4] = ["Observe", "Keep", "Score", "Advance"];

/// Emits the module's items: a type `Lanes` that runs all phases, and its chunks.
pub(in crate::emit) fn straight(lanes: &Lanes) -> TokenStream {
    let parts = || lanes.all().flat_map(LanePhase::parts);
    let plans: Vec<ChunkPlan> = parts().map(ChunkPlan::new).collect();
    // The number of slots that any phase uses.
    let end = parts().map(Part::end).chain(plans.iter().map(|plan| plan.end)).max().unwrap_or(0);
    let slots = Literal::usize_unsuffixed(end as usize);
    let mut chunks = TokenStream::new();
    let mut runs = [const { Vec::new() }; 4];
    for (i, (phase, plans)) in lanes.all().zip(plans.chunks(PARTS.len())).enumerate() {
        let parts = phase.parts().into_iter().zip(plans).zip(PARTS);
        for (((part, plan), name), runs) in parts.zip(&mut runs) {
            let (items, run) = emit(part, plan, &format!("{name}{i}"), &slots);
            chunks.extend(items);
            runs.push(run);
        }
    }
    let at_phases =
        |of: &dyn Fn(&LanePhase) -> TokenStream| at_phase(&lanes.all().map(of).collect::<Vec<_>>());
    let cycle = Literal::usize_unsuffixed(lanes.phases.len());
    let keeps = at_phases(&|phase| {
        let keeps = phase.keep.operations() > 0;
        quote!(#keeps)
    });
    let count = at_phases(&|phase| counts(&phase.items));
    let choose = at_phases(&|phase| choices(&phase.roles));
    let [observe, keep, score, advance] = runs.map(|runs| at_phase(&runs));
    quote! {
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Lanes;

        impl __gdl::Code for Lanes {
            const CYCLE: usize = #cycle;
            const SLOTS: usize = #slots;

            #[inline(always)]
            fn observe<W: __gdl::Word>(&self, phase: usize, s: &mut __gdl::Slots) {
                #observe
            }

            #[inline(always)]
            fn keeps(&self, phase: usize) -> bool {
                #keeps
            }

            #[inline(always)]
            fn keep<W: __gdl::Word>(&self, phase: usize, s: &mut __gdl::Slots) {
                #keep
            }

            #[inline(always)]
            fn score<W: __gdl::Word>(&self, phase: usize, s: &mut __gdl::Slots) {
                #score
            }

            #[inline(always)]
            fn count<W: __gdl::Word>(
                &self,
                phase: usize,
                s: &__gdl::Slots,
                scored: W,
                sums: &mut [__gdl::Plane],
            ) {
                #count
            }

            #[inline(always)]
            fn choose<W: __gdl::Word>(
                &self,
                phase: usize,
                s: &mut __gdl::Slots,
                noise: &mut __gdl::Source<'_, W>,
                groups: &mut __gdl::Groups,
            ) -> W {
                #choose
            }

            #[inline(always)]
            fn advance<W: __gdl::Word>(&self, phase: usize, s: &mut __gdl::Slots) {
                #advance
            }
        }

        #chunks
    }
}

/// Emits the choice between the code of the phases.
fn at_phase(arms: &[TokenStream]) -> TokenStream {
    let Some((last, others)) = arms.split_last() else { return TokenStream::new() };
    if others.is_empty() {
        return last.clone();
    }
    let numbers = (0..others.len()).map(Literal::usize_unsuffixed);
    quote!(match phase { #(#numbers => { #others })* _ => { #last } })
}

/// Emits the addition of the counted items to the sums, in the order of slots.
fn counts(items: &[(Item, u32)]) -> TokenStream {
    let counted = items.iter().filter(|item| item.0.is_counted());
    let slots: BTreeSet<u32> = counted.map(|item| item.1).collect();
    let add = |(i, slot): (usize, u32)| {
        let (i, slot) = (Literal::usize_unsuffixed(i), Literal::u32_unsuffixed(slot));
        quote!(__gdl::add(&mut sums[#i], W::and(scored, W::load(&s[#slot])));)
    };
    slots.into_iter().enumerate().map(add).collect()
}

/// Emits the choice of a move for each role that has several or none. The value of the emitted
/// expression is the lanes where some role has no legal move.
fn choices(roles: &[Choice]) -> TokenStream {
    let mut code = TokenStream::new();
    let mut stuck = quote!(W::splat(false));
    for role in roles.iter().filter(|role| role.first != 0 || role.moves.is_empty()) {
        let slots = role.slots();
        let [start, end] = [slots.start, slots.end].map(Literal::usize_unsuffixed);
        if role.count > 0 {
            let count = Literal::u8_unsuffixed(role.count);
            code.extend(quote!(__gdl::choose_counted::<W>(&mut s[#start..#end], #count, noise);));
        } else {
            code.extend(
                quote!(let stuck = W::or(#stuck, __gdl::choose::<W>(&mut s[#start..#end], noise, groups));),
            );
            stuck = quote!(stuck);
        }
    }
    quote!(#code #stuck)
}

/// Emits the chunks of a part, and the calls that run them on `slots` slots.
fn emit(part: &Part, plan: &ChunkPlan, name: &str, slots: &Literal) -> (TokenStream, TokenStream) {
    let names: Vec<Ident> = (0..plan.chunks.len()).map(|i| format_ident!("{name}Chunk{i}")).collect();
    let items = names.iter().enumerate().map(|(i, name)| {
        let body = plan.chunk(part, i);
        quote! {
            #[derive(Clone, Copy)]
            struct #name;

            impl __gdl::Line<#slots> for #name {
                #[inline(always)]
                fn run<V: __gdl::Vector>(self, s: &mut __gdl::View<'_, V, #slots>) {
                    #body
                }
            }
        }
    });
    let calls = match &names[..] {
        // The only chunk of a part is inlined.
        [name] => quote!(__gdl::run::<W, #slots>(#name, s);),
        names => quote!(#(W::call(__gdl::Apart::<_, #slots>(#names), s);)*),
    };
    (items.collect(), calls)
}

/// The division of a part into chunks, and the slots that pass values between them.
struct ChunkPlan {
    /// The operations of each chunk, in order.
    chunks: Vec<Vec<u32>>,
    /// For each value, the slot from which other chunks read it; 0 if there is none.
    slots: Vec<u32>,
    /// The outputs that each chunk writes: value and slot.
    outputs: Vec<Vec<(u32, u32)>>,
    /// The slot after all slots for values.
    end: u32,
}

impl ChunkPlan {
    fn new(part: &Part) -> Self {
        let cover = &part.cover;
        let order = walk(cover);
        let chunks: Vec<Vec<u32>> = order.chunks(CHUNK).map(<[u32]>::to_vec).collect();
        // The chunk that makes each value, 0 for inputs, and the last chunk that reads it.
        let count = cover.inputs + cover.operations.len();
        let (mut made, mut last) = (vec![0; count], vec![0; count]);
        for (time, chunk) in chunks.iter().enumerate() {
            for &number in chunk {
                made[cover.inputs + number as usize] = time;
                cover.operations[number as usize]
                    .operands
                    .iter()
                    .for_each(|&value| last[value as usize] = time);
            }
        }
        let mut outputs = vec![Vec::new(); chunks.len()];
        for (&value, &slot) in cover.outputs.iter().zip(&part.outputs) {
            let over = part.inputs.iter().position(|&input| input == slot).map_or(0, |input| last[input]);
            let time = over.max(made[value as usize]);
            last[value as usize] = last[value as usize].max(time);
            outputs[time].push((value, slot));
        }
        let mut slots = part.inputs.clone();
        slots.resize(count, 0);
        let (mut free, mut end) = (Vec::new(), part.free);
        let mut ends = vec![Vec::new(); chunks.len()];
        for (time, chunk) in chunks.iter().enumerate() {
            for &number in chunk {
                let value = cover.inputs + number as usize;
                if last[value] > time {
                    slots[value] = free.pop().unwrap_or_else(|| {
                        end += 1;
                        end - 1
                    });
                    ends[last[value]].push(slots[value]);
                }
            }
            free.append(&mut ends[time]);
        }
        Self { chunks, slots, outputs, end }
    }

    /// Emits the statements of a chunk. An output is stored right after the last operation of the
    /// chunk that reads the replaced value, since few values fit into registers.
    fn chunk(&self, part: &Part, time: usize) -> TokenStream {
        let cover = &part.cover;
        let numbers = &self.chunks[time];
        // Positions in the chunk: the last operation that reads each value, and the outputs to
        // store after each operation.
        let own = |position: usize| cover.inputs + numbers[position] as usize;
        let mut last = vec![0; self.slots.len()];
        for (position, &number) in numbers.iter().enumerate() {
            let operands = cover.operations[number as usize].operands;
            operands.iter().for_each(|&value| last[value as usize] = position);
        }
        let mut made = vec![0; self.slots.len()];
        (0..numbers.len()).for_each(|position| made[own(position)] = position);
        let mut ready = vec![Vec::new(); numbers.len().max(1)];
        for &(value, slot) in &self.outputs[time] {
            let over = part.inputs.iter().position(|&input| input == slot).map_or(0, |input| last[input]);
            ready[over.max(made[value as usize])].push((value, slot));
        }

        let mut known = vec![false; self.slots.len()];
        let mut code = TokenStream::new();
        let name = |value: u32| format_ident!("v{value}");
        let place = Literal::u32_unsuffixed;
        let read = |value: u32, known: &mut Vec<bool>| {
            let first = !std::mem::replace(&mut known[value as usize], true);
            let (name, place) = (name(value), place(self.slots[value as usize]));
            first.then(|| quote!(let #name = s.load(#place);))
        };
        for position in 0..ready.len() {
            if let Some(&number) = numbers.get(position) {
                let operation = &cover.operations[number as usize];
                for value in operation.operands {
                    code.extend(read(value, &mut known));
                }
                let value = own(position) as u32;
                known[value as usize] = true;
                let (result, [a, b, c]) = (name(value), operation.operands.map(name));
                let table = Literal::u8_unsuffixed(operation.table);
                code.extend(quote!(let #result = V::ternary::<#table>(#a, #b, #c);));
                if self.slots[value as usize] != 0 {
                    let place = place(self.slots[value as usize]);
                    code.extend(quote!(s.store(#place, #result);));
                }
            }
            for &(value, slot) in &ready[position] {
                code.extend(read(value, &mut known));
                let (value, place) = (name(value), place(slot));
                code.extend(quote!(s.store(#place, #value);));
            }
        }
        code
    }
}

/// Orders the operations that outputs depend on, depth first: operands come shortly before their
/// users.
pub(super) fn walk(cover: &Cover) -> Vec<u32> {
    let mut order = Vec::with_capacity(cover.operations.len());
    let mut seen = vec![false; cover.operations.len()];
    let own = |value: u32| value.checked_sub(cover.inputs as u32);
    let mut stack: Vec<(u32, bool)> = Vec::new();
    for &output in &cover.outputs {
        stack.extend(own(output).map(|number| (number, false)));
        while let Some((number, is_ready)) = stack.pop() {
            if is_ready {
                order.push(number);
            } else if !std::mem::replace(&mut seen[number as usize], true) {
                stack.push((number, true));
                let operands = cover.operations[number as usize].operands;
                stack.extend(operands.iter().rev().filter_map(|&value| own(value)).map(|n| (n, false)));
            }
        }
    }
    order
}
