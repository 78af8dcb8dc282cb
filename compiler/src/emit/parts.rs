//! The public items of an emitted game: its module, roles, moves, fluents and percepts.
//!
//! Names become documented items. The items of a correct rulesheet and of the skeleton of a faulty
//! one have the same form. They differ in the bodies of functions and in the parameter types of
//! constructors.

use super::names::{Constructor, Named, Namespace, Style, spell};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// The frame of the game's module, as the caller requests it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The module's name.
    pub name: String,
    /// The visibility of the module, such as `pub`.
    pub visibility: TokenStream,
    /// The path of the runtime, usually `::gdl_runtime`.
    pub runtime: TokenStream,
    /// Further items of the module, such as one that makes cargo watch the rulesheet.
    pub extra: TokenStream,
}

impl Frame {
    /// Creates the frame of a public module with the runtime at `::gdl_runtime`.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            visibility: quote!(pub),
            runtime: quote!(::gdl_runtime),
            extra: TokenStream::new(),
        }
    }

    /// Returns the name of the game's type, different from all other names of the module.
    #[must_use]
    pub fn game(&self) -> Ident {
        // The names that the emitted module defines itself or uses from the prelude.
        const TAKEN: &[&str] = &[
            "Clone",
            "Copy",
            "Default",
            "Eq",
            "Err",
            "Fluent",
            "Hash",
            "Iterator",
            "Move",
            "None",
            "Ok",
            "Option",
            "Ord",
            "PartialEq",
            "PartialOrd",
            "Percept",
            "Result",
            "Role",
            "Self_",
            "Some",
            "State",
            "TryInto",
            "View",
        ];
        let mut name = spell(&self.name, Style::Camel);
        if TAKEN.contains(&name.as_str()) {
            name = format!("{}Game", name.trim_end_matches('_'));
        }
        ident(&name)
    }

    /// Emits the module around `items`.
    #[must_use]
    pub fn module(&self, documentation: &[String], items: &TokenStream) -> TokenStream {
        let Self { name, visibility, runtime, extra } = self;
        let name = ident(name);
        quote! {
            #[allow(
                dead_code,
                unreachable_pub,
                unused_qualifications,
                non_camel_case_types,
                clippy::all,
                clippy::pedantic,
                clippy::nursery,
                reason = "names and structure come from the rulesheet"
            )]
            #visibility mod #name {
                #(#![doc = #documentation])*

                // The module uses nothing of its surroundings, neither the prelude nor `core`.
                use #runtime::__private as __gdl;
                use __gdl::core::prelude::rust_2021::*;

                #extra
                #items
            }
        }
    }
}

/// Makes an identifier with the span of the macro's call site.
pub(super) fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// The kind of bodies for the functions of an emitted id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bodies {
    /// The function uses the vocabulary of the game's table.
    Table,
    /// The function has no real body, since the rulesheet has errors and the program will not run.
    Missing,
}

/// Emits the body of a function of a faulty rulesheet.
pub(super) fn missing() -> TokenStream {
    quote!(__gdl::core::unreachable!("the rulesheet has errors"))
}

/// Formats KIF text as inline code in Markdown, which is also valid in tables.
pub(super) fn inline_code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|"))
}

/// Returns the names of the variants of `Role`.
#[must_use]
pub fn role_names(roles: &[String]) -> Vec<String> {
    const RESERVED: &[&str] = &["ALL"];
    let mut space = Namespace::default();
    roles.iter().map(|text| space.take(&spell(text, Style::Camel), RESERVED)).collect()
}

/// Emits `enum Role` and its traits.
pub(super) fn roles(texts: &[String], bodies: Bodies) -> TokenStream {
    let names: Vec<Ident> = role_names(texts).iter().map(|name| ident(name)).collect();
    let docs = texts.iter().map(|text| inline_code(text));
    let count = Literal::usize_unsuffixed(texts.len());
    let index = if texts.is_empty() { quote!(match self {}) } else { quote!(self as usize) };
    let traits = traits("Role", "roles", &index, &quote!(Self::ALL[index]), bodies);
    quote! {
        #[doc = "A player."]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role {
            #(#[doc = #docs] #names,)*
        }

        impl Role {
            #[doc = "Every role, in the order of the rulesheet."]
            pub const ALL: [Self; #count] = [#(Self::#names),*];
        }

        #traits
    }
}

