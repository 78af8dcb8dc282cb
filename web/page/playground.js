// The playground: a chooser, the box for a rulesheet and one game at a time, all answered by
// workers of this page.
//
// The modules in `page` are those of `gdl serve`. They make requests through `api`, which answers
// them here.

import { Ended, Gdl, Refused } from "./package/index.js";
import * as board from "./page/board.js";
import { bare, html } from "./page/dom.js";
import * as editor from "./page/editor.js";
import { pack, unpack } from "./page/link.js";
import * as why from "./page/why.js";
import { save } from "./saved.js";

// Checks and searches have a worker each, so neither waits for the other.
const [checker, player] = [new Gdl(), new Gdl()];
const PLAYERS = { you: "you", random: "random moves", "mcts:seed=1": "computer, 1 s", best: "best player, 1 s" };
// The seconds for a move and for random games, and the milliseconds after which a cancelled check
// is stopped.
const [THINKS, PLAYS, LATE] = [1, 1, 1000];
// The maximum number of steps of a random game, and of steps between two choices of people.
const MOST_STEPS = 1000;
// The maximum number of workers for random games; each takes the memory of an instance.
const MOST_WORKERS = 8;

const byId = (id) => document.getElementById(id);
const listeners = new Map();
const button = (text, action, attributes = {}) => html("button", { type: "button", onclick: action, ...attributes }, text);
const titled = (name) => name.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());

// The match: the game, a path of states with the joint moves that led there, the place on the path,
// the player of each role, and the moves chosen so far.
let match = null;
let count = 0;

const app = {
  session: null,
  on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
  emit: (event, value) => (listeners.get(event) ?? []).forEach((listener) => listener(value)),
  say: (text) => { byId("live").textContent = text; },

  warn(text, more) {
    byId("notice").replaceChildren(text, ...(more ? [more] : []));
    byId("notice").hidden = false;
    clearTimeout(app.warning);
    app.warning = setTimeout(() => { byId("notice").hidden = true; }, 5000);
  },

  async api(method, path, body, signal) {
    const { pathname, searchParams: asked } = new URL(path, "http://page");
    const what = pathname.split("/").at(-1);
    if (what === "check") return check(body, signal);
    const here = match.path[match.at];
    if (what === "rulesheet") return { text: match.text };
    if (what === "why") {
      const before = match.at ? { state: match.path[match.at - 1].state, moves: here.moves } : undefined;
      return { why: await match.game.why(here.state, asked.get("atom"), { before, depth: Number(asked.get("depth")), signal }) };
    }
    if (what === "illegal") {
      const cell = asked.has("cell") ? Number(asked.get("cell")) : undefined;
      return match.game.illegal(here.state, asked.get("role") ?? match.game.roles[0], { find: asked.get("find") ?? "", cell, signal });
    }
    throw new Error(`no request ${path}`);
  },

  // The progress of a compilation is unknown, since the worker does not answer while it compiles.
  follow: () => ({ ticket: null, end: () => {} }),

  async change(_path, { role, move, place }) {
    if (place !== match.at || app.session.terminal) return;
    match.chosen.set(role, move);
    await settle();
  },

  async start({ game: name, rulesheet, name: title, seats = {}, position, moves = [] }) {
    const patient = Boolean(rulesheet);
    const game = await player.load(rulesheet ? { name: title, text: rulesheet, patient } : name);
    const text = rulesheet ?? (await player.rulesheet(name));
    const start = await game.position(position);
    leave();
    match = { id: String(++count), name: title ?? name, own: patient, game, text, path: [start], at: 0, seats: new Map(), chosen: new Map(), turn: null };
    game.roles.forEach((role, number) => {
      match.seats.set(role, number === game.chance ? "random" : seats[role] in PLAYERS ? seats[role] : "you");
    });
    for (const joint of moves) await step(joint);
    location.hash.startsWith("#at=") || history.pushState(null, "", "#game");
    await settle();
    byId("status").focus();
  },

  close() {
    leave();
    document.title = "gdl playground";
    byId("name").textContent = "";
    byId("status").textContent = "";
    byId("game").hidden = true;
    byId("chooser").hidden = false;
    app.emit("close");
  },
};

// Cancels the searches of the current match and drops the match.
function leave() {
  match?.turn?.abort();
  match?.game.unload();
  match = app.session = null;
}

async function check({ text, patient }, signal) {
  let runs = true;
  signal?.addEventListener("abort", () => setTimeout(() => runs && checker.stop(), LATE));
  try {
    return await checker.check(text, { patient });
  } catch (error) {
    if (error instanceof Ended) error.message = "this rulesheet exceeds the limits of the page";
    throw error;
  } finally {
    runs = false;
  }
}

async function step(joint) {
  const { path, at, game } = match;
  const next = await game.apply(path[at].state, joint);
  path.splice(at + 1, Infinity, { ...next, moves: joint });
  match.at += 1;
  match.chosen.clear();
}

