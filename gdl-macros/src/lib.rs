//! `gdl!`: a rulesheet in the Game Description Language becomes a Rust module.
//!
//! This crate finds the rulesheet, runs `gdl_compiler` and emits the game or its errors. Depend on
//! `gdl-runtime`, which re-exports the macro and has the items that its expansion uses.

mod arguments;
mod report;
mod source;

use arguments::{Arguments, Rulesheet};
use gdl_compiler::{
    Diagnostic, Diagnostics, Source,
    diagnostic::{Span as Place, codes},
    emit::{
        module::module,
        names::{Style, spell},
        parts::Frame,
        skeleton::{Guess, skeleton},
    },
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use source::{SourceError, Tried};
use std::{
    any::Any,
    fmt::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    time::Instant,
};

/// Compiles a rulesheet into a module.
///
/// `gdl!("tictactoe.kif");` makes `pub mod tictactoe`. The rulesheet may be in KIF, infix GDL or
/// Epilog; its text determines the syntax, not the file's extension. The path is relative to the
/// source file of the call, or otherwise to the package's root. The module has
///
/// - `game()`, which returns a zero-sized value that implements `gdl_runtime::Game`;
/// - `Role`, an enum of the players;
/// - `Move` and `Fluent`, with a constant for each name without arguments (`Move::NOOP`) and a
///   function for each name with arguments (`Move::mark(1, 1)`). A parameter is a number if all its
///   values are numbers, and a KIF text otherwise;
/// - `Percept`, of the same form, for the percepts that the rules for `sees` define; without such
///   rules there are none, and each player perceives the joint move;
/// - `State` and `View`, plain bitsets.
///
/// Roles, moves, fluents and percepts print as KIF text, parse from it, and can be iterated. Their
/// Rust names are the names of the rulesheet in Rust's conventions. Keywords get an underscore,
/// `Move::move_(..)`. If a name occurs with several numbers of arguments, each form but the
/// shortest gets its number as a suffix, as in `Move::mark_3(..)`. Other collisions are numbered.
/// The module's documentation lists them all.
///
/// ```ignore
/// gdl!(
///     "tictactoe.kif",
///     name = noughts_and_crosses,     // the module's name; the file's if left out
///     vis = pub(crate),               // its visibility; `pub` if left out
///     syntax = "epilog",              // "kif", "infix" or "epilog"; the text tells if left out
///     case = "sensitive",             // whether `X` and `x` differ; "fold" if left out
///     code = "table",                 // how steps run: "table", "straight", "lanes" (straight in lanes
///                                     // alone), or "auto" for the budgets
///     allow(unused_relation),         // lints to be silent about, by name or number
///     deny(warnings),                 // lints that are to be errors
///     max_ground_rules = 16_000_000,  // limits, by the names of the fields of `gdl_compiler::Limits`
///     crate = my_runtime,             // what gdl-runtime is called here; `crate::..` for a re-export
/// );
/// gdl!(name = coin, rules = r"(role thrower) ..");   // rules on the spot
/// ```
///
/// # Errors
///
/// Each fault of the rulesheet is one error, with its place in the rulesheet. The module is emitted
/// anyway, so code that uses it does not fail too. If the file cannot be read, moves and roles are
/// unknown, so code that uses these fails. Warnings appear as uses of the deprecated constant
/// `gdl_warning`; `allow(..)` silences each by name or number.
///
/// # Compile time
///
/// Cargo builds macros without optimisation. If a rulesheet then takes longer than five seconds, a
/// note on stderr has the profile that optimises the compiler.
#[proc_macro]
pub fn gdl(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = TokenStream::from(input);
    catch_unwind(AssertUnwindSafe(|| expand(input)))
        .unwrap_or_else(|panic| report::error(Span::call_site(), &internal_error(panic.as_ref())))
        .into()
}

fn internal_error(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("for no stated reason");
    format!(
        "error[GDLM8]: the compiler for rulesheets panicked: {text}\n  \
         = help: this is a bug in gdl-macros {}; please report it together with the rulesheet",
        env!("CARGO_PKG_VERSION"),
    )
}

fn expand(input: TokenStream) -> TokenStream {
    let arguments = Arguments::parse(input);
    let faults: TokenStream =
        arguments.faults.iter().map(|fault| report::error(fault.span, &fault.message)).collect();
    let module = match (&arguments.rules, &arguments.name) {
        (Some(rules), _) => expand_rules(rules, &arguments),
        (None, Some(name)) => {
            skeleton(&Guess::default(), &frame(&arguments, name.to_string(), TokenStream::new()))
        }
        (None, None) => TokenStream::new(),
    };
    quote!(#faults #module)
}

/// Emits the module of a rulesheet and its diagnostics.
fn expand_rules(rules: &Rulesheet, arguments: &Arguments) -> TokenStream {
    let span = rules.literal().span();
    let name = arguments.name.as_ref().map_or_else(
        || match rules {
            Rulesheet::File(path) => stem(&path.value()),
            Rulesheet::Inline(_) => "game".to_owned(),
        },
        Ident::to_string,
    );
    let (text, watch) = match rules {
        Rulesheet::File(path) => text_of_file(&path.value(), span),
        Rulesheet::Inline(rules) => (Ok(Source::new(name.clone(), rules.value())), TokenStream::new()),
    };
    // The origin in the module's documentation is the same on every machine.
    let origin = match rules {
        Rulesheet::File(path) => path.value(),
        Rulesheet::Inline(_) => name.clone(),
    };
    let frame = frame(arguments, name, watch);
    let source = match text {
        Ok(source) => source,
        Err(message) => {
            let error = report::error(span, &message);
            let module = skeleton(&Guess::default(), &frame);
            return quote!(#error #module);
        }
    };
    let start = Instant::now();
    // Panics are caught here too, so that a module is still emitted.
    let compiled = catch_unwind(AssertUnwindSafe(|| compile(&source, &origin, arguments, &frame)));
    let (diagnostics, module) = compiled.unwrap_or_else(|panic| {
        let error = report::error(span, &internal_error(panic.as_ref()));
        let module = skeleton(&Guess::default(), &frame);
        (Diagnostics::default(), quote!(#error #module))
    });
    if let Some(note) = report::slowness(source.name(), start.elapsed(), gdl_compiler::IS_UNOPTIMIZED) {
        eprintln!("{note}");
    }
    // If the call has faults, diagnostics of the rules would only distract from them.
    let report = if arguments.faults.is_empty() {
        report::report(&diagnostics, &source, span)
    } else {
        TokenStream::new()
    };
    quote!(#report #module)
}

/// Emits the module of a text, or its skeleton, with the diagnostics.
fn compile(
    source: &Source,
    origin: &str,
    arguments: &Arguments,
    frame: &Frame,
) -> (Diagnostics, TokenStream) {
    match gdl_compiler::compile(source, &arguments.options) {
        Ok(compilation) => {
            let module = module(&compilation, frame, origin, arguments.code);
            (compilation.diagnostics, module)
        }
        Err(failure) => {
            let guess = failure.tree.map_or_else(Guess::default, |tree| Guess::new(&tree, source));
            (failure.diagnostics, skeleton(&guess, frame))
        }
    }
}

fn frame(arguments: &Arguments, name: String, extra: TokenStream) -> Frame {
    let mut frame = Frame { extra, ..Frame::new(name) };
    if let Some(visibility) = &arguments.visibility {
        frame.visibility = visibility.clone();
    }
    if let Some(runtime) = &arguments.runtime {
        frame.runtime = runtime.clone();
    }
    frame
}

/// Returns the name of the module for a file.
fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem().map_or_else(|| "game".into(), |stem| stem.to_string_lossy());
    spell(&stem, Style::Snake)
}

/// Reads a rulesheet. Returns its text or an error message, and the tokens that make cargo watch
/// the file.
fn text_of_file(written: &str, literal: Span) -> (Result<Source, String>, TokenStream) {
    let found = match source::read(written, literal) {
        Ok(found) => found,
        Err(SourceError::Absolute) => {
            let message = format!(
                "{written}: error[GDLM1]: the path of a rulesheet cannot be absolute\n  \
                 = help: write it relative to this source file or to the package's root"
            );
            return (Err(message), TokenStream::new());
        }
        Err(SourceError::Missing(tried)) => {
            return (Err(missing(written, &tried)), TokenStream::new());
        }
    };
    let path = found.path.to_string_lossy().into_owned();
    let watch = quote! {
        // Makes cargo rebuild when the rulesheet changes.
        const _: &[u8] = __gdl::core::include_bytes!(#path);
    };
    let shown = found.shown();
    let text = String::from_utf8(found.bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let byte = bytes[place];
        // Lossy conversion keeps the positions up to the fault.
        let source = Source::new(shown.clone(), String::from_utf8_lossy(bytes));
        let message = format!("the rulesheet is not valid UTF-8: byte 0x{byte:02X} at offset {place}");
        let diagnostic = Diagnostic::new(&codes::INVALID_UTF8, Place::new(place, place + 3), message)
            .help("save the file as UTF-8");
        diagnostic.render(&source).trim_end().to_owned()
    });
    (text.map(|text| Source::new(shown, text)), watch)
}

/// Returns the error message if no file could be read.
fn missing(written: &str, tried: &[Tried]) -> String {
    let mut message = format!("{written}: error[GDLM1]: cannot read the rulesheet");
    for tried in tried {
        let _ = write!(message, "\n  = tried {}: {}", tried.path.display(), tried.error);
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    /// Tests the message here, since one of the paths differs in compile-fail tests.
    #[test]
    fn missing_files_are_reported_with_every_path() {
        let tried = ["/here/src/mim.kif", "/here/mim.kif"]
            .map(|path| Tried { path: path.into(), error: Error::from(ErrorKind::NotFound) });
        assert_eq!(
            missing("mim.kif", &tried),
            "mim.kif: error[GDLM1]: cannot read the rulesheet\n  \
             = tried /here/src/mim.kif: entity not found\n  \
             = tried /here/mim.kif: entity not found"
        );
    }

    #[test]
    fn modules_are_named_for_files() {
        for (path, name) in [
            ("tictactoe.kif", "tictactoe"),
            ("games/ticTacToe.v2.kif", "tic_tac_toe_v2"),
            ("../2048.kif", "_2048"),
            ("match.kif", "match_"),
        ] {
            assert_eq!(stem(path), name);
        }
    }
}
