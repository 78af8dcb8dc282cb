//! The observer of a compilation: its caller follows it, and ends one that it no longer wants.
//!
//! The compiler has no clock and no threads, but it reports its progress: when a phase begins, and
//! at intervals of the steps that fuel counts. An observer may cancel. Then the compilation ends
//! with an error, [`CANCELLED`](crate::diagnostic::codes::CANCELLED), and asks no more.

use crate::{Diagnostic, diagnostic::codes};
use std::{fmt, ops::ControlFlow, sync::Arc};

/// The phases of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// From text to tree.
    Parse,
    /// From tree to rules.
    Check,
    /// From rules to ground rules.
    Ground,
    /// From ground rules to a net.
    Propnet,
    /// From net to smaller net.
    Optimize,
    /// From net to those of its cycle and of its plies.
    Derive,
    /// From nets to lanes and the table.
    Emit,
    /// From rules to what evaluates them state by state.
    Lift,
}

impl Phase {
    /// The work of the phase, for people.
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
    /// The phase at work.
    pub phase: Phase,
    /// The number of products so far, in its [unit](Phase::unit): fewer than before where it starts
    /// anew or finds a shorter way.
    pub made: usize,
    /// The steps that it has taken so far, as [`Limits::fuel`](crate::Limits::fuel) counts them.
    pub steps: u64,
}

impl Progress {
    /// The diagnostic of a compilation that ended here.
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

/// Receives the progress of a compilation and decides whether it goes on.
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
    /// Calls `listen` with each report.
    #[must_use]
    pub fn new(listen: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listen)))
    }

    /// Reports; breaks if the work is to end.
    pub fn tell(&self, progress: Progress) -> ControlFlow<()> {
        self.0.as_ref().map_or(ControlFlow::Continue(()), |listen| listen(progress))
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(..)" } else { "Observer(none)" })
    }
}