// Chooses moves for computer players, chance and roles without a choice, and makes steps, until a
// person has to choose.
async function settle() {
  match.turn?.abort();
  const { signal } = (match.turn = new AbortController());
  const current = match;
  try {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const here = match.path[match.at];
      if (here.terminal || here.legal.some((moves) => !moves.length)) break;
      const { roles } = match.game;
      roles.forEach((role, number) => here.legal[number].length === 1 && match.chosen.set(role, here.legal[number][0]));
      await show();
      if (signal.aborted || match !== current) return;
      const waiting = roles.filter((role) => !match.chosen.has(role));
      for (const role of waiting.filter((role) => match.seats.get(role) !== "you")) {
        byId("status").textContent = `${role} thinks …`;
        const line = match.path.slice(1, match.at + 1).map(({ moves }) => moves);
        const seed = match.at;
        const { move } = await match.game.choose(role, { player: match.seats.get(role), start: match.path[0].state, moves: line, seconds: THINKS, seed, signal });
        if (signal.aborted || match !== current) return;
        match.chosen.set(role, move);
      }
      if (roles.some((role) => !match.chosen.has(role))) break;
      await step(roles.map((role) => match.chosen.get(role)));
      if (signal.aborted || match !== current) return;
    }
    await show();
  } catch (error) {
    if (!signal.aborted) app.warn(error.message);
  }
}

// ---- The match as it is shown -------------------------------------------------------------------

const words = (joint, roles) => joint.flatMap((move, number) => (move === "noop" ? [] : [`${roles[number]} ${bare(move)}`])).join(", ") || joint.join(", ");

async function show() {
  const { game, path, at, seats, chosen, id } = match;
  const here = path[at];
  const before = at ? { state: path[at - 1].state, moves: here.moves } : undefined;
  const scene = await game.scene(here.state, { before });
  if (match?.id !== id) return;
  here.cells = scene.cells;
  const due = game.roles.filter((role) => !chosen.has(role) && !here.terminal);
  const stuck = game.roles.find((_, number) => !here.terminal && !here.legal[number].length);
  const status = here.terminal ? "Game over" : stuck ? `${stuck} has no legal move: the rules have an error` : due.length ? `${due.join(" and ")} to move` : "";
  const line = path.slice(1, at + 1).map(({ moves, cells }, number) => ({ joint: moves, cells: cells ?? [], text: words(moves, game.roles), place: number + 1 }));
  const own = game.roles.flatMap((role, number) => (due.includes(role) && seats.get(role) === "you" ? [{ role, moves: scene.moves[number] }] : []));
  const roles = game.roles.map((name, number) => ({ name, seat: number === game.chance ? "chance" : seats.get(name) }));
  const view = {
    id, place: at, version: ++count, game: { name: match.name, own: match.own, hides: game.hidden, roles },
    board: scene.board, fluents: scene.fluents, legal: own, terminal: here.terminal, goals: here.terminal ? here.goals : null,
    status, line, seat: null, closed: false, paused: false, trouble: null,
  };
  const other = app.session?.id !== id;
  app.session = view;
  document.title = `${titled(match.name)} · gdl`;
  byId("name").textContent = titled(match.name);
  byId("chooser").hidden = true;
  byId("game").hidden = false;
  if (other) app.emit("open", view);
  app.emit("view", view);
  panel(view);
}

function panel(view) {
  const { game, path, at } = match;
  byId("status").textContent = view.status;
  byId("status").classList.toggle("over", view.terminal);
  byId("goals").textContent = view.goals ? game.roles.map((role, number) => `${role} ${view.goals[number] ?? "–"}`).join(", ") : "";
  byId("seats").replaceChildren(...view.game.roles.map(({ name, seat }) => {
    if (seat === "chance") return html("div", { class: "seat" }, name, html("span", { class: "faint" }, "chance"));
    const choices = Object.entries(PLAYERS).map(([value, text]) => html("option", { value, selected: value === seat }, text));
    const select = html("select", { onchange: () => { match.seats.set(name, select.value); settle(); } }, ...choices);
    return html("div", { class: "seat" }, html("label", {}, name, select));
  }));
  const one = view.legal.length === 1;
  byId("legal").replaceChildren(...view.legal.flatMap(({ role, moves }) => moves.map(({ move }) =>
    html("li", {}, button(`${one ? "" : `${role} `}${bare(move)}`, () => app.change("", { role, move, place: at }), { "data-move": move })))));
  byId("moves").replaceChildren(...path.map((_, place) => html("li", {},
    button(place ? words(path[place].moves, game.roles) : "start", () => go(place), { "aria-current": place === at ? "true" : undefined, class: place > at ? "ahead" : "" }))));
  byId("fluents").replaceChildren(...view.fluents.flatMap(({ relation, values }) => [html("dt", {}, relation), html("dd", {}, values.join(", ") || "holds")]));
  byId("undo").disabled = at === 0;
  byId("link").hidden = true;
}

// Goes to a place of the path and gives all seats to people.
function go(place) {
  match.turn?.abort();
  match.at = place;
  match.chosen.clear();
  for (const [role, seat] of match.seats) if (seat !== "you" && role !== match.game.roles[match.game.chance]) match.seats.set(role, "you");
  return settle();
}

