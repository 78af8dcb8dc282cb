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
    EMPTY_LIST = "GDL003" empty_list Error;
    HEAD_IS_LIST = "GDL004" head_is_list Error;
    NON_ASCII_IDENTIFIER = "GDL005" non_ascii_identifier Error;
    CONTROL_CHARACTER = "GDL006" control_character Error;
    BARE_QUESTION_MARK = "GDL007" bare_question_mark Error;
    VARIABLE_AS_RELATION = "GDL008" variable_as_relation Error;
    VARIABLE_AS_FUNCTION = "GDL009" variable_as_function Error;
    TOPLEVEL_VARIABLE = "GDL010" toplevel_variable Error;
    STRING_LITERAL = "GDL011" string_literal Error;
    INVALID_UTF8 = "GDL012" invalid_utf8 Error;
    BLOCK_COMMENT = "GDL013" block_comment Error;
    RULE_WITHOUT_HEAD = "GDL014" rule_without_head Error;
    NESTED_RULE = "GDL015" nested_rule Error;
    EMPTY_SOURCE = "GDL016" empty_source Error;
    INFIX_SYNTAX = "GDL017" infix_syntax Error;
    AND_CONNECTIVE = "GDL018" and_connective Error;
    EQUALITY_CONNECTIVE = "GDL019" equality_connective Error;
    IMPLICATION_REVERSED = "GDL020" implication_reversed Error;
    RELATION_ARITY_CLASH = "GDL021" relation_arity_clash Error lint true;
    FUNCTION_ARITY_CLASH = "GDL022" function_arity_clash Warning;
    RELATION_FUNCTION_CLASH = "GDL023" relation_function_clash Warning;
    RELATION_IS_OBJECT = "GDL024" relation_is_object Lint;
    CASE_MISMATCH_RELATION = "GDL025" case_mismatch_relation Warning;
    CASE_MISMATCH_VARIABLE = "GDL026" case_mismatch_variable Warning;
    MISSING_ROLE = "GDL027" missing_role Error;
    MISSING_INIT = "GDL028" missing_init Warning;
    MISSING_LEGAL = "GDL029" missing_legal Error;
    MISSING_NEXT = "GDL030" missing_next Warning;
    MISSING_TERMINAL = "GDL031" missing_terminal Error;
    MISSING_GOAL = "GDL032" missing_goal Error;
    MISSING_GOAL_ONE_ROLE = "GDL033" missing_goal_one_role Error;
    MISSING_LEGAL_ONE_ROLE = "GDL034" missing_legal_one_role Error;
    KEYWORD_ARITY_LEGAL = "GDL035" keyword_arity_legal Error;
    KEYWORD_ARITY_NEXT = "GDL036" keyword_arity_next Error;
    TERMINAL_WITH_ARGUMENT = "GDL037" terminal_with_argument Error;
    GOAL_ARITY = "GDL038" goal_arity Error;
    ROLE_BY_RULE = "GDL039" role_by_rule Error;
    ROLE_WITH_VARIABLE = "GDL040" role_with_variable Error;
    ROLE_COMPOUND = "GDL041" role_compound Warning;
    DUPLICATE_ROLE = "GDL042" duplicate_role Warning;
    TRUE_IN_HEAD = "GDL043" true_in_head Error;
    DOES_IN_HEAD = "GDL044" does_in_head Error;
    TRUE_AS_FACT = "GDL045" true_as_fact Error;
    DOES_AS_FACT = "GDL046" does_as_fact Error;
    INIT_DEPENDS_ON_TRUE = "GDL047" init_depends_on_true Error;
    INIT_DEPENDS_ON_TRUE_INDIRECT = "GDL048" init_depends_on_true_indirect Error;
    INIT_DEPENDS_ON_DOES = "GDL049" init_depends_on_does Error;
    INIT_IN_BODY = "GDL050" init_in_body Error;
    NEXT_IN_BODY = "GDL051" next_in_body Error;
    BASE_IN_BODY = "GDL052" base_in_body Warning;
    INPUT_IN_BODY = "GDL053" input_in_body Warning;
    BASE_DEPENDS_ON_TRUE = "GDL054" base_depends_on_true Error;
    INPUT_DEPENDS_ON_DOES = "GDL055" input_depends_on_does Error;
    LEGAL_DEPENDS_ON_DOES = "GDL056" legal_depends_on_does Error;
    GOAL_DEPENDS_ON_DOES_INDIRECT = "GDL057" goal_depends_on_does_indirect Error;
    TERMINAL_DEPENDS_ON_DOES = "GDL058" terminal_depends_on_does Error;
    KEYWORD_AS_FUNCTION = "GDL059" keyword_as_function Error;
    DOES_AS_FUNCTION = "GDL060" does_as_function Error;
    KEYWORD_AS_OBJECT = "GDL061" keyword_as_object Lint;
    NOT_AS_OBJECT = "GDL062" not_as_object Error;
    DISTINCT_ARITY_1 = "GDL063" distinct_arity_1 Error;
    DISTINCT_ARITY_3 = "GDL064" distinct_arity_3 Error;
    DISTINCT_IN_HEAD = "GDL065" distinct_in_head Error;
    DISTINCT_ON_SENTENCES = "GDL066" distinct_on_sentences Warning;
    NOT_ARITY_2 = "GDL067" not_arity_2 Error;
    NOT_ARITY_0 = "GDL068" not_arity_0 Error;
    OR_EMPTY = "GDL069" or_empty Error;
    OR_SINGLE = "GDL070" or_single Lint;
    OR_TOPLEVEL = "GDL071" or_toplevel Error;
    NOT_IN_HEAD = "GDL072" not_in_head Error;
    NOT_FACT = "GDL073" not_fact Error;
    CONSTANT_AS_VARIABLE_HEAD = "GDL074" constant_as_variable_head Error;
    UNKNOWN_ROLE_LEGAL = "GDL075" unknown_role_legal Warning;
    UNKNOWN_ROLE_DOES = "GDL076" unknown_role_does Warning;
    UNKNOWN_ROLE_GOAL = "GDL077" unknown_role_goal Warning;
    GOAL_NOT_INTEGER = "GDL078" goal_not_integer Error;
    GOAL_OUT_OF_RANGE = "GDL079" goal_out_of_range Error;
    GOAL_NEGATIVE = "GDL080" goal_negative Error;
    GOAL_HUGE_NUMBER = "GDL081" goal_huge_number Error;
    GOAL_VARIABLE_NONINT = "GDL082" goal_variable_nonint Error;
    GDL2_SEES = "GDL083" gdl2_sees Error;
    GDL2_RANDOM = "GDL084" gdl2_random Warning;
    UNSAFE_HEAD_VARIABLE = "GDL085" unsafe_head_variable Error;
    UNSAFE_NEGATED_VARIABLE = "GDL086" unsafe_negated_variable Error;
    UNSAFE_DISTINCT_VARIABLE = "GDL087" unsafe_distinct_variable Error;
    UNSAFE_OR_BRANCH = "GDL088" unsafe_or_branch Error;
    UNSAFE_EMPTY_BODY = "GDL089" unsafe_empty_body Error;
    FACT_WITH_VARIABLE = "GDL090" fact_with_variable Error;
    UNSTRATIFIED_DIRECT = "GDL091" unstratified_direct Error;
    UNSTRATIFIED_CYCLE = "GDL092" unstratified_cycle Error;
    UNSTRATIFIED_IN_OR = "GDL093" unstratified_in_or Error;
    UNSTRATIFIED_LEGAL = "GDL094" unstratified_legal Warning;
    RECURSION_FUNCTION_GROWTH = "GDL095" recursion_function_growth Error;
    RECURSION_FUNCTION_GROWTH_MUTUAL = "GDL096" recursion_function_growth_mutual Error;
    RECURSION_RESTRICTION_FINITE = "GDL097" recursion_restriction_finite Warning;
    STATE_TERM_GROWTH = "GDL098" state_term_growth Error;
    HISTORY_GROWTH = "GDL099" history_growth Error;
    UNDEFINED_RELATION = "GDL100" undefined_relation Warning;
    UNDEFINED_RELATION_NEGATED = "GDL101" undefined_relation_negated Warning;
    UNUSED_RELATION = "GDL102" unused_relation Warning;
    SINGLETON_VARIABLE = "GDL103" singleton_variable Lint;
    DUPLICATE_FACT = "GDL104" duplicate_fact Lint;
    DUPLICATE_RULE = "GDL105" duplicate_rule Lint;
    TAUTOLOGICAL_RULE = "GDL106" tautological_rule Lint;
    DISTINCT_SAME_VARIABLE = "GDL107" distinct_same_variable Warning;
    DISTINCT_ALWAYS_TRUE = "GDL108" distinct_always_true Lint;
    CONTRADICTORY_BODY = "GDL109" contradictory_body Warning;
    FLUENT_NEVER_TRUE = "GDL110" fluent_never_true Warning;
    FLUENT_NEVER_READ = "GDL111" fluent_never_read Lint;
    MOVE_NEVER_LEGAL = "GDL112" move_never_legal Warning;
    RULE_NEVER_FIRES = "GDL113" rule_never_fires Warning;
    BASE_TOO_LARGE = "GDL114" base_too_large Lint;
    BASE_MISSING = "GDL115" base_missing Warning;
    INPUT_MISSING = "GDL116" input_missing Warning;
    BASE_WITHOUT_INPUT = "GDL117" base_without_input Warning;
    TERMINAL_UNREACHABLE = "GDL118" terminal_unreachable Warning;
    GOAL_100_MISSING = "GDL119" goal_100_missing Warning;
    INITIAL_STATE_TERMINAL = "GDL120" initial_state_terminal Warning;
    NO_LEGAL_MOVE_SOMEWHERE = "GDL121" no_legal_move_somewhere Warning;
    TWO_GOALS_AT_ONCE = "GDL122" two_goals_at_once Warning;
    NO_GOAL_IN_TERMINAL = "GDL123" no_goal_in_terminal Warning;
    GOAL_NOT_MONOTONE = "GDL124" goal_not_monotone Lint;
    NON_TERMINATING = "GDL125" non_terminating Warning;
    EMPTY_BODY_RULE = "GDL126" empty_body_rule Lint;
    REDUNDANT_PARENS = "GDL127" redundant_parens Lint;
    NOT_NOT = "GDL128" not_not Lint;
    NOT_DISTINCT = "GDL129" not_distinct Lint;
    NOT_OR = "GDL130" not_or Lint;
    NESTED_OR = "GDL131" nested_or Lint;
    LEADING_ZERO_NUMBER = "GDL132" leading_zero_number Lint;
    TOO_MANY_INSTANCES = "GDL133" too_many_instances Error;
    OR_EXPLOSION = "GDL134" or_explosion Error;
    DEEP_NESTING = "GDL135" deep_nesting Error;
    BILLION_LAUGHS = "GDL136" billion_laughs Error;
    EXPONENTIAL_COUNTER = "GDL137" exponential_counter Error;
    HUGE_IDENTIFIER = "GDL138" huge_identifier Error;
    LONG_CHAIN_RECURSION = "GDL139" long_chain_recursion Error;
    MISSING_FILE = "GDLM1" missing_file Error;
    BAD_MACRO_ARGUMENT = "GDLM2" bad_macro_argument Error;
    NAME_CLASH = "GDLM3" name_clash Error;
    CODE_TOO_LARGE = "GDLM4" code_too_large Error;
    SOURCE_TOO_LARGE = "GDLM5" source_too_large Error;
    RULE_TOO_LARGE = "GDLM6" rule_too_large Error;
    OUT_OF_FUEL = "GDLM7" out_of_fuel Error;
    INTERNAL_ERROR = "GDLM8" internal_error Error;
}
