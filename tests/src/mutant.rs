//! Mutants: rulesheets with a few random changes, determined by a seed and a number. Many are still
//! valid games.
//!
//! Changes drop, copy, exchange, negate and join rules and literals. They also replace constants,
//! variables, names and arities, and add roles. Takes time and memory in proportion to the text.

use gdl_runtime::chance::Stream;

/// A word, or a list of forms.
#[derive(Clone, PartialEq)]
enum Form {
    Word(String),
    List(Vec<Form>),
}

use Form::{List, Word};

impl Form {
    fn word(text: &str) -> Self {
        Word(text.to_owned())
    }

    fn write(&self, out: &mut String) {
        match self {
            Word(word) => out.push_str(word),
            List(parts) => {
                out.push('(');
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        out.push(' ');
                    }
                    part.write(out);
                }
                out.push(')');
            }
        }
    }

    fn is(&self, text: &str) -> bool {
        matches!(self, Word(word) if word == text)
    }

    fn is_variable(&self) -> bool {
        matches!(self, Word(word) if word.starts_with('?'))
    }

    /// The parts of a rule with a body: `<=`, the head and the literals.
    fn body(&mut self) -> Option<&mut Vec<Form>> {
        match self {
            List(parts) if parts.len() > 2 && parts[0].is("<=") => Some(parts),
            _ => None,
        }
    }

    /// Collects the outermost forms that satisfy `wanted`, in order.
    fn visit<'f>(&'f mut self, found: &mut Vec<&'f mut Form>, wanted: fn(&Form) -> bool) {
        if wanted(self) {
            found.push(self);
        } else if let List(parts) = self {
            for part in parts.iter_mut().skip(1) {
                part.visit(found, wanted);
            }
        }
    }

    fn replace(&mut self, old: &str, new: &str) {
        match self {
            Word(word) if word == old => new.clone_into(word),
            Word(_) => {}
            List(parts) => parts.iter_mut().for_each(|part| part.replace(old, new)),
        }
    }
}

/// The rules of a text. Unmatched parentheses are ignored.
fn read(text: &str) -> Vec<Form> {
    let mut open: Vec<Vec<Form>> = vec![Vec::new()];
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default();
        for word in code.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            let place = open.len() - 1;
            match word {
                "(" => open.push(Vec::new()),
                ")" if place > 0 => {
                    let list = open.pop().expect("there are some");
                    open[place - 1].push(List(list));
                }
                ")" => {}
                word => open[place].push(Form::word(word)),
            }
        }
    }
    open.swap_remove(0)
}

/// The forms of a text, each written on one line.
#[must_use]
pub fn forms(text: &str) -> Vec<String> {
    read(text).iter().map(written).collect()
}

fn written(form: &Form) -> String {
    let mut text = String::new();
    form.write(&mut text);
    text
}

/// A random editor of a rulesheet.
struct Editor {
    stream: Stream,
    rules: Vec<Form>,
}

/// The possible changes. A change returns `None` if it does not apply.
const CHANGES: [fn(&mut Editor) -> Option<()>; 18] = [
    Editor::drop_rule,
    Editor::drop_literal,
    Editor::copy_rule,
    Editor::copy_literal,
    Editor::exchange_literals,
    Editor::exchange_bodies,
    Editor::deny,
    Editor::join,
    Editor::join,
    Editor::change_constant,
    Editor::change_constant,
    Editor::change_variable,
    Editor::bind_variable,
    Editor::change_arity,
    Editor::rename,
    Editor::turn_keyword,
    Editor::add_role,
    Editor::swap_arguments,
];

/// The forms of a rulesheet after one to three changes, determined by `seed` and `number`.
#[must_use]
pub fn mutate(text: &str, seed: u64, number: u64) -> Vec<String> {
    let mut editor = Editor { stream: Stream::new(seed, number), rules: read(text) };
    for _ in 0..=editor.below(3) {
        // Tries up to eight changes, since not every change applies.
        for _ in 0..8 {
            let change = CHANGES[editor.below(CHANGES.len())];
            if change(&mut editor).is_some() {
                break;
            }
        }
    }
    editor.rules.iter().map(written).collect()
}

