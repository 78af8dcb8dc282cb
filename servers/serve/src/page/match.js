// A watched match: its board at a step, its moves, the players and their faults. While the match
// runs, new steps are loaded, and the board shows the last step unless the user has stepped back.

import * as board from "./board.js";
import { html } from "./dom.js";

const FAULTS = { TO: "late", CE: "missing" };

// Returns a fault in words.
const fault = (error) => FAULTS[error] ?? error.replace(/^IL ?/, "illegal: ");

// The milliseconds between two requests for changes. After a slow response the pause is five times
// as long as the response took.
const PAUSE = 1000;

// Calls `look` repeatedly until it returns false, the match or the results do not exist, or
// `signal` is aborted.
export async function repeat(app, signal, look) {
  while (!signal.aborted) {
    const start = performance.now();
    try {
      if (!(await look())) return;
    } catch (error) {
      if (signal.aborted) return;
      app.warn(error.message);
      if (["no_match", "no_results"].includes(error.code)) return;
    }
    await new Promise((done) => setTimeout(done, Math.max(PAUSE, 5 * (performance.now() - start))));
  }
}

// Returns a time in the user's locale.
export const moment = (milliseconds) => new Date(milliseconds).toLocaleString();

export function mount(root, app) {
  let about = null;
  let steps = [];
  let at = 0;
  let follows = true;
  let control = null;

  // The board takes no moves, since its `app` has no `change`.
  const listeners = { open: [], view: [], advice: [] };
  const stage = html("div", { id: "stage" });
  board.mount(stage, { on: (event, listener) => listeners[event].push(listener) });
  let boarded = null;

  const button = (text, action, attributes) => html("button", { type: "button", onclick: action, ...attributes }, text);
  const back = html("a", { href: "#results" }, "all matches");
  const title = html("h2", { id: "match-title" });
  const status = html("p", { id: "match-status" });
  const first = button("First", () => go(0), { title: "Home" });
  const before = button("Back", () => go(at - 1), { title: "Left arrow" });
  const next = button("Next", () => go(at + 1), { title: "Right arrow" });
  const last = button("Last", () => go(steps.length - 1), { title: "End" });
  const where = html("span", { id: "step", class: "faint" });
  const controls = html("div", { class: "row", role: "group", "aria-label": "Steps of the match" }, first, before, next, last, where);
  const seats = html("tbody");
  const roles = html("table", { id: "roles", "aria-label": "Players" },
    html("thead", {}, html("tr", {}, ...["role", "player", "goal", "faults"].map((name) => html("th", { scope: "col" }, name)))), seats);
  const here = html("ul", { id: "faults", "aria-label": "Faults in this step" });
  const made = html("ol", { id: "steps", start: "0", "aria-label": "Moves" });
  const fluents = html("dl", { id: "holds" });
  const facts = html("section", {}, html("h2", {}, "Also holds"), fluents);
  const note = html("p", { id: "undrawn", class: "faint", hidden: true });
  root.append(html("p", {}, back), title, status, html("div", { class: "match" },
    html("div", {}, stage, note, controls, here),
    html("div", { class: "beside" }, html("section", {}, html("h2", {}, "Players"), roles), html("section", {}, html("h2", {}, "Moves"), made), facts)));

  // ---- What there is ----------------------------------------------------------------------------

  // Loads all new steps. Returns true while more will come.
  async function look(number, signal) {
    for (;;) {
      const told = await app.api("GET", `/results/matches/${number}?from=${steps.length}`, undefined, signal);
      if (signal.aborted) return false;
      // The match was restarted: the loaded steps are outdated.
      if (about && about.id !== told.id) {
        [about, steps, at, follows, boarded] = [told, [], 0, true, null];
        made.replaceChildren();
        continue;
      }
      about = told;
      for (const step of told.steps) add(step);
      showAbout();
      if (told.last === null || steps.length > told.last || !told.steps.length) break;
    }
    if (follows && steps.length) go(steps.length - 1);
    else showPlace();
    return about.state !== "done";
  }

  function add(step) {
    const number = steps.push(step) - 1;
    const wrong = step.errors.some(Boolean);
    made.append(html("li", {}, button(number ? step.text : "start", () => go(number), { class: wrong ? "wrong" : undefined }),
      ...(wrong ? [html("span", { class: "fault-count", title: wrongs(step).join("; ") }, "!"), html("span", { class: "visually-hidden" }, wrongs(step).join("; "))] : [])));
  }

  const wrongs = (step) => step.errors.flatMap((error, role) => {
    if (!error) return [];
    // The message of an illegal answer contains that answer.
    const words = step.notes[role] && error in FAULTS ? `${fault(error)} (${step.notes[role]})` : fault(error);
    return [`${about.seats[role].role}: ${words}`];
  });

  function showAbout() {
    title.textContent = `Match ${about.number}: ${about.game}`;
    const times = about.started === null ? "" : about.ended === null ? `, began ${moment(about.started)}`
      : `, ${moment(about.started)}, ${((about.ended - about.started) / 1000).toFixed(1)} s`;
    const ending = about.ending && about.ending !== "terminal" ? ` (${about.ending})` : "";
    status.textContent = `${about.state}${ending}${times}`;
    status.dataset.state = about.state;
    seats.replaceChildren(...about.seats.map(({ role, player, goal, illegal, late, missing }) => html("tr", {},
      html("th", { scope: "row" }, role),
      html("td", {}, player ?? "chance"),
      html("td", {}, goal === null ? "–" : String(goal)),
      html("td", {}, [[illegal, "illegal"], [late, "late"], [missing, "missing"]].filter(([number]) => number)
        .map(([number, name]) => `${number} ${name}`).join(", ") || "–"))));
  }

  // ---- Where one looks --------------------------------------------------------------------------

  function go(step) {
    if (!steps.length) return;
    const to = Math.max(0, Math.min(steps.length - 1, step));
    const moved = to !== at || !boarded;
    at = to;
    follows = at === steps.length - 1;
    showPlace();
    if (moved) {
      app.say([at ? steps[at].text : "start", ...wrongs(steps[at])].join("; "));
      draw();
    }
  }

  function showPlace() {
    const end = steps.length - 1;
    [first.disabled, before.disabled] = [at <= 0, at <= 0];
    [next.disabled, last.disabled] = [at >= end, at >= end];
    const lag = at > 0 ? `, after ${((steps[at].time - steps[at - 1].time) / 1000).toFixed(1)} s` : "";
    where.textContent = end < 0 ? "not begun" : `step ${at} of ${end}${lag}${about.state === "running" && follows ? ", live" : ""}`;
    const shown = made.children[at]?.querySelector("button");
    const old = made.querySelector("[aria-current]");
    if (shown && shown !== old) {
      old?.removeAttribute("aria-current");
      shown.setAttribute("aria-current", "step");
      made.scrollTop = Math.max(0, shown.offsetTop - made.clientHeight / 2);
    }
    here.replaceChildren(...(steps[at] ? wrongs(steps[at]) : []).map((text) => html("li", {}, text)));
  }

  // ---- The board --------------------------------------------------------------------------------

  let drawing = false;

  // Draws the current step. Requests run one after the other, and steps that the user has left are
  // skipped.
  async function draw() {
    if (drawing) return;
    drawing = true;
    const { signal } = control;
    try {
      let drawn = null;
      while (!signal.aborted && steps[at] && drawn !== steps[at]) {
        drawn = steps[at];
        show(await app.api("GET", `/results/matches/${about.number}/position?step=${at}`, undefined, signal));
      }
    } catch (error) {
      if (!signal.aborted) undrawn(error.message);
    } finally {
      drawing = false;
    }
    // Another match may have been opened meanwhile.
    if (signal.aborted && control && control.signal !== signal) draw();
  }

  function show(position) {
    note.hidden = true;
    const view = { board: position.board, legal: [], line: [{ cells: position.cells }], place: at };
    const shape = JSON.stringify(position.board && { ...position.board, cells: null });
    if (boarded !== shape) {
      boarded = shape;
      for (const listener of listeners.open) listener(view);
    }
    for (const listener of listeners.view) listener(view);
    facts.hidden = !position.fluents.length;
    fluents.replaceChildren(...position.fluents.flatMap(({ relation, values }) =>
      [html("dt", {}, relation), ...(values.length ? values : ["holds"]).map((value) => html("dd", {}, value))]));
    if (position.fluents_left_out) fluents.append(html("dt", { class: "faint" }, `and ${position.fluents_left_out.toLocaleString("en")} more`));
  }

  // Shows the state as text if the game cannot be drawn.
  function undrawn(why) {
    boarded = "none";
    note.hidden = false;
    note.textContent = `This position cannot be drawn: ${why}. ${steps[at]?.state ?? ""}`;
    stage.replaceChildren();
    facts.hidden = true;
  }

  document.addEventListener("keydown", (event) => {
    if (!control || event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });

  return {
    async open(number) {
      control?.abort();
      const { signal } = (control = new AbortController());
      [about, steps, at, follows, boarded] = [null, [], 0, true, null];
      made.replaceChildren();
      stage.replaceChildren();
      fluents.replaceChildren();
      here.replaceChildren();
      facts.hidden = note.hidden = true;
      title.textContent = `Match ${number}`;
      status.textContent = where.textContent = "";
      await repeat(app, signal, () => look(number, signal));
    },
    leave() {
      control?.abort();
      control = null;
    },
  };
}
