//! A net as text.
