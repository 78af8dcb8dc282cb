// The box for a rulesheet: the server checks text that is typed, pasted or dropped, and each fault
// is shown at its place.
//
// Underlines and colours are in a layer below the text, which scrolls with it. Only the response to
// the last request counts: typing cancels a running request, and the server stops working on it.

import { paint, syntax } from "./colours.js";
import { html } from "./dom.js";

const PAUSE = 250;
const MOST_BYTES = 1 << 20;
const SHOWN = 200;

const EXAMPLE = `; A game for one: switch the lamp on within three steps.
(role you)
(init (step 1))
(init off)
(after 1 2) (after 2 3) (after 3 4)
(legal you press)
(legal you wait)
(<= (next on) (does you press) (true off))
(<= (next off) (does you press) (true on))
(<= (next on) (does you wait) (true on))
(<= (next off) (does you wait) (true off))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= terminal (true on))
(<= terminal (true (step 4)))
(<= (goal you 100) (true on))
(<= (goal you 0) (true off))
`;

export function mount(root, app) {
  const text = html("textarea", {
    id: "rulesheet",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    rows: "14",
    "aria-label": "Rulesheet",
    "aria-describedby": "rulesheet-verdict",
    placeholder: "Paste, type or drop a rulesheet here: (role x) (init ..) ..",
  });
  const layer = html("pre", { class: "layer", "aria-hidden": "true" });
  const numbers = html("pre", { class: "numbers", "aria-hidden": "true" });
  const verdict = html("p", { id: "rulesheet-verdict", class: "verdict", role: "status" });
  const faults = html("ol", { class: "faults", "aria-label": "Faults" });
  const play = html("button", { type: "button", class: "primary", id: "rulesheet-play", disabled: true }, "Play it");
  const file = html("input", { type: "file", accept: ".kif,.gdl,.txt", hidden: true, "aria-label": "A rulesheet's file" });
  const pick = html("button", { type: "button" }, "Open a file");
  const example = html("button", { type: "button" }, "Show an example");
  const frame = html("div", { class: `frame${globalThis.CSS?.highlights ? " coloured" : ""}` }, numbers, html("div", { class: "sheet" }, layer, text));
  const section = html("section", { class: "editor", "aria-labelledby": "editor-title" });
  root.append(section);
  new ResizeObserver(() => colour()).observe(frame);
  section.append(
    html("h2", { id: "editor-title" }, "Or play your own"),
    html(
      "p",
      { class: "faint" },
      "A rulesheet in the Game Description Language. Errors are shown while you type; F8 goes to the next one.",
    ),
    frame,
    html("div", { class: "row" }, play, pick, example, file),
    verdict,
    faults,
  );

  const more = html("div", { class: "row", id: "rulesheet-more", hidden: true });
  faults.before(more);

  let name = "rulesheet";
  let asked = null;
  let timer = 0;
  let spots = [];

  const changed = () => {
    clearTimeout(timer);
    asked?.abort();
    asked = null;
    more.hidden = true;
    play.disabled = true;
    keep();
    draw(text.value, []);
    if (text.value.trim() === "") {
      show(null);
      return;
    }
    frame.classList.add("waiting");
    timer = setTimeout(check, PAUSE);
  };

  const check = async () => {
    const question = new AbortController();
    asked = question;
    const asking = text.value;
    try {
      const answer = await app.api("POST", "/check", { text: asking }, question.signal);
      if (asked !== question) return;
      show(answer);
      if (answer.excess) await wait(question);
    } catch (problem) {
      if (asked !== question || problem.name === "AbortError") return;
      show(null);
      if (problem.code === "too_many") return void wait(question);
      verdict.textContent = problem.message;
    }
  };

  // A rulesheet that exceeds the limits of a quick check gets larger limits while its text stays
  // the same and the user does not cancel. Meanwhile it can be played state by state.
  const wait = async (question) => {
    const asking = text.value;
    const own = new AbortController();
    question.signal.addEventListener("abort", () => own.abort());
    const sign = html("span", {}, "This rulesheet takes a while …");
    const stop = html("button", { type: "button", onclick: () => own.abort() }, "Cancel");
    const again = html("button", { type: "button", onclick: () => wait(question) }, "Give it more time");
    let played = null;
    const now = html("button", { type: "button", onclick: async () => {
      await begin({ lifted: true });
      played = app.session?.id ?? null;
    } }, "Play it now, state by state");
    more.replaceChildren(sign, stop, now);
    more.hidden = false;
    const followed = app.follow((words) => { sign.textContent = `This rulesheet takes a while: ${words}`; });
    try {
      const answer = await app.api("POST", "/check", { text: asking, patient: true, ticket: followed.ticket }, own.signal);
      if (asked !== question) return;
      more.hidden = true;
      show(answer);
      // A match that is played state by state continues with the net once the net is compiled.
      if (answer.sound && answer.summary.gates !== null && played && app.session?.id === played) {
        const saved = await app.api("GET", `/sessions/${played}/record`);
        await app.start(app.requestOf(saved));
        app.warn("The net is ready: the match continues faster.");
      }
    } catch (problem) {
      if (asked !== question) return;
      sign.textContent = problem.name === "AbortError" ? "This rulesheet takes more than a quick look." : problem.message;
      more.replaceChildren(sign, again, now);
    } finally {
      followed.end();
    }
  };

  // Stores the text, so that it survives a reload of the page.
  const keep = () => {
    try {
      sessionStorage.setItem("gdl.rulesheet", JSON.stringify({ name, text: text.value }));
    } catch {
      // The storage is full or not available.
    }
  };
  const begin = async (how = {}) => {
    play.disabled = true;
    try {
      await app.start({ rulesheet: text.value, name, ...how });
    } catch (problem) {
      verdict.textContent = problem.message;
    } finally {
      play.disabled = false;
    }
  };

  const show = (answer) => {
    frame.classList.remove("waiting");
    const list = answer?.diagnostics ?? [];
    const places = starts(text.value);
    spots = list.map((fault) => ({ ...span(text.value, places, fault), fault }));
    draw(text.value, spots);
    play.disabled = !answer?.sound;
    text.setAttribute("aria-invalid", String(Boolean(answer && !answer.sound)));
    verdict.className = `verdict ${answer ? (answer.sound ? "sound" : "faulty") : ""}`;
    verdict.textContent = answer ? words(answer) : "";
    faults.replaceChildren(...spots.slice(0, SHOWN).map((spot, number) => entry(spot, () => go(number))));
  };

  // Draws the text with its faults marked, and the line numbers.
  const draw = (whole, marked) => {
    const pieces = [];
    let done = 0;
    for (const { start, end, fault } of [...marked].sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (start < done) continue;
      pieces.push(whole.slice(done, start), html("mark", { class: fault.severity }, whole.slice(start, end) || " "));
      done = end;
    }
    layer.replaceChildren(...pieces, `${whole.slice(done)}\n`);
    const worst = new Map();
    for (const { fault } of marked) {
      if (worst.get(fault.line) !== "error") worst.set(fault.line, fault.severity);
    }
    [places, written] = [starts(whole), syntax(whole)];
    // Most keys do not change the line numbers.
    const counted = JSON.stringify([places.length, [...worst]]);
    if (numbers.dataset.counted !== counted) {
      numbers.dataset.counted = counted;
      const lines = [];
      let plain = "";
      for (let line = 1; line <= places.length; line++) {
        const severity = worst.get(line);
        if (severity) {
          lines.push(plain, html("b", { class: severity }, String(line)));
          plain = "\n";
        } else plain += `${line}\n`;
      }
      numbers.replaceChildren(...lines, plain);
    }
    scroll();
  };

  const scroll = () => {
    layer.scrollTop = numbers.scrollTop = text.scrollTop;
    layer.scrollLeft = text.scrollLeft;
    colour();
  };

  // Colours the visible text, once for each frame.
  let places = [0];
  let written = "kif";
  let waits = 0;
  const colour = () => {
    waits ||= requestAnimationFrame(() => {
      waits = 0;
      const height = parseFloat(getComputedStyle(text).lineHeight) || 20;
      const from = Math.max(0, Math.floor(text.scrollTop / height) - 2);
      paint(layer, text.value, written, places, from, from + Math.ceil(text.clientHeight / height) + 4);
    });
  };

  const go = (number) => {
    const spot = spots[number];
    if (!spot) return;
    text.focus();
    text.setSelectionRange(spot.start, spot.end);
    const height = parseFloat(getComputedStyle(text).lineHeight);
    text.scrollTop = Math.max(0, (spot.fault.line - 4) * height);
    scroll();
    app.say(sentence(spot.fault));
  };

  const take = async (given) => {
    if (!given) return;
    if (given.size > MOST_BYTES) {
      show(null);
      verdict.textContent = `${given.name} is larger than a rulesheet may be (1 MiB)`;
      return;
    }
    name = given.name.replace(/\.[^.]*$/, "") || "rulesheet";
    text.value = await given.text();
    changed();
    text.focus();
  };

  // Puts a rulesheet into the box and shows it.
  app.edit = (title, rules) => {
    location.hash = "";
    app.close();
    name = title;
    text.value = rules;
    changed();
    text.focus();
    text.setSelectionRange(0, 0);
    text.scrollTop = 0;
    section.scrollIntoView();
  };

  text.addEventListener("input", changed);
  text.addEventListener("scroll", scroll, { passive: true });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "F8" || spots.length === 0) return;
    event.preventDefault();
    const at = text.selectionStart;
    const order = spots.map((_, number) => number);
    if (event.shiftKey) go(order.reverse().find((number) => spots[number].start < at) ?? order[0]);
    else go(order.find((number) => spots[number].start > at) ?? order[0]);
  });
  frame.addEventListener("dragover", (event) => {
    event.preventDefault();
    frame.classList.add("over");
  });
  frame.addEventListener("dragleave", () => frame.classList.remove("over"));
  frame.addEventListener("drop", (event) => {
    frame.classList.remove("over");
    const [given] = event.dataTransfer.files;
    if (!given) return; // The browser inserts dropped text.
    event.preventDefault();
    take(given);
  });
  pick.addEventListener("click", () => file.click());
  file.addEventListener("change", () => take(file.files[0]));
  example.addEventListener("click", () => app.edit("lamp", EXAMPLE));
  play.addEventListener("click", () => begin());
  draw("", []);
  try {
    const old = JSON.parse(sessionStorage.getItem("gdl.rulesheet"));
    if (old?.text) {
      [name, text.value] = [old.name, old.text];
      changed();
    }
  } catch {
    // Nothing was stored.
  }
}