impl Editor {
    fn below(&mut self, end: usize) -> usize {
        self.stream.below(end as u64) as usize
    }

    /// The index of a random rule.
    fn rule(&mut self) -> Option<usize> {
        (!self.rules.is_empty()).then(|| self.below(self.rules.len()))
    }

    /// A random literal: the index of its rule and its place in the body.
    fn literal(&mut self) -> Option<(usize, usize)> {
        let bodies: Vec<usize> =
            (0..self.rules.len()).filter(|&rule| self.rules[rule].body().is_some()).collect();
        let rule = *bodies.get(self.below(bodies.len()))?;
        let parts = self.rules[rule].body()?.len();
        Some((rule, 2 + self.below(parts - 2)))
    }

    /// A random form inside a random rule.
    fn part(&mut self, wanted: fn(&Form) -> bool) -> Option<(usize, Form)> {
        let rule = self.rule()?;
        let mut rule_form = self.rules[rule].clone();
        let mut found = Vec::new();
        rule_form.visit(&mut found, wanted);
        let place = self.below(found.len());
        let part = (**found.get(place)?).clone();
        Some((rule, part))
    }

    /// Replaces a random form of a rule by another.
    fn put(&mut self, rule: usize, wanted: fn(&Form) -> bool, new: Form) -> Option<()> {
        let mut form = std::mem::replace(&mut self.rules[rule], List(Vec::new()));
        let mut found = Vec::new();
        form.visit(&mut found, wanted);
        let place = self.below(found.len());
        let done = found.get_mut(place).map(|old| **old = new);
        self.rules[rule] = form;
        done
    }

    fn drop_rule(&mut self) -> Option<()> {
        let rule = self.rule()?;
        self.rules.remove(rule);
        Some(())
    }

    fn drop_literal(&mut self) -> Option<()> {
        let (rule, place) = self.literal()?;
        self.rules[rule].body()?.remove(place);
        Some(())
    }

    /// Copies a rule with another constant.
    fn copy_rule(&mut self) -> Option<()> {
        let rule = self.rule()?;
        self.rules.push(self.rules[rule].clone());
        let (_, constant) = self.part(is_constant)?;
        let copy = self.rules.len() - 1;
        self.put(copy, is_constant, constant)
    }

    fn copy_literal(&mut self) -> Option<()> {
        let ((from, literal), (to, place)) = (self.literal()?, self.literal()?);
        let literal = self.rules[from].body()?[literal].clone();
        self.rules[to].body()?.insert(place, literal);
        Some(())
    }

    fn exchange_literals(&mut self) -> Option<()> {
        let ((left, one), (right, two)) = (self.literal()?, self.literal()?);
        let first = self.rules[left].body()?[one].clone();
        let second = std::mem::replace(&mut self.rules[right].body()?[two], first);
        self.rules[left].body()?[one] = second;
        Some(())
    }

    /// Exchanges the heads of two rules, so that each has the other's body.
    fn exchange_bodies(&mut self) -> Option<()> {
        let ((left, _), (right, _)) = (self.literal()?, self.literal()?);
        let first = self.rules[left].body()?[1].clone();
        let second = std::mem::replace(&mut self.rules[right].body()?[1], first);
        self.rules[left].body()?[1] = second;
        Some(())
    }

    fn deny(&mut self) -> Option<()> {
        let (rule, place) = self.literal()?;
        let literal = &mut self.rules[rule].body()?[place];
        *literal = match literal {
            List(parts) if parts.len() == 2 && parts[0].is("not") => parts.remove(1),
            _ => List(vec![Form::word("not"), literal.clone()]),
        };
        Some(())
    }

