//! The catalogue of the compiler's messages, with one [`Code`] each; [`ALL`] is the index.
//!
//! Each code has a page, which `gdl explain` prints too. It explains the fault and why it matters,
//! with a wrong example, the way to fix it, and a right example. Short examples are additions to
//! this game, in which two players in turn take one or two sticks from a pile of three:
//!
//! ```kif
#![doc = include_str!("../../diagnostics/frame.kif")]
//! ```
//!
//! Other examples are whole rulesheets. Names of limits are those of the fields of
//! [`Limits`](crate::Limits).
//!
//! `GDL` and three digits number the codes about rules and about limits on their results. `GDLM`
//! and a digit number the codes about the macro, its file, the text as a whole and the compiler's
//! work. A number is never reused: one that is out of use stays reserved.

use super::Severity;

/// An entry of the catalogue.
#[derive(Debug)]
pub struct Code {
    /// The number, for example `GDL085`.
    pub id: &'static str,
    /// The name, for example `unsafe_head_variable`, which `allow(..)` and `deny(..)` take.
    pub name: &'static str,
    /// The default severity. An error in a rule that play does not need becomes a warning.
    pub severity: Severity,
    /// True if the compiler never reports the code. Its number is reserved for faults that other
    /// systems report.
    pub reserved: bool,
    /// The meaning, in less than a line.
    pub meaning: &'static str,
    /// The page, in Markdown; [`Code::examples`] returns its examples.
    pub page: &'static str,
}

/// Codes are equal if their numbers are.
impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl Code {
    /// True if `name` is the code's id or name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.id.eq_ignore_ascii_case(name) || self.name == name
    }
}

/// Finds a code by its id or name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.is_called(name))
}

macro_rules! codes {
    ($($constant:ident = $id:literal $name:ident $severity:ident $($mark:ident)?, $meaning:literal;)*) => {
        $(
            #[doc = concat!("`", $id, "` `", stringify!($name), "`: ", $meaning, ".\n")]
            #[doc = include_str!(concat!("../../diagnostics/", $id, ".md"))]
            pub static $constant: Code = Code {
                id: $id,
                name: stringify!($name),
                severity: Severity::$severity,
                meaning: $meaning,
                page: include_str!(concat!("../../diagnostics/", $id, ".md")),
                reserved: !stringify!($($mark)?).is_empty(),
            };
        )*

        /// Every code, by number.
        ///
        /// | code | name | severity | meaning |
        /// |---|---|---|---|
        $(#[doc = concat!(
            "| [`", $id, "`](", stringify!($constant), ") | `", stringify!($name), "` | ",
            stringify!($severity), $(" (", stringify!($mark), ")",)? " | ", $meaning, " |"
        )])*
        pub static ALL: &[&Code] = &[$(&$constant),*];
    };
}

