//! Net to what the runtime and rustc can use: tables and straight-line Rust.

pub mod lanes;
pub mod layout;
pub mod lower;
pub mod module;
pub mod names;
pub mod parts;
pub mod skeleton;
pub mod straight;
pub mod table;

/// How the steps of a game are compiled: those of single states, and those of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Code {
    /// Straight-line code within [`STRAIGHT_BUDGET`] and [`LANES_BUDGET`], else the table.
    #[default]
    Auto,
    /// The table, run by the runtime.
    Table,
    /// The table for single states, straight-line code for lanes, whatever it costs.
    Lanes,
    /// Straight-line code, whatever it costs.
    Straight,
}

/// The most two-input operations of a net that becomes straight-line code unasked: rustc takes one to
/// two milliseconds for each in a release build, and next to nothing for a table.
pub const STRAIGHT_BUDGET: usize = 5_000;

/// The most operations of lanes, all points together, that become straight-line code unasked: rustc takes about a
/// millisecond for each and instruction set in a release build.
pub const LANES_BUDGET: usize = 10_000;

impl Code {
    /// True if this net becomes straight-line code.
    #[must_use]
    pub fn is_straight(self, net: &crate::propnet::Net) -> bool {
        match self {
            Self::Auto => net.operations() <= STRAIGHT_BUDGET,
            Self::Table | Self::Lanes => false,
            Self::Straight => true,
        }
    }

    /// True if these lanes become straight-line code.
    #[must_use]
    pub fn is_straight_in_lanes(self, lanes: &lanes::Lanes) -> bool {
        match self {
            Self::Auto => lanes.operations() <= LANES_BUDGET,
            Self::Table => false,
            Self::Lanes | Self::Straight => true,
        }
    }
}

/// The module of a game with straight-line code for lanes, if it has any, and what decodes the table.
fn lanes_code(
    lanes: Option<&lanes::Lanes>,
    code: Code,
) -> (Option<proc_macro2::TokenStream>, proc_macro2::TokenStream) {
    use quote::quote;

    let table = quote!(__gdl::decode(TABLE));
    let Some(lanes) = lanes.filter(|lanes| code.is_straight_in_lanes(lanes)) else { return (None, table) };
    let straight = lanes::straight::straight(lanes);
    let module = quote! {
        #[cfg(not(debug_assertions))]
        mod lanes {
            use super::__gdl;

            #straight
        }
    };
    let decode = quote! {{
        #[cfg(debug_assertions)]
        let table = #table;
        #[cfg(not(debug_assertions))]
        let table = __gdl::decode_with(TABLE, &lanes::Lanes);
        table
    }};
    (Some(module), decode)
}

/// What the module `engine` of a game has if its table is run.
fn table_engine(sees: bool) -> proc_macro2::TokenStream {
    use quote::quote;

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
        pub(super) fn glance(state: &super::State, view: &mut super::View) {
            super::table().glance(state.words(), view.words_mut());
        }

        #[inline]
        pub(super) fn advance(state: &mut super::State, joint: &[super::Move]) {
            super::table().advance(state.words_mut(), joint);
        }

        #percepts
    }
}

/// The module `engine` of a game, with the functions `observe`, `glance` and `advance`, and `perceive` if the rules
/// say what the roles perceive. This is the one place that knows which engine runs what.
fn engine(net: &crate::propnet::Net, code: Code) -> proc_macro2::TokenStream {
    use quote::quote;

    let sees = net.outputs.sees.is_some();
    let table = table_engine(sees);
    if !code.is_straight(net) {
        return quote!(mod engine { #table });
    }
    let straight = straight::straight(net);
    // The moves as numbers; a missing one is none that the rules know.
    let numbers = quote! {
        super::super::__gdl::core::array::from_fn(|role| match joint.get(role) {
            super::super::__gdl::core::option::Option::Some(action) => action.0,
            super::super::__gdl::core::option::Option::None => u32::MAX,
        })
    };
    let straight_percepts = sees.then(|| {
        quote! {
            #[inline]
            pub(in super::super) fn notice(
                state: &super::super::State,
                joint: &[super::super::Move],
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
    // Without optimisation straight-line code is slower than the table, and checking it costs too.
    quote! {
        #[cfg(debug_assertions)]
        mod engine { #table }

        #[cfg(not(debug_assertions))]
        mod engine {
            mod straight {
                #straight

                #[inline]
                pub(in super::super) fn see(state: &super::super::State, view: &mut super::super::View) {
                    observe(state.words(), view.words_mut());
                }

                #[inline]
                pub(in super::super) fn step(state: &mut super::super::State, joint: &[super::super::Move]) {
                    let joint = #numbers;
                    advance(state.words_mut(), &joint);
                }

                #straight_percepts
            }

            pub(super) use straight::{see as observe, see as glance, step as advance};
            #percepts
        }
    }
}
