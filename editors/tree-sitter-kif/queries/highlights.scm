; The same groups as in the grammar of Visual Studio Code.
(comment) @comment
["(" ")"] @punctuation.bracket
["<=" "not" "or" "distinct"] @keyword.operator
(keyword) @keyword
(variable) @variable.parameter
(atom relation: (name) @function)
(proposition relation: (name) @function)
(function name: (name) @type)
((constant (name) @number)
  (#match? @number "^[0-9]+$"))
((constant (name) @constant)
  (#not-match? @constant "^[0-9]+$"))
