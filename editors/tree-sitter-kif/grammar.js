// Rulesheets in the Game Description Language: facts, rules and comments as lists of KIF.

// A name: any characters except separators. The compiler checks which characters a name may have.
const name = /[^\s();?"'`,]+/;
// Keywords in any case, as in the compiler.
const word = (text) => new RegExp([...text].map((c) => `[${c}${c.toUpperCase()}]`).join(""));
const keyword = (text) => alias(token(word(text)), text);

export default grammar({
  name: "kif",

  word: ($) => $.name,

  extras: ($) => [/[\s\x00-\x1f]/, $.comment],

  rules: {
    rulesheet: ($) => repeat($._form),

    _form: ($) => choice($.rule, $._atom),

    // `(<= head literal ..)`.
    rule: ($) => seq("(", "<=", field("head", $._atom), repeat(field("body", $._literal)), ")"),

    _literal: ($) => choice($.negation, $.disjunction, $.inequality, $._atom),
    negation: ($) => seq("(", keyword("not"), $._literal, ")"),
    disjunction: ($) => seq("(", keyword("or"), repeat($._literal), ")"),
    inequality: ($) => seq("(", keyword("distinct"), $._term, $._term, ")"),

    _atom: ($) => choice($.atom, $.proposition, $.variable),
    // A proposition: `terminal`, or a relation without arguments.
    proposition: ($) => choice(field("relation", $.keyword), field("relation", $.name)),
    // `(relation term ..)`.
    atom: ($) => seq("(", field("relation", choice($.keyword, $.name)), repeat(field("argument", $._term)), ")"),

    _term: ($) => choice($.function, $.variable, $.constant),
    // `(function term ..)`.
    function: ($) => seq("(", field("name", $._symbol), repeat(field("argument", $._term)), ")"),
    constant: ($) => $._symbol,
    // A keyword inside a term is an ordinary name.
    _symbol: ($) => choice($.name, alias($.keyword, $.name), alias($._connective, $.name)),
    _connective: () => choice(...["not", "or", "distinct"].map(keyword), "<="),

    keyword: () =>
      choice(...["role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees"].map(keyword)),

    variable: () => /\?[^\s();?"'`,]*/,
    name: () => token(name),
    comment: () => token(/;[^\n\r]*/),
  },
});