// Goes back to the last place at which a person had a choice. Computer players keep their seats.
async function undo() {
  match.turn?.abort();
  const own = (place) => match.game.roles.some((role, number) => match.seats.get(role) === "you" && match.path[place].legal[number].length > 1);
  let place = match.at - 1;
  while (place > 0 && !own(place)) place--;
  match.at = Math.max(0, place);
  match.chosen.clear();
  await settle();
}

async function finish() {
  match.turn?.abort();
  try {
    const { steps } = await match.game.walk({ state: match.path[match.at].state, steps: MOST_STEPS, seed: Math.floor(Math.random() * 2 ** 32) });
    const seats = [...match.seats];
    for (const { moves } of steps) await step(moves);
    match.seats = new Map(seats);
    await show();
  } catch (error) {
    app.warn(error.message);
  }
}

// Plays random games. If the graphics card does not play them, the processor does, with a note.
async function playouts({ card = false, note = "" } = {}) {
  const output = html("div", { id: "report", class: "faint" }, "playing …");
  byId("random").lastElementChild.replaceWith(output);
  try {
    const settings = card ? { engine: "gpu" } : { workers: Math.min(navigator.hardwareConcurrency || 1, MOST_WORKERS) };
    const { report, device } = await match.game.playouts({ seconds: PLAYS, seed: 1, ...settings });
    output.replaceChildren(note || device || "", html("pre", {}, report));
  } catch (error) {
    if (error.code) return playouts({ note: `${error.message}: the processor plays` });
    output.textContent = error.message;
  }
}

// Returns the match in the form of a link.
function packed() {
  const { name, own, text, game, path, at, seats } = match;
  const moves = path.slice(1, at + 1).map((place) => place.moves);
  const people = Object.fromEntries([...seats].filter(([role]) => role !== game.roles[game.chance]));
  return pack({ ...(own ? { name, rulesheet: text } : { game: name }), seats: people, moves });
}

async function link() {
  const field = byId("link");
  history.replaceState(null, "", `#at=${await packed()}`);
  field.value = location.href;
  field.hidden = false;
  field.select();
  await navigator.clipboard?.writeText(field.value).then(() => app.say("The link was copied."), () => {});
}

async function download() {
  try {
    const file = new Blob([await save(await packed())], { type: "text/html" });
    html("a", { href: URL.createObjectURL(file), download: `${match.name}.html` }).click();
  } catch (error) {
    app.warn(error.message);
  }
}

// ---- The chooser, and what the address asks for -------------------------------------------------

async function choose() {
  const note = html("p", { class: "faint" }, "Loading the compiler …");
  const groups = html("div", { id: "games" });
  byId("chooser").append(
    html("p", { class: "lead" }, "Choose a game, or write one. Its rules are compiled and played on this machine, and leave it only in a link that you share."), note, groups);
  editor.mount(byId("chooser"), app);
  try {
    const games = await player.list();
    const kinds = { board: "Board games", chance: "Chance, hidden and simultaneous moves", puzzles: "Puzzles" };
    groups.append(...Object.entries(kinds).map(([kind, title]) => html("section", { class: "group" }, html("h2", {}, title),
      html("ul", { class: "cards", "aria-label": title }, ...games.filter((game) => game.kind === kind).map(card)))));
    note.remove();
  } catch (error) {
    note.textContent = error.message;
  }
}

function card({ name, summary }) {
  const open = (seats) => app.start({ game: name, seats }).catch((error) => app.warn(error.message));
  const edit = async () => app.edit(name, await player.rulesheet(name));
  return html("li", {},
    html("button", { type: "button", class: "game", "data-game": name, onclick: () => open() },
      html("span", { class: "words" }, html("b", {}, titled(name)), html("span", { class: "faint" }, summary))),
    html("div", { class: "levels" }, button("Edit its rules", edit, { "aria-label": `Edit the rules of ${titled(name)}` })));
}

async function route() {
  const asked = new URLSearchParams(location.hash.slice(1));
  try {
    if (asked.get("at")) await app.start(await unpack(asked.get("at")).catch(() => { throw new Refused({ message: "this link is damaged" }); }));
    else if (asked.get("play")) await app.start({ game: asked.get("play") });
    else if (asked.has("game") && match) return;
    else app.close();
  } catch (error) {
    app.warn(error.message);
    app.close();
  }
}

byId("controls").append(
  button("Undo", undo, { id: "undo" }), button("Restart", () => go(0)), button("Random game to the end", finish, { id: "finish" }), button("Link", link, { id: "share" }),
  button("Save as one file", download, { id: "save" }));
byId("random").append(button(`Play for ${PLAYS} s`, () => playouts(), { id: "playouts" }), " ", button("On the graphics card", () => playouts({ card: true }), { id: "card" }), html("span", {}));
board.mount(byId("board"), app);
why.mount(byId("why"), app);
document.querySelector("header a").addEventListener("click", (event) => {
  event.preventDefault();
  history.pushState(null, "", "#");
  app.close();
});
addEventListener("popstate", route);
addEventListener("hashchange", route);
await choose();
await route();
