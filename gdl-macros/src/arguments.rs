//! Parses the arguments of `gdl!` from tokens into [`Arguments`].
//!
//! Faults do not stop the parser. Each wrong argument is one message, and the valid ones are kept,
//! so that the module can still be emitted under its name.

use gdl_compiler::{Limits, Options, Syntax, diagnostic::codes, emit::Code};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    LitInt, LitStr, Token,
    ext::IdentExt,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

/// The source of the rules: a path or the text.
pub(crate) enum Rulesheet {
    /// The path of a file.
    File(LitStr),
    /// The rules in the call itself.
    Inline(LitStr),
}

impl Rulesheet {
    /// The literal with the path or the rules.
    pub(crate) fn literal(&self) -> &LitStr {
        match self {
            Self::File(literal) | Self::Inline(literal) => literal,
        }
    }
}

/// A fault in the arguments of the call.
pub(crate) struct Fault {
    /// The place of the fault in the user's source.
    pub(crate) span: Span,
    /// The error, followed by lines with help.
    pub(crate) message: String,
}

/// The arguments of the call.
#[derive(Default)]
pub(crate) struct Arguments {
    /// The rulesheet; `None` if the argument is missing or wrong.
    pub(crate) rules: Option<Rulesheet>,
    /// The module's name, if it is given.
    pub(crate) name: Option<Ident>,
    /// The visibility: the tokens before `mod`, if they are given.
    pub(crate) visibility: Option<TokenStream>,
    /// The path of the runtime, if it is given.
    pub(crate) runtime: Option<TokenStream>,
    /// The form in which steps are compiled.
    pub(crate) code: Code,
    /// The options of the compiler, with its limits and levels.
    pub(crate) options: Options,
    /// Errors in the call.
    pub(crate) faults: Vec<Fault>,
}

/// The limits, by the names of the fields of `Limits`.
macro_rules! limits {
    ($($name:ident)*) => {
        const LIMITS: &[&str] = &[$(stringify!($name)),*];

        fn set_limit(limits: &mut Limits, name: &str, value: &LitInt) -> syn::Result<()> {
            match name {
                $(stringify!($name) => limits.$name = value.base10_parse()?,)*
                _ => return Err(syn::Error::new(value.span(), format!("there is no limit `{name}`"))),
            }
            Ok(())
        }

        /// Fails to compile if a limit is missing above.
        const _: fn(Limits) = |limits| { let Limits { $($name: _),* } = limits; };
    };
}

limits! {
    max_source_bytes max_tokens max_nesting max_identifier_bytes max_rules max_rule_variables max_body_literals
    max_term_depth max_term_size max_terms max_atoms max_fluents max_ground_rules max_gates max_bytes fuel
}

/// The names of the options, without the limits.
const OPTIONS: &[&str] = &["name", "vis", "rules", "syntax", "case", "code", "allow", "deny", "crate"];

impl Arguments {
    /// Reads the arguments of a call.
    pub(crate) fn parse(input: TokenStream) -> Self {
        let mut arguments = Self::default();
        for (i, tokens) in split(input).into_iter().enumerate() {
            if i == 0 && !is_option(&tokens) {
                arguments.path(&tokens);
            } else if let Err(error) = arguments.option(tokens) {
                arguments.fault(error.span(), error.to_string());
            }
        }
        arguments.complete();
        arguments
    }

    fn fault(&mut self, span: Span, message: impl Into<String>) {
        let (id, message) = (codes::BAD_MACRO_ARGUMENT.id, message.into());
        self.faults.push(Fault { span, message: format!("gdl!: error[{id}]: {message}") });
    }

    /// Parses the first argument, which must be a string.
    fn path(&mut self, tokens: &TokenStream) {
        match syn::parse2::<LitStr>(tokens.clone()) {
            Ok(path) => self.rules = Some(Rulesheet::File(path)),
            Err(error) => {
                let written = tokens.to_string().replace(' ', "");
                let is_path = written.contains('.')
                    && written.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_'));
                let mut message = "expected the path of a rulesheet as a string".to_owned();
                if is_path {
                    message.push_str("\n  = help: put it in quotes: gdl!(\"");
                    message.push_str(&written);
                    message.push_str("\")");
                    // The module gets the name of the file, so that the rest of the program finds
                    // it.
                    let stem = written.rsplit('/').next().and_then(|file| file.split('.').next());
                    self.name = stem.and_then(|stem| syn::parse_str(stem).ok());
                } else {
                    message.push_str(
                        "\n  = help: write gdl!(\"game.kif\"), or gdl!(name = game, rules = r\"(role x) ..\") for inline rules",
                    );
                }
                self.fault(error.span(), message);
            }
        }
    }

