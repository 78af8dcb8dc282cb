//! The slow, obvious semantics of checked rules: the oracle every engine is compared with.
