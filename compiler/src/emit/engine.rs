//! The engines that run a game: modules with its straight-line code, or with calls of the table.
//!
//! Only this module chooses the engine. Without optimisation, straight-line code is slower than the
//! table and takes time to compile, so builds with debug assertions run the table.

use super::{
    Code,
    lanes::{Lanes, straight::straight as straight_lanes},
    straight,
};
use crate::{optimize::Phases, propnet::Net};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

/// Emits the module with straight-line code for lanes, if there is any, and the static value that
/// decodes the table.
pub(super) fn lanes(lanes: Option<&Lanes>, code: Code) -> (Option<TokenStream>, TokenStream) {
    let table = quote!(
        static DECODED: __gdl::Decoded = __gdl::Decoded::new(TABLE);
    );
    let Some(lanes) = lanes.filter(|lanes| code.is_straight_in_lanes(lanes)) else { return (None, table) };
    let straight = straight_lanes(lanes);
    let module = quote! {
        #[cfg(not(debug_assertions))]
        mod lanes {
            use super::__gdl;

            #straight
        }
    };
    let decoded = quote! {
        #[cfg(debug_assertions)]
        #table
        #[cfg(not(debug_assertions))]
        static DECODED: __gdl::Decoded = __gdl::Decoded::with(TABLE, &lanes::Lanes);
    };
    (Some(module), decoded)
}

/// Emits the contents of the module `engine` that runs the table.
fn table_engine(sees: bool) -> TokenStream {
    let percepts = sees.then(|| {
        quote! {
            #[inline]
            pub(super) fn perceive(state: &super::State, joint: &[super::Move], percepts: &mut [u64]) {
                super::table().perceive(state.words(), joint, percepts);
            }
        }
    });
    quote! {
        #[inline]
        pub(super) fn observe(state: &super::State, view: &mut super::View) {
            super::table().observe(state.words(), view.words_mut());
        }

        #[inline]
        pub(super) fn observe_without_goals(state: &super::State, view: &mut super::View) {
            super::table().observe_without_goals(state.words(), view.words_mut());
        }

        #[inline]
        pub(super) fn advance(state: &mut super::State, joint: &[super::Move]) {
            super::table().advance(state.words_mut(), joint);
        }

        #percepts
    }
}

/// Emits the module `engine` of a game, with the functions `observe`, `observe_without_goals` and
/// `advance`, and with `perceive` if the rules define percepts.
pub(super) fn single(net: &Net, phases: Option<&Phases>, code: Code) -> TokenStream {
    let sees = net.outputs.sees.is_some();
    let table = table_engine(sees);
    if !code.is_straight(net) {
        return quote!(mod engine { #table });
    }
    let (straight, phases) = straight::straight(net, phases);
    let dispatch = |name: &str, arguments: &TokenStream, otherwise: &TokenStream| {
        let calls = (0..phases).map(|i| {
            let name = format_ident!("{name}{i}");
            quote!(#name #arguments)
        });
        let numbers = (0..phases).map(Literal::usize_unsuffixed);
        if phases == 1 {
            return quote!(#(#calls)*;);
        }
        quote!(match phase(state.words()) { #(#numbers => #calls,)* _ => #otherwise, })
    };
    let table_of = |name: &str, arguments: &TokenStream| {
        let name = format_ident!("{name}");
        quote!(super::super::table().#name #arguments)
    };
    let view = quote!((state.words(), view.words_mut()));
    let see = dispatch("observe", &view, &table_of("observe", &view));
    let moves = quote!((state.words_mut(), moves));
    let step = dispatch("advance", &quote!((state.words_mut(), &joint)), &table_of("advance", &moves));
    // The moves as numbers; a missing one gets a number that no move has.
    let numbers = quote! {
        super::super::__gdl::core::array::from_fn(|role| match moves.get(role) {
            super::super::__gdl::core::option::Option::Some(action) => action.0,
            super::super::__gdl::core::option::Option::None => u32::MAX,
        })
    };
    let straight_percepts = sees.then(|| {
        quote! {
            #[inline]
            pub(in super::super) fn notice(
                state: &super::super::State,
                moves: &[super::super::Move],
                percepts: &mut [u64],
            ) {
                perceive(state.words(), &#numbers, percepts);
            }
        }
    });
    let percepts = sees.then(|| {
        quote!(
            pub(super) use straight::notice as perceive;
        )
    });
    quote! {
        #[cfg(debug_assertions)]
        mod engine { #table }

        #[cfg(not(debug_assertions))]
        mod engine {
            mod straight {
                #straight

                #[inline]
                pub(in super::super) fn see(state: &super::super::State, view: &mut super::super::View) {
                    #see
                }

                #[inline]
                pub(in super::super) fn step(state: &mut super::super::State, moves: &[super::super::Move]) {
                    let joint = #numbers;
                    #step
                }

                #straight_percepts
            }

            pub(super) use straight::{see as observe, see as observe_without_goals, step as advance};
            #percepts
        }
    }
}