    /// Parses an argument that is not the path.
    fn option(&mut self, tokens: TokenStream) -> syn::Result<()> {
        let read = |input: ParseStream<'_>| {
            let name = input.call(Ident::parse_any)?;
            let text = name.to_string();
            match text.as_str() {
                "allow" | "deny" => {
                    let lints = input.parse::<proc_macro2::Group>()?;
                    self.lints(&text, lints.stream())?;
                    return Ok(());
                }
                _ if !OPTIONS.contains(&text.as_str()) && !LIMITS.contains(&text.as_str()) => {
                    input.parse::<TokenStream>()?;
                    return Err(syn::Error::new(name.span(), unknown_option(&text)));
                }
                _ => {}
            }
            input.parse::<Token![=]>()?;
            self.value(&text, input)
        };
        if tokens.is_empty() {
            return Err(syn::Error::new(Span::call_site(), "expected an option between the commas"));
        }
        read.parse2(tokens)
    }

    /// Parses the value of the option `name`.
    fn value(&mut self, name: &str, input: ParseStream<'_>) -> syn::Result<()> {
        match name {
            "name" => {
                let ident: Ident = input.parse()?;
                self.name = Some(ident);
            }
            "vis" => {
                let visibility: TokenStream = input.parse()?;
                let first = visibility.clone().into_iter().next();
                if first.as_ref().is_none_or(|token| token.to_string() != "pub") {
                    let span = first.map_or_else(Span::call_site, |token| token.span());
                    return Err(syn::Error::new(
                        span,
                        "expected `pub`, `pub(crate)`, `pub(super)` or `pub(self)`",
                    ));
                }
                self.visibility = Some(visibility);
            }
            "crate" => self.runtime = Some(runtime_path(input)?),
            "rules" => {
                let rules = input.parse()?;
                if self.rules.is_some() {
                    let message = "the rules are given twice: as a path and with `rules = ..`";
                    return Err(syn::Error::new(LitStr::span(&rules), message));
                }
                self.rules = Some(Rulesheet::Inline(rules));
            }
            "syntax" => {
                self.options.syntax = Some(match choice(input, &["kif", "infix", "epilog"])? {
                    "infix" => Syntax::Infix,
                    "epilog" => Syntax::Epilog,
                    _ => Syntax::Kif,
                });
            }
            "case" => {
                let value = choice(input, &["fold", "sensitive"])?;
                self.options.case_sensitive = value == "sensitive";
            }
            "code" => {
                self.code = match choice(input, &["auto", "table", "lanes", "straight"])? {
                    "table" => Code::Table,
                    "lanes" => Code::Lanes,
                    "straight" => Code::Straight,
                    _ => Code::Auto,
                };
            }
            limit => {
                let span = input.span();
                let number: LitInt =
                    input.parse().map_err(|_| syn::Error::new(span, "expected a whole number"))?;
                set_limit(&mut self.options.limits, limit, &number)?;
            }
        }
        Ok(())
    }

    /// Parses the names in `allow(..)` or `deny(..)`.
    fn lints(&mut self, option: &str, names: TokenStream) -> syn::Result<()> {
        let names = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(names)?;
        for ident in names {
            let name = ident.to_string();
            let known = codes::find(&name);
            if known.is_none() && !(option == "deny" && name == "warnings") {
                let mut lints: Vec<&str> = codes::ALL.iter().map(|code| code.name).collect();
                if option == "deny" {
                    lints.push("warnings");
                }
                let help = match nearest(&name, &lints) {
                    Some(lint) => format!("did you mean `{lint}`?"),
                    None => "use the name in the brackets of a warning, such as GDL102".to_owned(),
                };
                self.fault(ident.span(), format!("unknown lint `{name}`\n  = help: {help}"));
                continue;
            }
            let levels = &mut self.options.levels;
            if option == "allow" {
                let is_error = known.is_some_and(|code| code.severity == gdl_compiler::Severity::Error);
                if is_error {
                    self.fault(ident.span(), format!("`{name}` is an error, which cannot be allowed"));
                    continue;
                }
                levels.allow.push(name);
            } else {
                levels.deny.push(name);
            }
        }
        Ok(())
    }

    /// Checks the arguments together, after each was parsed.
    fn complete(&mut self) {
        if !self.faults.is_empty() {
            return;
        }
        match &self.rules {
            None => self.fault(
                Span::call_site(),
                "expected the path of a rulesheet\n  = help: write gdl!(\"game.kif\"), or gdl!(name = game, rules = r\"(role x) ..\") for inline rules",
            ),
            Some(Rulesheet::Inline(rules)) if self.name.is_none() => {
                let span = rules.span();
                self.fault(span, "inline rules need a name for their module\n  = help: add `name = game`");
            }
            Some(_) => {}
        }
    }
}