    /// Replaces a literal by a disjunction of itself and others.
    fn join(&mut self) -> Option<()> {
        let (rule, place) = self.literal()?;
        let mut parts = vec![Form::word("or"), self.rules[rule].body()?[place].clone()];
        for _ in 0..=self.below(2) {
            let (other, literal) = self.literal()?;
            // Literals of the same rule bind the same variables.
            let other = if self.below(2) == 0 { rule } else { other };
            let body = self.rules[other].body()?;
            parts.push(body[2.max(literal.min(body.len() - 1))].clone());
        }
        self.rules[rule].body()?[place] = List(parts);
        Some(())
    }

    fn change_constant(&mut self) -> Option<()> {
        let (_, constant) = self.part(is_constant)?;
        let (rule, _) = self.part(is_constant)?;
        self.put(rule, is_constant, constant)
    }

    fn change_variable(&mut self) -> Option<()> {
        let (rule, variable) = self.part(Form::is_variable)?;
        self.put(rule, Form::is_variable, variable)
    }

    /// Replaces a variable by a constant, or the reverse.
    fn bind_variable(&mut self) -> Option<()> {
        let (rule, variable) = self.part(Form::is_variable)?;
        let (_, constant) = self.part(is_constant)?;
        if self.below(2) == 0 {
            self.put(rule, Form::is_variable, constant)
        } else {
            self.put(rule, is_constant, variable)
        }
    }

    fn change_arity(&mut self) -> Option<()> {
        let (rule, mut form) = self.part(is_atom)?;
        let List(parts) = &mut form else { return None };
        if parts.len() > 2 && self.below(2) == 0 {
            let place = 1 + self.below(parts.len() - 1);
            parts.remove(place);
        } else {
            let copy = parts.last()?.clone();
            parts.push(copy);
        }
        self.put(rule, is_atom, form)
    }

    /// Replaces a name by another everywhere.
    fn rename(&mut self) -> Option<()> {
        let ((_, old), (_, new)) = (self.part(is_constant)?, self.part(is_constant)?);
        let (Word(old), Word(new)) = (old, new) else { return None };
        self.rules.iter_mut().for_each(|rule| rule.replace(&old, &new));
        Some(())
    }

    /// Replaces a keyword in a rule by another.
    fn turn_keyword(&mut self) -> Option<()> {
        let words = ["next", "init", "true", "legal", "does", "goal", "sees", "terminal"];
        let [old, new] = [(); 2].map(|()| words[self.below(words.len())]);
        let rule = self.rule()?;
        self.rules[rule].replace(old, new);
        Some(())
    }

    /// Adds a role with copies of another role's rules.
    fn add_role(&mut self) -> Option<()> {
        let roles: Vec<String> = self.rules.iter().filter_map(role).collect();
        let old = roles.get(self.below(roles.len()))?.clone();
        let new = format!("{old}{}", roles.len());
        let copies: Vec<Form> = self
            .rules
            .iter()
            .filter_map(|rule| {
                let mut copy = rule.clone();
                copy.replace(&old, &new);
                (copy != *rule).then_some(copy)
            })
            .collect();
        self.rules.extend(copies);
        Some(())
    }

    fn swap_arguments(&mut self) -> Option<()> {
        let (rule, mut form) = self.part(is_atom)?;
        let List(parts) = &mut form else { return None };
        let [left, right] = [(); 2].map(|()| 1 + self.below(parts.len() - 1));
        parts.swap(left, right);
        self.put(rule, is_atom, form)
    }
}

/// The role that a fact names.
fn role(rule: &Form) -> Option<String> {
    match rule {
        List(parts) if parts.len() == 2 && parts[0].is("role") => match &parts[1] {
            Word(name) => Some(name.clone()),
            List(_) => None,
        },
        _ => None,
    }
}

fn is_constant(form: &Form) -> bool {
    matches!(form, Word(word) if !word.starts_with('?'))
}

/// Returns whether a form is a list of words with at least one argument.
fn is_atom(form: &Form) -> bool {
    matches!(form, List(parts) if parts.len() > 1 && parts.iter().all(|part| matches!(part, Word(_))))
}
