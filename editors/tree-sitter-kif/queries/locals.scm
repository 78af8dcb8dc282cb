; Variables belong to their rule.
(rule) @local.scope
(variable) @local.reference
