//! Tests of the requests of an editor and their answers.

use super::{Client, GAME, URI, at, place, places};
use serde_json::{Value, json};

/// Returns the parameters of a request for the whole document.
fn whole() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

/// Returns the edits of the document in an answer, each as `place: text`.
fn edits(edit: &Value) -> Vec<String> {
    let list = edit["changes"][URI].as_array().unwrap();
    let show = |edit: &Value| format!("{}: {}", place(&edit["range"]), edit["newText"].as_str().unwrap());
    list.iter().map(show).collect()
}

fn names(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap();
    list.iter().map(|item| item.get("label").unwrap_or(&item["name"]).as_str().unwrap().to_owned()).collect()
}

#[test]
fn diagnostics_have_all_their_parts() {
    // The places are after an umlaut and a character of two UTF-16 units.
    let text = format!(
        "{GAME}; é😀\n(helper 1) ; é😀\n(<= (next (trail ?x)) (does ?_r (take ?x))) ; é😀 (\n(init (trail x)) (legul é😀"
    );
    let (mut client, published) = Client::open(&text);
    let list = published["diagnostics"].as_array().unwrap();
    assert_eq!(list.len(), 2, "{published}");
    assert_eq!(
        list[0],
        json!({
            "range": { "start": { "line": 37, "character": 17 }, "end": { "line": 37, "character": 18 } },
            "severity": 1,
            "code": "GDL001",
            "source": "gdl",
            "message": "this `(` is never closed\nhelp: add the missing `)` at the end",
        })
    );
    assert_eq!((place(&list[1]["range"]).as_str(), &list[1]["code"]), ("37:24-37:25", &json!("GDL005")));

    client.change(2, &format!("{GAME}; é😀\n(helper 1) (minus 2 1 1) ; é😀\n(<= (next (trail ?x)) (does ?_r (take ?x)))\n(init (trail x))\n"));
    let first = client.published();
    let list = first["diagnostics"].as_array().unwrap();
    assert_eq!(list[0]["code"], "GDL102", "{first}");
    assert_eq!((&list[0]["severity"], &list[0]["tags"]), (&json!(2), &json!([1])));
    assert_eq!((place(&list[1]["range"]).as_str(), &list[1]["severity"]), ("35:12-35:17", &json!(4)));
    assert_eq!(list[1]["relatedInformation"][0]["message"], "first given here");
    assert_eq!(place(&list[1]["relatedInformation"][0]["location"]["range"]), "8:1-8:6");
    // Diagnostics of grounding arrive later.
    assert!(!list.iter().any(|found| found["code"] == "GDL111"));
    let second = client.published();
    let unread = second["diagnostics"].as_array().unwrap().iter().find(|found| found["code"] == "GDL111");
    assert_eq!(unread.unwrap()["tags"], json!([1]));
    assert!(client.end());
}

#[test]
fn hover_says_what_a_name_is() {
    let (mut client, _) = Client::open(GAME);
    let mut said = |line, column| {
        client.at("textDocument/hover", (line, column))["contents"]["value"].as_str().map(str::to_owned)
    };
    assert_eq!(
        said(8, 3).unwrap(),
        "`minus` is a relation with 3 arguments, defined by 3 facts.\nIt is static: the same in every state.\n\
         Read by `legal`, `next`.\n\nA move takes away.\nOne stick or two."
    );
    assert_eq!(
        said(12, 6).unwrap(),
        "```gdl\n(true (cell 1 1 blank))\n```\nA fluent that holds in the current state."
    );
    assert_eq!(
        said(12, 12).unwrap(),
        "`control` is a function of 1 argument, used as a fluent; it occurs in 9 places."
    );
    assert_eq!(said(15, 15).unwrap(), "`noop` is an object, used as a move; it occurs in 1 place.");
    assert_eq!(said(12, 21), None);
    assert_eq!(said(5, 0), None);
    client.change(2, &format!("{GAME}(<= (moved ?r) (does ?r ?m))\n"));
    let moved = client.at("textDocument/hover", (34, 6))["contents"]["value"].as_str().unwrap().to_owned();
    assert!(
        moved.starts_with(
            "`moved` is a relation with 1 argument, defined by 1 rule.\nIt depends on the moves of a step.\n"
        ),
        "{moved}"
    );
    assert!(moved.contains("\n\n---\n\n**GDL102 unused_relation**: "), "{moved}");
    assert!(client.end());
}

