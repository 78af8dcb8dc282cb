; A relation is defined by the heads of its rules and by its facts.
(rule head: (atom relation: (name) @name) @definition.function)
(rule head: (proposition relation: (name) @name) @definition.function)
(rulesheet (atom relation: (name) @name) @definition.function)
