//! The catalogue of everything the compiler can say, one [`Code`] each.

use super::Severity;

/// An entry of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Its number, for example `GDL085`.
    pub id: &'static str,
    /// Its name, for example `unsafe_head_variable`: what `allow(..)` and `deny(..)` take.
    pub name: &'static str,
    /// How serious it is unless a lint option says otherwise.
    pub severity: Severity,
    /// True if it can be allowed although it is an error by default.
    pub lint: bool,
}

impl Code {
    /// True if `name` is the code's id or name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.id.eq_ignore_ascii_case(name) || self.name == name
    }
}

/// The code called `name`, an id or a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.is_called(name))
}

macro_rules! codes {
    ($($constant:ident = $id:literal $name:ident $severity:ident $(lint $lint:literal)?;)*) => {
        $(
            #[doc = concat!("`", $id, "` ", stringify!($name))]
            pub static $constant: Code =
                Code { id: $id, name: stringify!($name), severity: Severity::$severity, lint: false $(|| $lint)? };
        )*

        /// Every code, by number.
        pub static ALL: &[&Code] = &[$(&$constant),*];
    };
}

codes! {
    UNCLOSED_PAREN = "GDL001" unclosed_paren Error;
    UNMATCHED_CLOSE = "GDL002" unmatched_close Error;
    RELATION_ARITY_CLASH = "GDL021" relation_arity_clash Error lint true;
    UNSTRATIFIED = "GDL091" unstratified Error;
    TOO_MANY_INSTANCES = "GDL133" too_many_instances Error;
}
