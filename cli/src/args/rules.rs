//! Arguments for reading rulesheets: lints, the syntax, case sensitivity and limits.

use clap::{Args, ValueEnum};
use gdl_compiler::{Levels, Limits, Options, Syntax};
use gdl_tools::{game::ReadingArgs, parse::code};

/// Arguments for reading a rulesheet.
#[derive(Debug, Default, Args)]
pub(crate) struct RulesArgs {
    /// Silence a lint
    #[arg(long, value_name = "LINT", value_delimiter = ',', value_parser = lint)]
    pub allow: Vec<String>,
    /// Show a lint that is silent by default; `lints` shows all
    #[arg(long, value_name = "LINT", value_delimiter = ',', value_parser = lint_or_lints)]
    pub warn: Vec<String>,
    /// Make a lint an error; `warnings` makes all warnings errors
    #[arg(long, value_name = "LINT", value_delimiter = ',', value_parser = lint_or_warnings)]
    pub deny: Vec<String>,
    /// The syntax of the text
    #[command(flatten)]
    pub syntax: SyntaxArgs,
    /// The case of symbols: whether `Cell` and `cell` are the same
    #[arg(long, value_enum, default_value_t)]
    pub case: Case,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Limits of the rulesheet
    #[arg(long, value_enum, default_value_t)]
    pub limits: Bounds,
}

impl RulesArgs {
    /// Returns the compiler's options.
    #[must_use]
    pub(crate) fn options(&self) -> Options {
        Options {
            case_sensitive: self.case == Case::Sensitive,
            lenient: self.reading.lenient,
            levels: Levels { allow: self.allow.clone(), warn: self.warn.clone(), deny: self.deny.clone() },
            limits: self.limits.limits(),
            syntax: self.syntax.syntax(),
            ..Options::default()
        }
    }
}

/// The argument for the syntax of a rulesheet.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct SyntaxArgs {
    /// The syntax of the text; detected if it is not given
    #[arg(long, value_enum)]
    pub syntax: Option<Written>,
}

impl SyntaxArgs {
    /// Returns the compiler's value for the syntax; `None` if it is to be detected.
    #[must_use]
    pub(crate) fn syntax(self) -> Option<Syntax> {
        self.syntax.map(|written| match written {
            Written::Kif => Syntax::Kif,
            Written::Infix => Syntax::Infix,
            Written::Epilog => Syntax::Epilog,
        })
    }
}

/// A syntax that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Written {
    /// Lists, the form that game servers and players exchange
    Kif,
    /// `head(X) :- body(X)`, the form of textbooks and courses
    Infix,
    /// Infix rules and operations, `move(X) :: condition(X) ==> effect(X)`
    Epilog,
}

/// The limits of a rulesheet's cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bounds {
    /// Limits for your own games
    #[default]
    Default,
    /// Limits for untrusted rulesheets: two seconds and 300 MiB
    Network,
}

impl Bounds {
    /// Returns the compiler's limits.
    #[must_use]
    pub(crate) fn limits(self) -> Limits {
        match self {
            Self::Default => Limits::default(),
            Self::Network => Limits::network(),
        }
    }
}

/// The treatment of spellings that differ in case alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Case {
    /// The same symbol, as in the language
    #[default]
    Fold,
    /// Different symbols, as in some reasoners
    Sensitive,
}

fn lint(text: &str) -> Result<String, String> {
    code(text).map(|code| code.id.to_owned())
}

fn lint_or_lints(text: &str) -> Result<String, String> {
    if text == "lints" { Ok(text.to_owned()) } else { lint(text) }
}

fn lint_or_warnings(text: &str) -> Result<String, String> {
    if text == "warnings" { Ok(text.to_owned()) } else { lint(text) }
}