#[test]
fn hover_says_why_an_atom_holds_at_the_start() {
    let (mut client, _) =
        Client::open(&format!("{GAME}(<= won (goal white 100))\n(<= lost (not (true (pile 2))))\n"));
    let mut said = |line, column| {
        let hover = client.at("textDocument/hover", (line, column));
        let text = hover["contents"]["value"].as_str().unwrap_or_default().to_owned();
        text.split("\n\n---\n\n").find(|part| part.starts_with("At the start")).map(str::to_owned)
    };
    assert_eq!(said(33, 6).unwrap(), "At the start `(true (pile 0))` does not hold: no rule can give it");
    assert_eq!(
        said(32, 5).unwrap(),
        "At the start `terminal` does not hold\n- the rule in line 33 does not give it, since\n  - `(true (pile 0))` does not hold"
    );
    assert_eq!(
        said(34, 9).unwrap(),
        "At the start `(goal white 100)` does not hold\n- the rule in line 30 does not give it, since\n  \
         - `(not (true (control white)))` does not hold"
    );
    assert_eq!(said(35, 16).unwrap(), "At the start `(true (pile 2))` holds: a fact in line 4");
    assert_eq!(
        said(34, 5).unwrap(),
        "At the start `won` does not hold\n- the rule in line 35 does not give it, since\n  \
         - `(goal white 100)` does not hold\n    - the rule in line 30 does not give it, since\n      \
         - `(not (true (control white)))` does not hold"
    );
    // Atoms with variables, atoms of a step, and facts have no explanation.
    assert_eq!([said(12, 6), said(22, 6), said(8, 3), said(3, 3)], [None, None, None, None]);
    assert!(client.end());
}

#[test]
fn hints_say_which_values_a_variable_can_have() {
    let (mut client, _) = Client::open(GAME);
    let hints = |client: &mut Client, first: u32, last: u32| {
        let range =
            json!({ "start": { "line": first, "character": 0 }, "end": { "line": last, "character": 0 } });
        let found =
            client.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
        let show = |hint: &Value| {
            let at = &hint["position"];
            format!("{}:{}{}", at["line"], at["character"], hint["label"].as_str().unwrap())
        };
        found.as_array().unwrap().iter().map(show).collect::<Vec<_>>()
    };
    let legal = ["11:13: white black", "11:22: 1 2", "15:13: white black"];
    let rest = ["18:18: 0 1", "26:12: white black", "29:12: white black"];
    assert_eq!(hints(&mut client, 0, 40), [&legal[..], &rest[..]].concat());
    assert_eq!(hints(&mut client, 12, 17), legal);
    client.change(
        2,
        &format!(
            "{GAME}(step 1 2) (step 2 3) (step 3 4) (step 4 5)\n(name a) (name b) (name (f 1)) (name d) (name e)\n\
             (<= (far ?x ?y ?x) (step ?x ?y))\n(<= (far ?x ?y ?z) (far ?x ?z ?y) (step ?z ?y) (not (step ?y 7)))\n\
             (<= (named ?x) (name ?x))\n(<= (either ?x) (or (role ?x) (far 1 2 ?x)))\n\
             (<= (none ?x) (role ?x) (name ?x))\n(<= (all ?x ?y) (none ?x) (name ?y))\n(<= (deep ?x) (name (f ?x)))\n"
        ),
    );
    assert_eq!(
        hints(&mut client, 36, 44),
        [
            "36:11: 1 .. 4",
            "36:14: 2 .. 5",
            "37:11: 1 .. 4",
            "37:14: 2 .. 4",
            "37:17: 2 .. 4",
            "38:13: a b d .. 5 in all",
            "39:14: 1 2 3 .. 6 in all",
            "40:12: nothing",
            "41:11: nothing",
            "41:14: a b d .. 5 in all",
            "42:12: 1",
        ]
    );
    // A rulesheet with errors has no hints.
    client.change(3, &format!("{GAME}(legal)\n"));
    assert_eq!(hints(&mut client, 0, 40), [""; 0]);
    assert!(client.end());
}

#[test]
fn names_are_found_where_they_are_given_and_used() {
    let (mut client, _) = Client::open(GAME);
    let mut found = |method: &str, line, column| {
        let mut params = at(line, column);
        params["context"] = json!({ "includeDeclaration": false });
        places(&client.ask(&format!("textDocument/{method}"), params))
    };
    // The requests are for a relation, a fluent, a move, a variable, a role and a keyword.
    assert_eq!(found("definition", 14, 6), ["8:1-8:6", "9:1-9:6", "10:1-10:6"]);
    assert_eq!(found("definition", 13, 12), ["3:7-3:11", "18:11-18:15"]);
    assert_eq!(found("definition", 20, 16), ["11:15-11:19"]);
    assert_eq!(found("definition", 14, 14), ["11:20-11:22"]);
    assert_eq!(found("definition", 22, 19), ["1:6-1:11"]);
    assert_eq!(found("definition", 16, 6), ["1:1-1:5", "2:1-2:5"]);
    assert_eq!(found("references", 8, 1), ["14:5-14:10", "21:5-21:10"]);
    assert_eq!(found("references", 3, 8), ["13:11-13:15", "19:11-19:15", "33:11-33:15"]);
    assert_eq!(found("definition", 5, 0), [""; 0]);
    assert_eq!(found("documentHighlight", 14, 14), ["11:20-11:22", "14:14-14:16"]);
    let kinds = client.at("textDocument/documentHighlight", (14, 14));
    assert_eq!((&kinds[0]["kind"], &kinds[1]["kind"]), (&json!(3), &json!(2)));
    assert!(client.end());
}