// Returns the offset of the start of each line.
function starts(whole) {
  const places = [0];
  for (let at = whole.indexOf("\n"); at >= 0; at = whole.indexOf("\n", at + 1)) places.push(at + 1);
  return places;
}

// Returns the offset of a place in the text. Lines and columns count from 1. Columns are
// characters, which may have two code units in JavaScript.
function place(whole, places, line, column) {
  if (line > places.length) return whole.length;
  let at = places[line - 1];
  const end = line < places.length ? places[line] - 1 : whole.length;
  for (let left = column - 1; left > 0 && at < end; left--) at += whole.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

function span(whole, places, fault) {
  const start = place(whole, places, fault.line, fault.column);
  const end = place(whole, places, fault.end_line, fault.end_column);
  return { start, end: Math.min(whole.length, Math.max(end, start + 1)) };
}

function counted(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

function words({ errors, warnings, sound, summary }) {
  const found = [];
  if (errors > 0) found.push(counted(errors, "error"));
  if (warnings > 0) found.push(counted(warnings, "warning"));
  const faults = found.join(", ") || "no faults";
  if (!sound) return faults;
  const { roles, fluents, moves, gates } = summary;
  const net = gates === null ? "evaluated state by state" : counted(gates, "gate");
  return `${faults}; ${roles.join(", ")}: ${counted(fluents, "fluent")}, ${counted(moves, "move")}, ${net}`;
}

function sentence(fault) {
  return `line ${fault.line}, ${fault.severity}: ${fault.message}`;
}

function entry({ fault }, go) {
  const button = html(
    "button",
    { type: "button", class: `fault ${fault.severity}` },
    html("span", { class: "where" }, `${fault.line}:${fault.column}`),
    " ",
    html("span", { class: "what" }, `${fault.severity} ${fault.code}`),
    " ",
    html("span", { class: "message" }, fault.message),
    ...[fault.note, fault.help && `help: ${fault.help}`]
      .filter(Boolean)
      .map((text) => html("span", { class: "more" }, text)),
  );
  button.addEventListener("click", go);
  return html("li", {}, button);
}