codes! {
    UNCLOSED_PAREN = "GDL001" unclosed_paren Error, "a parenthesis is opened and never closed";
    UNMATCHED_CLOSE = "GDL002" unmatched_close Error, "a parenthesis is closed that was never opened";
    EMPTY_LIST = "GDL003" empty_list Error, "an empty list where a term or sentence should be";
    HEAD_IS_LIST = "GDL004" head_is_list Error, "a list starts with another list instead of a name";
    NON_ASCII_IDENTIFIER = "GDL005" non_ascii_identifier Error, "a name with a character that is not ASCII";
    CONTROL_CHARACTER = "GDL006" control_character Error, "a control character in the text";
    BARE_QUESTION_MARK = "GDL007" bare_question_mark Error, "a variable without a name";
    VARIABLE_AS_RELATION = "GDL008" variable_as_relation Error, "a variable where the name of a relation should be";
    VARIABLE_AS_FUNCTION = "GDL009" variable_as_function Error, "a variable where the name of a function should be";
    TOPLEVEL_VARIABLE = "GDL010" toplevel_variable Error, "a variable that stands alone among rules and facts";
    STRING_LITERAL = "GDL011" string_literal Error, "a text in quotes";
    INVALID_UTF8 = "GDL012" invalid_utf8 Error, "bytes that are not UTF-8";
    BLOCK_COMMENT = "GDL013" block_comment Error, "a comment in the syntax of another language";
    RULE_WITHOUT_HEAD = "GDL014" rule_without_head Error, "a rule without a head";
    NESTED_RULE = "GDL015" nested_rule Error, "a rule inside another form";
    EMPTY_SOURCE = "GDL016" empty_source Error, "a rulesheet without rules";
    INFIX_SYNTAX = "GDL017" infix_syntax Error, "a form in a different syntax from the rest of the text";
    AND_CONNECTIVE = "GDL018" and_connective Error, "`and`, which is not a connective of GDL";
    EQUALITY_CONNECTIVE = "GDL019" equality_connective Error, "`=`, which is not part of GDL";
    IMPLICATION_REVERSED = "GDL020" implication_reversed Error, "a rule with an arrow other than `<=`";
    RELATION_ARITY_CLASH = "GDL021" relation_arity_clash Warning, "a relation used with different numbers of arguments";
    FUNCTION_ARITY_CLASH = "GDL022" function_arity_clash Warning, "a function used with different numbers of arguments";
    RELATION_FUNCTION_CLASH = "GDL023" relation_function_clash Warning, "a name that is a relation and a function";
    RELATION_IS_OBJECT = "GDL024" relation_is_object Lint, "a name that is a relation and an object";
    CASE_MISMATCH_RELATION = "GDL025" case_mismatch_relation Warning, "two spellings of a name that differ only in case";
    CASE_MISMATCH_VARIABLE = "GDL026" case_mismatch_variable Warning, "two spellings of a variable that differ only in case";
    MISSING_ROLE = "GDL027" missing_role Error, "no `role` fact";
    MISSING_INIT = "GDL028" missing_init Warning, "no `init`, so the initial state is empty";
    MISSING_LEGAL = "GDL029" missing_legal Error, "no rule for `legal`";
    MISSING_NEXT = "GDL030" missing_next Warning, "no rule for `next`, so every later state is empty";
    MISSING_TERMINAL = "GDL031" missing_terminal Error, "no rule for `terminal`";
    MISSING_GOAL = "GDL032" missing_goal Error, "no rule for `goal`";
    MISSING_GOAL_ONE_ROLE = "GDL033" missing_goal_one_role Error, "a role without a rule for `goal`";
    MISSING_LEGAL_ONE_ROLE = "GDL034" missing_legal_one_role Error, "a role that never has a legal move";
    KEYWORD_ARITY_LEGAL = "GDL035" keyword_arity_legal Error, "a two-argument keyword with another number of arguments";
    KEYWORD_ARITY_NEXT = "GDL036" keyword_arity_next Error, "a one-argument keyword with another number of arguments";
    TERMINAL_WITH_ARGUMENT = "GDL037" terminal_with_argument Error, "`terminal` with an argument";
    GOAL_ARITY = "GDL038" goal_arity Error, "`goal` with a number of arguments other than two";
    ROLE_BY_RULE = "GDL039" role_by_rule Error, "a rule for `role`";
    ROLE_WITH_VARIABLE = "GDL040" role_with_variable Error, "a `role` fact with a variable";
    ROLE_COMPOUND = "GDL041" role_compound Warning, "a role whose name is a compound term";
    DUPLICATE_ROLE = "GDL042" duplicate_role Warning, "a role that is declared twice";
    TRUE_IN_HEAD = "GDL043" true_in_head Error, "a rule for `true`";
    DOES_IN_HEAD = "GDL044" does_in_head Error, "a rule for `does`";
    TRUE_AS_FACT = "GDL045" true_as_fact Error, "a fact for `true`";
    DOES_AS_FACT = "GDL046" does_as_fact Error, "a fact for `does`";
    INIT_DEPENDS_ON_TRUE = "GDL047" init_depends_on_true Error, "`init` that depends on `true`";
    INIT_DEPENDS_ON_TRUE_INDIRECT = "GDL048" init_depends_on_true_indirect Error, "`init` that depends on `true` through other relations";
    INIT_DEPENDS_ON_DOES = "GDL049" init_depends_on_does Error, "`init` that depends on `does`";
    INIT_IN_BODY = "GDL050" init_in_body Error, "`init` in the body of a rule";
    NEXT_IN_BODY = "GDL051" next_in_body Error, "`next` in the body of a rule";
    BASE_IN_BODY = "GDL052" base_in_body Warning, "`base` in the body of a rule";
    INPUT_IN_BODY = "GDL053" input_in_body Warning, "`input` in the body of a rule";
    BASE_DEPENDS_ON_TRUE = "GDL054" base_depends_on_true Warning, "`base` that depends on the state";
    INPUT_DEPENDS_ON_DOES = "GDL055" input_depends_on_does Warning, "`input` that depends on the state or the moves";
    LEGAL_DEPENDS_ON_DOES = "GDL056" legal_depends_on_does Error, "`legal` that depends on `does`";
    GOAL_DEPENDS_ON_DOES_INDIRECT = "GDL057" goal_depends_on_does_indirect Error, "`goal` that depends on `does`";
    TERMINAL_DEPENDS_ON_DOES = "GDL058" terminal_depends_on_does Error, "`terminal` that depends on `does`";
    KEYWORD_AS_FUNCTION = "GDL059" keyword_as_function Warning, "a keyword used as a function";
    DOES_AS_FUNCTION = "GDL060" does_as_function Warning, "`does` used as a function";
    KEYWORD_AS_OBJECT = "GDL061" keyword_as_object Lint, "a keyword used as an object";
    NOT_AS_OBJECT = "GDL062" not_as_object Error, "a connective used as an object or function";
    DISTINCT_ARITY_1 = "GDL063" distinct_arity_1 Error, "`distinct` with fewer than two terms";
    DISTINCT_ARITY_3 = "GDL064" distinct_arity_3 Error, "`distinct` with more than two terms";
    DISTINCT_IN_HEAD = "GDL065" distinct_in_head Error, "a rule or fact for `distinct`";
    DISTINCT_ON_SENTENCES = "GDL066" distinct_on_sentences Warning, "`distinct` applied to a term that is written like a sentence";
    NOT_ARITY_2 = "GDL067" not_arity_2 Error, "`not` with several literals";
    NOT_ARITY_0 = "GDL068" not_arity_0 Error, "`not` without a literal";
    OR_EMPTY = "GDL069" or_empty Error, "`or` without a branch";
    OR_SINGLE = "GDL070" or_single Lint, "`or` with a single branch";
    OR_TOPLEVEL = "GDL071" or_toplevel Error, "`or` as a head or on its own";
    NOT_IN_HEAD = "GDL072" not_in_head Error, "`not` as the head of a rule";
    NOT_FACT = "GDL073" not_fact Error, "`not` as a fact";
    CONSTANT_AS_VARIABLE_HEAD = "GDL074" constant_as_variable_head Error, "a variable as the head of a rule";
    UNKNOWN_ROLE_LEGAL = "GDL075" unknown_role_legal Warning, "a move or percept of a name that is not a role";
    UNKNOWN_ROLE_DOES = "GDL076" unknown_role_does Warning, "`does` of a name that is not a role";
    UNKNOWN_ROLE_GOAL = "GDL077" unknown_role_goal Warning, "`goal` of a name that is not a role";
    GOAL_NOT_INTEGER = "GDL078" goal_not_integer Error, "a goal value that is not a number";
    GOAL_OUT_OF_RANGE = "GDL079" goal_out_of_range Error, "a goal value above 100";
    GOAL_NEGATIVE = "GDL080" goal_negative Error, "a goal value below 0";
    GOAL_HUGE_NUMBER = "GDL081" goal_huge_number Error, "a goal value too large for most systems";
    GOAL_VARIABLE_NONINT = "GDL082" goal_variable_nonint Error, "a variable goal value with values other than 0 to 100";
    GDL2_SEES = "GDL083" gdl2_sees Error reserved, "`sees` is part of the language";
    GDL2_RANDOM = "GDL084" gdl2_random Warning reserved, "the role `random` is part of the language";
    UNSAFE_HEAD_VARIABLE = "GDL085" unsafe_head_variable Error, "a variable of the head that no positive literal binds";
    UNSAFE_NEGATED_VARIABLE = "GDL086" unsafe_negated_variable Error, "a variable under `not` that no positive literal binds";
    UNSAFE_DISTINCT_VARIABLE = "GDL087" unsafe_distinct_variable Error, "a variable in `distinct` that no positive literal binds";
    UNSAFE_OR_BRANCH = "GDL088" unsafe_or_branch Error, "a variable that only some branches of an `or` bind";
    UNSAFE_EMPTY_BODY = "GDL089" unsafe_empty_body Error, "a variable in a rule without a body";
    FACT_WITH_VARIABLE = "GDL090" fact_with_variable Error, "a variable in a fact";
    UNSTRATIFIED_DIRECT = "GDL091" unstratified_direct Error, "an atom that holds if it does not hold";
    UNSTRATIFIED_CYCLE = "GDL092" unstratified_cycle Error, "an atom that depends on its own negation through other atoms";
    UNSTRATIFIED_IN_OR = "GDL093" unstratified_in_or Error, "an atom that depends on its own negation through an `or`";
    UNSTRATIFIED_LEGAL = "GDL094" unstratified_legal Warning, "relations that depend on their own negation, though no ground atom does";
    RECURSION_FUNCTION_GROWTH = "GDL095" recursion_function_growth Error, "a recursive rule whose terms grow for ever";
    RECURSION_FUNCTION_GROWTH_MUTUAL = "GDL096" recursion_function_growth_mutual Error, "recursive rules that together make terms grow for ever";
    RECURSION_RESTRICTION_FINITE = "GDL097" recursion_restriction_finite Warning, "recursion that breaks the specification's restriction, but is finite";
    STATE_TERM_GROWTH = "GDL098" state_term_growth Error, "fluents that grow with every step";
    HISTORY_GROWTH = "GDL099" history_growth Error, "fluents that keep the whole history";
    UNDEFINED_RELATION = "GDL100" undefined_relation Warning, "a relation that is used and never defined";
    UNDEFINED_RELATION_NEGATED = "GDL101" undefined_relation_negated Warning, "a relation that is negated and never defined";
    UNUSED_RELATION = "GDL102" unused_relation Warning, "a relation that is defined and never used";
    SINGLETON_VARIABLE = "GDL103" singleton_variable Lint, "a variable that occurs once";
    DUPLICATE_FACT = "GDL104" duplicate_fact Lint, "a fact that is given twice";
    DUPLICATE_RULE = "GDL105" duplicate_rule Lint, "a rule that is given twice";
    TAUTOLOGICAL_RULE = "GDL106" tautological_rule Lint, "a rule with its own head in the body";
    DISTINCT_SAME_VARIABLE = "GDL107" distinct_same_variable Warning, "`distinct` of a term and itself";
    DISTINCT_ALWAYS_TRUE = "GDL108" distinct_always_true Lint, "`distinct` of terms that always differ";
    CONTRADICTORY_BODY = "GDL109" contradictory_body Warning, "a body that requires a literal and its negation";
    FLUENT_NEVER_TRUE = "GDL110" fluent_never_true Warning, "a fluent that is read and never becomes true";
    FLUENT_NEVER_READ = "GDL111" fluent_never_read Lint, "a fluent that is written and never read";
    MOVE_NEVER_LEGAL = "GDL112" move_never_legal Warning, "a move that is read and never legal";
    RULE_NEVER_FIRES = "GDL113" rule_never_fires Warning, "a rule that can never fire";
    BASE_TOO_LARGE = "GDL114" base_too_large Lint, "`base` with a fluent that is never true";
    BASE_MISSING = "GDL115" base_missing Warning, "a fluent that `base` leaves out";
    INPUT_MISSING = "GDL116" input_missing Warning, "a move that `input` leaves out";
    BASE_WITHOUT_INPUT = "GDL117" base_without_input Warning, "`base` without `input`";
    TERMINAL_UNREACHABLE = "GDL118" terminal_unreachable Warning, "a game that can never end";
    GOAL_100_MISSING = "GDL119" goal_100_missing Warning, "a role that can never reach 100";
    INITIAL_STATE_TERMINAL = "GDL120" initial_state_terminal Warning, "a game that is over before it starts";
    NO_LEGAL_MOVE_SOMEWHERE = "GDL121" no_legal_move_somewhere Warning, "play led to a state where a role cannot move";
    TWO_GOALS_AT_ONCE = "GDL122" two_goals_at_once Warning, "play led to a state where a role has two goal values";
    NO_GOAL_IN_TERMINAL = "GDL123" no_goal_in_terminal Warning, "play led to an end where a role has no goal value";
    GOAL_NOT_MONOTONE = "GDL124" goal_not_monotone Lint, "play led to a state where a goal value falls";
    NON_TERMINATING = "GDL125" non_terminating Warning, "play did not end";
    EMPTY_BODY_RULE = "GDL126" empty_body_rule Lint, "a rule with an empty body";
    REDUNDANT_PARENS = "GDL127" redundant_parens Lint, "parentheses around a name without arguments";
    NOT_NOT = "GDL128" not_not Lint, "`not` inside `not`";
    NOT_DISTINCT = "GDL129" not_distinct Lint, "`distinct` inside `not`";
    NOT_OR = "GDL130" not_or Lint, "`or` inside `not`";
    NESTED_OR = "GDL131" nested_or Lint, "`or` inside `or`";
    LEADING_ZERO_NUMBER = "GDL132" leading_zero_number Lint, "two spellings of a number, with leading zeros and without";
    TOO_MANY_INSTANCES = "GDL133" too_many_instances Error, "more rule instances, atoms, terms, bytes or gates than the limit";
    OR_EXPLOSION = "GDL134" or_explosion Error, "`or`s that multiply out to more rules than the limit";
    DEEP_NESTING = "GDL135" deep_nesting Error, "parentheses nested deeper than the limit";
    BILLION_LAUGHS = "GDL136" billion_laughs Error, "terms that grow larger or deeper than the limit";
    EXPONENTIAL_COUNTER = "GDL137" exponential_counter Error, "more fluents than the limit";
    HUGE_IDENTIFIER = "GDL138" huge_identifier Error, "a name longer than the limit";
    LONG_CHAIN_RECURSION = "GDL139" long_chain_recursion Error, "a recursive relation with more tuples than the limit";
    FLUENT_NOT_KEPT = "GDL140" fluent_not_kept Warning, "a fluent that is gone after a move, since no rule keeps it";
    MISPLACED_SIGN = "GDL141" misplaced_sign Error, "a character or operator that infix GDL or Epilog does not allow there";
    COMMA_FOR_AND = "GDL142" comma_for_and Error, "literals that are joined by commas";
    FULL_STOP = "GDL143" full_stop Lint, "a full stop after a sentence";
    DEAD_SENTENCE = "GDL144" dead_sentence Warning, "a sentence of Epilog without effect";
    OPERATION_MISSING = "GDL145" operation_missing Warning, "a move of Epilog without an operation, which becomes a fact";
    EFFECT_ON_VIEW = "GDL146" effect_on_view Error, "an effect on a relation that rules define";
    OPERATION_CALLS_ITSELF = "GDL147" operation_calls_itself Error, "an operation that calls itself";
    UNBOUND_EFFECT = "GDL148" unbound_effect Warning, "an effect with a variable that nothing binds";
    UNKNOWN_BUILTIN = "GDL149" unknown_builtin Error, "a built-in relation of Epilog that is not supported";
    UNBOUNDED_VALUE = "GDL150" unbounded_value Error, "a variable or number of Epilog whose values the rules do not bound";
    MISSING_CONTROL = "GDL151" missing_control Error, "a rulesheet of Epilog where `control` never holds";
    EARLY_NEGATION = "GDL152" early_negation Warning, "negation before its variables have values, in Epilog";
    MARKDOWN_FENCE = "GDL153" markdown_fence Warning, "a rulesheet inside Markdown";
    MISSING_FILE = "GDLM1" missing_file Error, "a rulesheet that cannot be read";
    BAD_MACRO_ARGUMENT = "GDLM2" bad_macro_argument Error, "wrong arguments of `gdl!`";
    NAME_CLASH = "GDLM3" name_clash Error reserved, "two modules of one name, which Rust itself reports";
    CODE_TOO_LARGE = "GDLM4" code_too_large Error reserved, "a net too large for straight-line code, which becomes a table";
    SOURCE_TOO_LARGE = "GDLM5" source_too_large Error, "a rulesheet of more bytes, words or rules than the limit";
    RULE_TOO_LARGE = "GDLM6" rule_too_large Error, "a rule with more variables or literals than the limit";
    OUT_OF_FUEL = "GDLM7" out_of_fuel Error, "more work for the compiler than the limit";
    INTERNAL_ERROR = "GDLM8" internal_error Error, "an internal error of the compiler";
    CANCELLED = "GDLM9" cancelled Error, "a compilation that its caller cancelled";
}
