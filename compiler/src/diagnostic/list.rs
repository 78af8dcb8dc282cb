//! The diagnostics of one run, which quote rules in the syntax of the text.

use super::{Code, Diagnostic, Levels, Severity, Source, codes};
use crate::Options;
use crate::syntax::{dialect::Syntax, speech};

/// All diagnostics of one run. [`Diagnostics::sort`] puts them into the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    levels: Levels,
    /// The syntax in which messages quote rules.
    syntax: Syntax,
    /// The number of diagnostics of each severity, including those that are not kept.
    counts: [usize; 3],
}

impl Diagnostics {
    /// The most diagnostics of each severity that are shown; the rest are only counted.
    pub const SHOWN: usize = 20;

    /// The most diagnostics of each severity that are kept. This bounds the memory for a file of
    /// nothing but faults.
    const KEPT: usize = 1_000;

    /// The limit in place of [`Self::KEPT`] for machine-applicable diagnostics, so that one round
    /// applies all their edits.
    const CERTAIN: usize = 50_000;

    /// Creates an empty list that applies `levels` to the diagnostics that are pushed.
    #[must_use]
    pub fn new(levels: Levels) -> Self {
        Self { levels, ..Self::default() }
    }

    /// Creates an empty list for a text. Messages quote rules in the syntax of the text.
    #[must_use]
    pub fn of(source: &Source, options: &Options) -> Self {
        let syntax = options.syntax.unwrap_or_else(|| Syntax::of(source.text()));
        Self { syntax, ..Self::new(options.levels.clone()) }
    }

    /// Adds a diagnostic with the severity that the levels give it, unless they silence it. KIF in
    /// its texts is rewritten in the syntax of the source.
    ///
    /// For Epilog only errors and messages about the whole game are kept. Other messages would
    /// concern rules of the translation. The reader of Epilog has already warned about the
    /// sentences that the author wrote.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let of_game = diagnostic.witness.is_some()
            || [&codes::TERMINAL_UNREACHABLE, &codes::GOAL_100_MISSING].contains(&diagnostic.code);
        if self.syntax == Syntax::Epilog && diagnostic.code.severity != Severity::Error && !of_game {
            return;
        }
        self.push_as_is(speech::tell(diagnostic, self.syntax));
    }

    /// Adds a diagnostic whose texts already use the syntax of the source.
    pub(crate) fn push_as_is(&mut self, mut diagnostic: Diagnostic) {
        if let Some(severity) = self.levels.judge(diagnostic.code, diagnostic.severity) {
            diagnostic.severity = severity;
            let count = &mut self.counts[severity as usize];
            *count += 1;
            let most = if diagnostic.is_machine_applicable() { Self::CERTAIN } else { Self::KEPT };
            if *count <= most {
                self.list.push(diagnostic);
            }
        }
    }

    /// Removes the diagnostics with this code for which `keep` returns false, such as a warning
    /// that a later phase replaced by an error.
    pub fn retract(&mut self, code: &'static Code, mut keep: impl FnMut(&Diagnostic) -> bool) {
        let Self { list, counts, .. } = self;
        list.retain(|diagnostic| {
            let stays = diagnostic.code != code || keep(diagnostic);
            counts[diagnostic.severity as usize] -= usize::from(!stays);
            stays
        });
    }

    /// True if there is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.counts[Severity::Error as usize] > 0
    }

    /// True if there are errors, and none of them shows that the rulesheet is wrong. Each reports
    /// an exceeded limit of grounding or of a later phase, or that grounding would never end.
    #[must_use]
    pub fn are_excesses(&self) -> bool {
        const EXCESSES: [&Code; 10] = [
            &codes::RECURSION_FUNCTION_GROWTH,
            &codes::RECURSION_FUNCTION_GROWTH_MUTUAL,
            &codes::STATE_TERM_GROWTH,
            &codes::HISTORY_GROWTH,
            &codes::TOO_MANY_INSTANCES,
            &codes::OR_EXPLOSION,
            &codes::BILLION_LAUGHS,
            &codes::EXPONENTIAL_COUNTER,
            &codes::LONG_CHAIN_RECURSION,
            &codes::OUT_OF_FUEL,
        ];
        let mut errors = self.iter().filter(|d| d.severity == Severity::Error);
        self.has_errors() && errors.all(|d| EXCESSES.contains(&d.code))
    }

    /// Turns all errors into warnings, for a rulesheet that exceeds only limits and is interpreted
    /// instead. Does nothing if warnings are denied.
    pub fn excuse(&mut self) {
        if self.levels.deny.iter().any(|name| name == "warnings") {
            return;
        }
        for diagnostic in self.list.iter_mut().filter(|d| d.severity == Severity::Error) {
            diagnostic.severity = Severity::Warning;
            diagnostic.message.insert_str(0, "evaluated state by state: ");
        }
        let errors = std::mem::take(&mut self.counts[Severity::Error as usize]);
        self.counts[Severity::Warning as usize] += errors;
    }

    /// The number of diagnostics of a severity, including those that are not kept.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }

    /// The diagnostics that are kept. They are in the order of the text after
    /// [`Diagnostics::sort`].
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// The number of diagnostics that are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True if no diagnostic is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sorts the list by the order of the text. The warnings that the game cannot end or a role
    /// cannot win come after their possible causes. Faults of the whole rulesheet come last.
    pub fn sort(&mut self) {
        let follows = |code| [&codes::TERMINAL_UNREACHABLE, &codes::GOAL_100_MISSING].contains(&code);
        self.list.sort_by_key(|d| (d.span.is_none(), follows(d.code), d.span, d.code.id));
    }
}