/// Emits a struct for moves, fluents or percepts, with constants, constructors and traits. `list`
/// names the function of the vocabulary.
pub(super) fn ids(
    kind: &str,
    about: &str,
    list: &str,
    named: &Named,
    count: usize,
    bodies: Bodies,
) -> TokenStream {
    let ty = ident(kind);
    let constants = named.constants.iter().map(|constant| {
        let name = ident(&constant.name);
        let doc = inline_code(&constant.text);
        let index = Literal::u32_unsuffixed(constant.index as u32);
        quote!(#[doc = #doc] pub const #name: Self = Self(#index);)
    });
    let field = ident(list);
    let constructors =
        named.constructors.iter().map(|constructor| function(constructor, list, &field, bodies));
    let all = format!("Every one of the game's {list}, in the order of their KIF texts.");
    let count = Literal::u32_suffixed(count as u32);
    let from = quote!(Self(index as u32));
    let traits = traits(kind, list, &quote!(self.0 as usize), &from, bodies);
    quote! {
        #[doc = #about]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #ty(u32);

        impl #ty {
            #(#constants)*
            #(#constructors)*

            #[doc = #all]
            pub fn all() -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + Clone {
                (0..#count).map(Self)
            }
        }

        #traits
    }
}

/// Emits the type of percepts: a type of its own if the rules define percepts, otherwise the
/// runtime's.
pub(super) fn percepts(named: Option<&Named>, count: usize, bodies: Bodies) -> TokenStream {
    if let Some(named) = named {
        let about = "Something a player may perceive of a step, known by its KIF text.";
        return ids("Percept", about, "percepts", named, count, bodies);
    }
    quote! {
        #[doc = "There are no percepts: each player perceives the joint move."]
        pub type Percept = __gdl::NoPercept;
    }
}

/// Emits the constructor of an id from its arguments.
fn function(constructor: &Constructor, list: &str, field: &Ident, bodies: Bodies) -> TokenStream {
    let Constructor { name, head, parameters, example, count } = constructor;
    let name = ident(name);
    let names: Vec<Ident> = parameters.iter().map(|(name, _)| ident(name)).collect();
    if bodies == Bodies::Missing {
        let body = missing();
        let doc = inline_code(example);
        return quote! {
            #[doc = #doc]
            pub fn #name(#(#names: impl Sized),*) -> Option<Self> {
                #body
            }
        };
    }
    let types =
        parameters.iter().map(|(_, integer)| if *integer { quote!(impl TryInto<i64>) } else { quote!(&str) });
    let arguments = parameters.iter().zip(&names).map(|((_, integer), name)| {
        if *integer { quote!(__gdl::Argument::integer(#name)) } else { quote!(__gdl::Argument::Text(#name)) }
    });
    let text = inline_code(example);
    let doc = if *count == 1 {
        format!("{text}; `None` for any other arguments.")
    } else {
        format!("{text} and the like, one of {count} {list}; `None` if there is none.")
    };
    quote! {
        #[doc = #doc]
        #[must_use]
        pub fn #name(#(#names: #types),*) -> Option<Self> {
            __gdl::find(vocabulary().#field(), #head, &[#(#arguments),*])
        }
    }
}

/// Emits `Id`, `Display`, `Debug` and `FromStr` for a type of ids.
fn traits(kind: &str, list: &str, index: &TokenStream, from: &TokenStream, bodies: Bodies) -> TokenStream {
    let ty = ident(kind);
    let parse = ident(&format!("parse_{}", kind.to_ascii_lowercase()));
    let list = ident(list);
    let (show, parse) = match bodies {
        Bodies::Table => (
            quote!(f.pad(&vocabulary().#list()[__gdl::Id::index(*self)])),
            quote!(__gdl::GameExt::#parse(&game(), text)),
        ),
        Bodies::Missing => (missing(), missing()),
    };
    quote! {
        impl __gdl::Id for #ty {
            #[inline]
            fn index(self) -> usize {
                #index
            }

            #[inline]
            fn from_index(index: usize) -> Self {
                #from
            }
        }

        impl __gdl::core::fmt::Display for #ty {
            fn fmt(&self, f: &mut __gdl::core::fmt::Formatter<'_>) -> __gdl::core::fmt::Result {
                #show
            }
        }

        impl __gdl::core::fmt::Debug for #ty {
            fn fmt(&self, f: &mut __gdl::core::fmt::Formatter<'_>) -> __gdl::core::fmt::Result {
                __gdl::core::fmt::Display::fmt(self, f)
            }
        }

        impl __gdl::core::str::FromStr for #ty {
            type Err = __gdl::UnknownName;

            fn from_str(text: &str) -> Result<Self, __gdl::UnknownName> {
                #parse
            }
        }
    }
}