/// Splits tokens at commas; a trailing comma is allowed.
fn split(input: TokenStream) -> Vec<TokenStream> {
    let mut pieces = Vec::new();
    let mut piece = TokenStream::new();
    let mut open = false;
    for token in input {
        open = true;
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',') {
            pieces.push(std::mem::take(&mut piece));
            open = false;
        } else {
            token.to_tokens(&mut piece);
        }
    }
    if open {
        pieces.push(piece);
    }
    pieces
}

/// Returns true for `name = ..` and `allow(..)`.
fn is_option(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    let (first, second) = (tokens.next(), tokens.next());
    let Some(TokenTree::Ident(name)) = first else { return false };
    match second {
        Some(TokenTree::Punct(punct)) => punct.as_char() == '=',
        Some(TokenTree::Group(_)) => name == "allow" || name == "deny",
        _ => false,
    }
}

/// Parses a string that must be one of `choices`.
fn choice(input: ParseStream<'_>, choices: &[&'static str]) -> syn::Result<&'static str> {
    let span = input.span();
    let value = input.parse::<LitStr>().map(|literal| literal.value());
    choices.iter().copied().find(|choice| value.as_ref().is_ok_and(|value| value == choice)).ok_or_else(
        || {
            let choices: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
            syn::Error::new(span, format!("expected one of the strings {}", choices.join(", ")))
        },
    )
}

/// Parses a path to the runtime, and adapts it to the game's module, one level deeper.
fn runtime_path(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let leading: Option<Token![::]> = input.parse()?;
    let mut segments = vec![input.call(Ident::parse_any)?];
    while input.peek(Token![::]) {
        input.parse::<Token![::]>()?;
        segments.push(input.call(Ident::parse_any)?);
    }
    let first = segments[0].to_string();
    let start = match first.as_str() {
        _ if leading.is_some() => quote!(::),
        "crate" | "$crate" => quote!(),
        // The path is used one module deeper than the call.
        "self" => {
            segments.remove(0);
            if segments.is_empty() { quote!(super) } else { quote!(super::) }
        }
        "super" => quote!(super::),
        // A crate; other modules of the caller are not in scope inside the game's module.
        _ => quote!(::),
    };
    Ok(quote!(#start #(#segments)::*))
}

fn unknown_option(name: &str) -> String {
    let all: Vec<&str> = OPTIONS.iter().chain(LIMITS).copied().collect();
    let guess = nearest(name, &all).map_or_else(String::new, |option| format!("; did you mean `{option}`?"));
    let options = OPTIONS.join(", ");
    // Three limits a line fit into a terminal.
    let limits: Vec<String> = LIMITS.chunks(3).map(|limits| limits.join(", ")).collect();
    let limits = limits.join(",\n            ");
    format!("unknown option `{name}`{guess}\n  = options: {options}\n  = limits: {limits}")
}

/// Returns the name most similar to `name`, if one is similar enough.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let alike = |other: &str| strsim::jaro_winkler(&name.to_lowercase(), other);
    let best = names.iter().copied().max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    // Less similar suggestions would be confusing; the threshold was chosen by hand.
    (alike(best) > 0.8).then_some(best)
}
