//! The observer of a compilation: a callback that receives its progress and may cancel it.
//!
//! The compiler has no clock and no threads. It reports when a phase begins, and at intervals of
//! the steps that fuel counts. If the observer cancels, the compilation ends with the error
//! [`CANCELLED`](crate::diagnostic::codes::CANCELLED) and makes no further reports.

use crate::{Diagnostic, diagnostic::codes};
use std::{fmt, ops::ControlFlow, sync::Arc};

/// The phases of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Parsing: text to tree.
    Parse,
    /// Checking: tree to rules.
    Check,
    /// Grounding: rules to ground rules.
    Ground,
    /// Building the net: ground rules to net.
    Propnet,
    /// Optimisation: net to smaller net.
    Optimize,
    /// Specialisation: net to the nets of its cycle and of its plies.
    Derive,
    /// Emission: nets to lanes and the table.
    Emit,
    /// Lifting: rules to a program that evaluates them state by state.
    Lift,
}

impl Phase {
    /// The phase as messages name it, such as `grounding`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Parse => "reading the rules",
            Self::Check => "checking the rules",
            Self::Ground => "grounding",
            Self::Propnet => "building the net",
            Self::Optimize => "optimising the net",
            Self::Derive => "looking for cycles and plies",
            Self::Emit => "writing the table",
            Self::Lift => "looking into the rules",
        }
    }

    /// The unit of the phase's products, which are counted while it works.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Parse => "forms",
            Self::Check => "rules",
            Self::Ground => "rule instances",
            Self::Propnet | Self::Optimize | Self::Derive | Self::Emit => "operations",
            Self::Lift => "steps",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The progress of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// The number of items produced so far, in the phase's [unit](Phase::unit). It falls if the
    /// phase starts over or finds a smaller result.
    pub made: usize,
    /// The number of steps that the phase has taken so far, as
    /// [`Limits::fuel`](crate::Limits::fuel) counts them.
    pub steps: u64,
}

impl Progress {
    /// The diagnostic of a compilation that was cancelled at this progress.
    pub(crate) fn cancelled(self) -> Diagnostic {
        let Self { phase, made, .. } = self;
        let unit = phase.unit();
        Diagnostic::new(
            &codes::CANCELLED,
            None,
            format!("stopped by the caller while {phase}, with {made} {unit} so far"),
        )
        .help("allow more time, or set limits: their errors name the rule that takes the most")
    }
}

/// A callback that receives the progress of a compilation and decides whether it goes on.
///
/// ```
/// use gdl_compiler::{Observer, Options, Source, compile};
/// use std::ops::ControlFlow;
///
/// let observer = Observer::new(|progress| {
///     println!("{}: {} {}", progress.phase, progress.made, progress.phase.unit());
///     ControlFlow::Break(()) // it is enough
/// });
/// let source = Source::new("game.kif", "(role r) (init a) (legal r x) (goal r 0) (<= terminal (true a))");
/// let failure = compile(&source, &Options { observer, ..Options::default() }).unwrap_err();
/// assert!(failure.diagnostics.iter().any(|fault| fault.code.name == "cancelled"));
/// ```
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<Listener>>);

type Listener = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

impl Observer {
    /// Creates an observer that calls `listen` with each report.
    #[must_use]
    pub fn new(listen: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listen)))
    }

    /// Reports the progress. Returns `Break` if the compilation must end.
    pub fn tell(&self, progress: Progress) -> ControlFlow<()> {
        self.0.as_ref().map_or(ControlFlow::Continue(()), |listen| listen(progress))
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(..)" } else { "Observer(none)" })
    }
}
