// The dialog "Why?": it explains by the rules why an atom holds or does not hold, with the rule
// next to the explanation. A list shows the moves that are not legal now.
//
// No request is sent before the user asks. Questions are about the position shown. In an
// explanation a plus marks literals that hold, and a minus marks literals that do not hold. Each
// rule is named by its line; a click shows the rule.

import { bare, html } from "./dom.js";

// The first depth of an explanation in nested rules, which is also the increment, and the maximum
// depth.
const STEP = 3;
const DEEPEST = 20;

// Returns the start and end of the form that contains a place of a rulesheet.
function formAt(text, line, column) {
  let at = 0;
  for (let n = 1; n < line; n++) at = text.indexOf("\n", at) + 1;
  at += column - 1;
  let [depth, start] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (letter === ";") {
      const end = text.indexOf("\n", i);
      i = end < 0 ? text.length : end;
    } else if (letter === "(") {
      if (depth === 0) start = i;
      depth += 1;
    } else if (letter === ")") {
      depth -= 1;
      if (depth === 0 && start <= at && at <= i) return [start, i + 1];
    }
  }
  const end = text.indexOf("\n", at);
  return [at, end < 0 ? text.length : end];
}

export function mount(root, app) {
  let view = null;
  let asked = null;
  let rules = null;
  let trail = [];

  const button = (text, action, attributes = {}) => html("button", { type: "button", onclick: action, ...attributes }, text);

  // ---- Moves that are not legal -----------------------------------------------------------------

  const filter = html("input", { type: "search", placeholder: "find", "aria-label": "Find a move that is not legal", oninput: () => list() });
  const moves = html("ol", { id: "illegal-moves" });
  const illegal = html("details", { id: "illegal", ontoggle: () => list() },
    html("summary", {}, "Not legal now"), html("p", { class: "faint" }, "Click on a move to see why."), filter, moves);
  document.getElementById("legal").after(illegal);
  let listing = null;
  let listed = "";

  async function list() {
    if (!view || !illegal.open) return;
    const role = view.legal[0]?.role;
    const key = JSON.stringify([view.id, view.place, view.seat, role, filter.value]);
    if (key === listed) return;
    listing?.abort();
    const question = listing = new AbortController();
    try {
      const found = await app.api("GET", `/sessions/${view.id}/illegal?${query({ role, find: filter.value })}`, undefined, question.signal);
      listed = key;
      const items = found.moves.map((move) =>
        html("li", {}, button(bare(move), () => askAlone(`(legal ${found.role} ${move})`), { class: "grey", "data-move": move })));
      if (found.left_out) items.push(html("li", { class: "faint" }, `and ${found.left_out.toLocaleString("en")} more: find them by their text`));
      moves.replaceChildren(...(items.length ? items : [html("li", { class: "faint" }, "none")]));
    } catch (error) {
      if (error.name !== "AbortError") moves.replaceChildren(html("li", { class: "faint" }, error.message));
    }
  }

  // ---- The dialog -------------------------------------------------------------------------------

  const input = html("input", { id: "why-atom", spellcheck: false, autocapitalize: "none", autocomplete: "off", "aria-label": "The atom to explain",
    placeholder: "terminal · goal white 100 · legal white noop" });
  const back = button("Back", () => { trail.pop(); const last = trail.pop(); if (last) ask(last.atom, last.depth); }, { hidden: true });
  const form = html("form", { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) ask(input.value.trim()); } },
    back, input, html("button", {}, "Why?"));
  const choices = html("div", { class: "choices" });
  const reason = html("div", { class: "reason", "aria-live": "polite" });
  const sheet = html("pre", { class: "rules", tabindex: "0", "aria-label": "Rules", hidden: true });
  root.append(
    html("header", {}, html("h2", {}, "Why"), button("Close", () => root.close())),
    form, choices, html("div", { class: "sides" }, reason, sheet));
  document.getElementById("controls").append(button("Why?", () => open(), { title: "Explain any atom of the rules" }));
  root.addEventListener("click", (event) => { if (event.target === root) root.close(); });

  const query = (parts) => {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries({ ...parts, seat: view.seat })) {
      if (value !== null && value !== undefined && value !== "") query.set(key, value);
    }
    return query;
  };

  function open() {
    choices.replaceChildren();
    reason.replaceChildren(html("p", { class: "faint" }, "Ask about a move, a fluent, a goal, or any relation of the rules."));
    sheet.hidden = true;
    trail = [];
    back.hidden = true;
    if (!root.open) root.showModal();
    input.focus();
    input.select();
  }

  // Explains why an atom holds or does not hold in this position, with at most `depth` nested
  // rules.
  async function ask(atom, depth = STEP) {
    trail.push({ atom, depth });
    back.hidden = trail.length < 2;
    input.value = bare(atom);
    document.getElementById("notice").hidden = true;
    if (!root.open) root.showModal();
    asked?.abort();
    const question = asked = new AbortController();
    reason.replaceChildren(html("p", { class: "faint" }, "…"));
    try {
      const [{ why }, sheet] = await Promise.all([
        app.api("GET", `/sessions/${view.id}/why?${query({ atom, depth })}`, undefined, question.signal),
        rulesheet(),
      ]);
      if (asked !== question) return;
      reason.replaceChildren(html("p", { class: "asked" }, html("code", {}, why.atom), ` ${verdict(why)}`, ...remark(why)), ...parts(why));
      const first = why.by ?? why.attempts?.[0];
      if (first) show(first, sheet);
      else hide();
    } catch (error) {
      if (error.name === "AbortError" || asked !== question) return;
      reason.replaceChildren(html("p", {}, sentence(error)));
      hide();
    }
  }

  // Explains an atom that is shown on the page. The history of the dialog starts with this atom.
  function askAlone(atom) {
    choices.replaceChildren();
    trail = [];
    ask(atom);
  }

  const sentence = ({ message, help }) => (help ? `${message}: ${help}` : message);
  const verdict = ({ holds }) => (holds ? "holds" : "does not hold");

  // Asks about a cell: its content, and the illegal moves that name it.
  async function askCell(cell) {
    const name = view.board.names[cell];
    try {
      const role = view.legal[0]?.role;
      const found = await app.api("GET", `/sessions/${view.id}/illegal?${query({ role, cell })}`);
      const atoms = [...found.moves.map((move) => [`not ${bare(move)}`, `(legal ${found.role} ${move})`]),
        ...found.fluents.map((fluent) => [bare(fluent), `(true ${fluent})`])];
      trail = [];
      if (!atoms.length) return app.warn(`There is nothing to explain about ${name || "this cell"}.`);
      choices.replaceChildren(html("span", { class: "faint" }, name || "this cell"),
        ...atoms.map(([text, atom]) => button(text, () => ask(atom))));
      ask(atoms[0][1]);
    } catch (error) {
      app.warn(error.message);
    }
  }

  // ---- A reason ---------------------------------------------------------------------------------

  const place = (at) => button(`line ${at.line}`, () => rulesheet().then((text) => show(at, text)), { class: "place", title: "Show the rule" });

  // Returns the remark after an atom.
  function remark(why) {
    if (why.deeper) return trail.at(-1).depth < DEEPEST ? [" ", button("more", deeper, { class: "place", title: "Go deeper" })] : [": .."];
    if (why.given) return why.holds ? [] : [why.atom.startsWith("(true") ? ": it is not in the state" : ": it is not the move made"];
    if (why.by) return why.by.premises.length ? [" by ", place(why.by)] : [": a fact, ", place(why.by)];
    return why.attempts?.length ? [] : [": no rule can give it"];
  }

  // Asks the last question again with a greater depth. The whole question is asked again, since a
  // premise may be about the previous position.
  function deeper() {
    const { atom, depth } = trail.pop();
    ask(atom, Math.min(depth + STEP, DEEPEST));
  }

  // Returns the premises of an atom, or the rules that fail to derive it.
  function parts(why) {
    if (why.by?.premises.length) return [html("ul", {}, ...why.by.premises.map((premise) => literal(premise, true)))];
    if (!why.attempts?.length) return [];
    return [html("ul", {}, ...why.attempts.map((attempt) =>
      html("li", { class: "rule" }, place(attempt), html("span", { class: "faint" }, " does not give it:"),
        html("ul", {}, ...attempt.held.map((text) => html("li", { class: "held" }, sign(true), html("code", {}, text))), literal(attempt.fails, false)))))];
  }

  const sign = (holds) => html("span", { class: "sign" }, holds ? "+" : "−", html("span", { class: "visually-hidden" }, holds ? " holds: " : " does not hold: "));

  // Returns a literal that holds or fails. For `(not X)` the explained atom is X, which is
  // explained only if it holds.
  function literal({ text, why }, holds) {
    const item = html("li", { class: holds ? "held" : "fails" }, sign(holds), html("code", {}, text));
    if (!why) {
      if (!holds && text.includes("?")) item.append(": nothing fits");
      return item;
    }
    if (why.holds === holds) item.append(...remark(why));
    else if (why.holds) item.append(": ", html("code", {}, why.atom), " holds", ...remark(why));
    if (why.holds || !holds) item.append(...parts(why));
    return item;
  }

  // ---- The rules --------------------------------------------------------------------------------

  async function rulesheet() {
    if (rules?.id !== view.id) rules = { id: view.id, text: app.api("GET", `/sessions/${view.id}/rulesheet`).then(({ text }) => text) };
    return rules.text;
  }

  function show({ line, column }, text) {
    const [start, end] = formAt(text, line, column);
    const mark = html("mark", {}, text.slice(start, end));
    sheet.replaceChildren(text.slice(0, start), mark, text.slice(end));
    sheet.hidden = false;
    sheet.dataset.line = line;
    sheet.scrollTop = Math.max(0, mark.offsetTop - sheet.clientHeight / 3);
  }

  function hide() {
    sheet.hidden = true;
  }

  // A question mark asks about the cell that has the focus.
  document.getElementById("board").addEventListener("keydown", (event) => {
    const cell = event.target.dataset?.cell;
    if (event.key === "?" && cell !== undefined) askCell(Number(cell));
  });
  app.on("ask", askAlone);
  app.on("ask-cell", askCell);
  app.on("open", () => { rules = null; listed = ""; filter.value = ""; });
  app.on("close", () => { view = null; if (root.open) root.close(); });
  app.on("view", (next) => {
    view = next;
    // A terminal position has no moves; while no seat is shown, no moves are listed.
    illegal.hidden = next.terminal || next.closed;
    list();
  });
}