#[test]
fn names_are_changed_where_that_is_safe() {
    let (mut client, _) = Client::open(GAME);
    let mut rename = |line, column, new: &str| {
        let mut params = at(line, column);
        params["newName"] = json!(new);
        let answer = client.answer("textDocument/rename", params);
        match answer.get("error") {
            Some(error) => vec![format!("{}: {}", error["code"], error["message"].as_str().unwrap())],
            None => edits(&answer["result"]),
        }
    };
    let all = ["8:1-8:6: less", "9:1-9:6: less", "10:1-10:6: less", "14:5-14:10: less", "21:5-21:10: less"];
    assert_eq!(rename(8, 2, "less"), all);
    assert_eq!(rename(14, 14, "?count"), ["11:20-11:22: ?count", "14:14-14:16: ?count"]);
    assert_eq!(rename(15, 14, "pass"), ["15:14-15:18: pass"]);
    assert_eq!(rename(3, 8, "PILE").len(), 5);
    assert_eq!(rename(8, 2, "pile"), ["-32803: `pile` is taken"]);
    assert_eq!(rename(8, 2, "Noop"), ["-32803: `Noop` is taken"]);
    assert_eq!(rename(8, 2, "Legal"), ["-32803: `Legal` is a keyword"]);
    assert_eq!(rename(8, 2, "?x"), ["-32803: only names of variables start with `?`"]);
    assert_eq!(rename(8, 2, "a b"), ["-32803: `a b` is not a name: use letters, digits, `_`, `+` and `-`"]);
    assert_eq!(rename(14, 14, "?P"), ["-32803: `?P` is taken"]);
    assert_eq!(rename(14, 14, "n"), ["-32803: the name of a variable starts with `?`"]);
    assert_eq!(rename(12, 6, "holds"), ["-32803: `true` is a keyword"]);
    assert_eq!(rename(5, 0, "x"), ["-32803: there is no name here"]);
    let prepared = client.at("textDocument/prepareRename", (8, 2));
    assert_eq!((place(&prepared["range"]).as_str(), &prepared["placeholder"]), ("8:1-8:6", &json!("minus")));
    client.change(2, &format!("{GAME}(p\n"));
    let mut params = at(8, 2);
    params["newName"] = json!("less");
    assert_eq!(client.answer("textDocument/rename", params)["error"]["code"], -32803);
    assert!(client.end());
}

#[test]
fn what_is_begun_is_completed() {
    let (mut client, _) = Client::open(GAME);
    let mut version = 1;
    let mut propose = |written: &str| {
        version += 1;
        client.change(version, &format!("{GAME}{written}"));
        let line = 34 + written.matches('\n').count() as u32;
        let column = written.rsplit('\n').next().unwrap().len() as u32;
        client.at("textDocument/completion", (line, column))["items"].clone()
    };
    let texts = |items: &Value, name: &str| {
        let items = items.as_array().unwrap().iter();
        items
            .filter(|item| item["label"] == name)
            .map(|item| item["textEdit"]["newText"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let forms = propose("(");
    assert_eq!(texts(&forms, "next"), ["<= (next (${1:fluent}))\n    (true (${2:fluent}))"]);
    assert_eq!(texts(&forms, "input"), ["<= (input ${1:?role} ${2:noop})\n    (role ${1:?role})"]);
    assert_eq!(texts(&forms, "minus"), ["minus ${1:2} ${2:1} ${3:1}"]);
    let heads = propose("(<= (");
    assert_eq!(texts(&heads, "legal"), ["legal ${1:?role} ${2:noop}"]);
    assert_eq!(texts(&heads, "input"), ["input ${1:?role} ${2:noop}"]);
    assert_eq!(texts(&heads, "true"), [""; 0]);
    let literals = propose("(<= (next (pile ?new))\n    (tru");
    assert_eq!(texts(&literals, "true"), ["true (${1:fluent})"]);
    assert_eq!(texts(&literals, "next"), [""; 0]);
    let fluents = propose("(<= (next (pile ?new))\n    (true ");
    assert_eq!(names(&fluents), ["control", "pile", "?new"]);
    assert_eq!(texts(&fluents, "pile"), ["(pile ${1:2})"]);
    let moves = propose("(<= (next (pile ?new))\n    (does white (");
    assert_eq!(names(&moves), ["take"]);
    let terms = propose("(<= (next (pile ?new))\n    (minus ?ne");
    assert_eq!(names(&terms).last().unwrap(), "?new");
    assert_eq!(names(&propose("; (<= (")), [""; 0]);
    assert!(client.end());
}

#[test]
fn the_layout_is_that_of_fmt() {
    let (mut client, _) = Client::open(GAME);
    assert_eq!(
        client.ask(
            "textDocument/formatting",
            json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } })
        ),
        json!([])
    );
    client.change(2, "(role   red) ; é😀\n(init\n a)");
    let options =
        json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } });
    let found = client.ask("textDocument/formatting", options.clone());
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(
        (place(&found[0]["range"]).as_str(), &found[0]["newText"]),
        ("0:0-2:3", &json!("(role red) ; é😀\n(init a)\n"))
    );
    client.change(3, "(role red");
    assert_eq!(client.answer("textDocument/formatting", options)["error"]["code"], -32803);
    assert!(client.end());
}

#[test]
fn forms_and_comments_are_folded() {
    let (mut client, _) = Client::open(&format!("{GAME}(p) ; one\n; two\n"));
    let found = client.ask("textDocument/foldingRange", whole());
    let ranges: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|range| (range["startLine"].as_u64().unwrap(), range["endLine"].as_u64().unwrap()))
        .collect();
    let forms = [(11, 14), (15, 17), (18, 21), (22, 23), (24, 25), (26, 28), (29, 31), (32, 33)];
    assert_eq!(ranges, [&forms[..], &[(6, 7)]].concat());
    assert_eq!(found.as_array().unwrap().last().unwrap()["kind"], "comment");
    assert!(client.end());
}

#[test]
fn the_outline_has_relation_after_relation() {
    let (mut client, _) = Client::open(GAME);
    let found = client.ask("textDocument/documentSymbol", whole());
    assert_eq!(names(&found), ["role", "init", "minus", "legal", "next", "goal", "terminal"]);
    assert_eq!(
        names(&found[4]["children"]),
        ["(next (pile ?q))", "(next (control white))", "(next (control black))"]
    );
    assert_eq!((place(&found[3]["range"]).as_str(), &found[3]["detail"]), ("11:0-17:30", &json!("2 forms")));
    assert!(client.end());
}

#[test]
fn help_lines_are_done_by_the_editor() {
    let text = GAME
        .replace("(minus ?p ?n ?_q)", "(minsu ?p ?n ?q)")
        .replace("(minus 1 1 0)", "(minus 1 1 0) (minus 1 1 0)");
    let (mut client, _) = Client::open(&text);
    let mut ask = |range: Value, only: Value| {
        let mut context = json!({ "diagnostics": [] });
        if !only.is_null() {
            context["only"] = only;
        }
        client.ask(
            "textDocument/codeAction",
            json!({ "textDocument": { "uri": URI }, "range": range, "context": context }),
        )
    };
    let range = |line: u32, start: u32, end: u32| json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } });
    let found = ask(range(14, 6, 6), json!(["quickfix"]));
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["title"], "did you mean 'minus'?");
    assert_eq!(found[0]["diagnostics"][0]["code"], "GDL100");
    assert_eq!(edits(&found[0]["edit"]), ["14:5-14:10: minus"]);
    let found = ask(range(14, 17, 19), json!(["quickfix"]));
    assert_eq!(edits(&found[0]["edit"]), ["14:17-14:19: ?_q"]);
    let found = ask(range(10, 16, 16), json!(["quickfix"]));
    assert_eq!(edits(&found[0]["edit"]), ["10:14-10:27: "]);
    let found = ask(range(0, 0, 0), json!(["source"]));
    assert_eq!(found.as_array().unwrap().len(), 1);
    let fixed = found[0]["edit"]["changes"][URI][0]["newText"].as_str().unwrap();
    // Replacing a misspelt name is a guess, so this action does not do it.
    assert_eq!(
        fixed,
        text.replace("(minsu ?p ?n ?q)", "(minsu ?p ?n ?_q)").replace(" (minus 1 1 0)\n(<=", " \n(<=")
    );
    assert_eq!(ask(range(0, 0, 0), json!(["refactor"])), json!([]));
    assert!(client.end());
}
