#!/usr/bin/env node
// Matches between pages of players, as Stanford's course has them, players over HTTP and random
// moves. The referee has the rules and the clocks.
//
// Each page runs in a worker, by its scripts, and with as much of a browser as messages need:
// `localStorage`, its event, and elements that hold text. Nothing is fetched.

import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runInThisContext } from "node:vm";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { parts, sentences, toEpilog, toKif } from "./epilog.js";
import { Module } from "./module.js";

const USAGE = `usage: gdl-arena RULESHEET PLAYER.. [options]

RULESHEET is a file, and each PLAYER
  FILE.html         a page that plays by localStorage (the rulesheet is in Epilog)
  http://HOST:PORT  a player over HTTP, such as \`gdl player\`
  random            random moves

options:
  --matches N       matches; players change roles after each (default 1)
  --start S         seconds to prepare (default 10)
  --play S          seconds for a move (default 10)
  --seed N          the seed of random moves (default 1)
  --scripts FOLDER  the folder of scripts that pages name (default: that of the page)
  --json            print each match as a line of JSON
`;
// The seconds in which a page has to load and answer `ping`.
const PING = 60;
// The most moves of a match, as in `gdl match`.
const MOST_MOVES = 10_000;

// ---- A page in a worker -------------------------------------------------------------------------

function host({ file, scripts }) {
  const page = readFileSync(file, "utf8");
  const port = parentPort;
  // As in a browser, an error ends a script or the handling of a message, but not the page.
  process.on("uncaughtException", (error) => console.error(`${file}: ${error.message}`));
  const run = (text, filename) => {
    try {
      runInThisContext(text, { filename });
    } catch (error) {
      console.error(`${filename}: ${error.message}`);
    }
  };
  const elements = new Map();
  const listeners = [];
  const element = (id) => elements.get(id) ?? elements.set(id, { value: "", textContent: "", innerHTML: "" }).get(id);
  const set = (_, key, value) => {
    port.postMessage({ key, value: String(value) });
    return true;
  };
  Object.assign(globalThis, {
    window: globalThis,
    document: { getElementById: element },
    localStorage: new Proxy({}, { set }),
    addEventListener: (name, listener) => name === "storage" && listeners.push(listener),
  });
  for (const [, attributes, text] of page.matchAll(/<script\b([^>]*)>([^]*?)<\/script>/gi)) {
    const source = /\bsrc\s*=\s*["']?([^"'\s>]+)/i.exec(attributes)?.[1];
    if (!source) run(text, file);
    else run(readFileSync(join(scripts, basename(source)), "utf8"), source);
  }
  const loaded = /<body\b[^>]*\bonload\s*=\s*(["'])([^]*?)\1/i.exec(page);
  if (loaded) run(loaded[2], file);
  port.on("message", (text) => {
    const [manager, player] = ["manager", "player"].map((name) => runInThisContext(name));
    const newValue = text.replace("MANAGER", manager).replace("PLAYER", player);
    listeners.forEach((listener) => listener({ key: player, newValue }));
  });
}

// ---- Players ------------------------------------------------------------------------------------

class Page {
  #number = 0;
  #waiting = new Map();

  constructor(file, scripts) {
    this.name = basename(file);
    this.worker = new Worker(new URL(import.meta.url), { workerData: { file, scripts: scripts ?? dirname(file) }, stdout: true });
    // What a page prints is dropped.
    this.worker.stdout.resume();
    this.worker.on("message", ({ value }) => {
      const [, number, , , told = ""] = parts(value);
      this.#waiting.get(Number(number))?.(told.replaceAll(/\s/g, ""));
    });
  }

  // Sends a message. Returns the answer, or null if there is none in time.
  async #ask(message, seconds) {
    const number = ++this.#number;
    const answered = new Promise((resolve) => this.#waiting.set(number, resolve));
    this.worker.postMessage(`message(${number},MANAGER,PLAYER,${message})`);
    return within(answered, seconds).finally(() => this.#waiting.delete(number));
  }

  async start({ role, sheet, clocks }) {
    if ((await this.#ask("ping()", PING)) !== "ready") throw new Error(`${this.name} does not answer`);
    return this.#ask(`start(${role},ruleset(${sheet.sentences}),${clocks})`, clocks[0]);
  }

  async play({ joint, legal, clocks }) {
    const moves = joint?.filter((move) => move !== "noop") ?? ["nil"];
    const answered = this.#ask(`play(${toEpilog(moves[0] ?? "noop")})`, clocks[1]);
    // Pages answer only if their role is in control.
    return legal.length > 1 || legal[0] !== "noop" ? answered.then((told) => told && toKif(told)) : "noop";
  }

  async stop({ joint }) {
    await this.#ask(`stop(${toEpilog(joint.find((move) => move !== "noop") ?? "noop")})`, 0);
  }

  end() {
    return this.worker.terminate();
  }
}

class Remote {
  constructor(address) {
    this.name = this.address = address;
  }

  async #ask(message, seconds) {
    // A second more is for the way.
    const signal = AbortSignal.timeout((seconds + 1) * 1000);
    const post = { method: "POST", headers: { "content-type": "text/acl" }, body: message, signal };
    return fetch(this.address, post).then((response) => response.text()).then((text) => text.trim(), () => null);
  }

  start({ id, role, sheet, clocks }) {
    this.sheet = sheet;
    return this.#ask(`(START ${id} ${sheet.sent(role)} (${sheet.kif}) ${clocks.join(" ")})`, clocks[0]);
  }

  async play({ id, joint, clocks }) {
    const made = joint ? `(${joint.map(this.sheet.sent).join(" ")})` : "NIL";
    const told = await this.#ask(`(PLAY ${id} ${made})`, clocks[1]);
    return told && this.sheet.received(told);
  }

  stop({ id, joint, clocks }) {
    return this.#ask(`(STOP ${id} (${joint.map(this.sheet.sent).join(" ")}))`, clocks[1]);
  }

  end() {}
}

class Random {
  name = "random";
  #draw;

  constructor(draw) {
    this.#draw = draw;
  }

  start() {
    return "ready";
  }

  play({ legal }) {
    return this.#draw(legal);
  }

  stop() {}
  end() {}
}

/** Returns the value of a promise, or null if it has none in time. */
function within(promise, seconds) {
  const control = new AbortController();
  const late = setTimeout(seconds * 1000, null, { signal: control.signal }).catch(() => null);
  return Promise.race([promise, late]).finally(() => control.abort());
}

// ---- The referee --------------------------------------------------------------------------------

// Returns a function that draws an item of a list, by the generator of Park and Miller.
function drawing(seed) {
  let state = (seed % 2147483646) + 1;
  return (list) => list[(state = (state * 48271) % 2147483647) % list.length];
}

// Returns a rulesheet as the players get it. KIF may need other names.
function sheetOf(module, text) {
  const { text: kif, renamed } = module.ask({ ask: "convert", text, to: "kif" });
  const rename = (pairs) => (written) => written.replace(/[^\s()]+/g, (word) => new Map(pairs).get(word) ?? word);
  return {
    sentences: sentences(text),
    kif: kif.replace(/;.*/g, ""),
    sent: rename(renamed),
    received: rename(renamed.map(([from, to]) => [to, from])),
  };
}

// Plays a match, with a player for each role. A missing or illegal move is a random one instead. A
// match that does not end is cut off.
async function play(module, { game, roles }, sheet, players, { id, clocks, draw }) {
  // The errors of each role: the number of moves made before, and the answer, null if it was late.
  const errors = roles.map(() => []);
  const prepared = await Promise.all(players.map((player, at) => player.start({ id, role: roles[at], sheet, clocks })));
  const moves = [];
  const fault = (at, told) => errors[at].push({ at: moves.length, told });
  prepared.forEach((told, at) => told === "ready" || fault(at, told));
  let here = module.ask({ ask: "position", game });
  while (!here.terminal && moves.length < MOST_MOVES) {
    const { legal, state } = here;
    const asked = players.map((player, at) => player.play({ id, joint: moves.at(-1), legal: legal[at], clocks }));
    const joint = (await Promise.all(asked)).map((move, at) => {
      if (legal[at].includes(move)) return move;
      fault(at, move);
      return draw(legal[at]);
    });
    moves.push(joint);
    here = module.ask({ ask: "apply", game, state, moves: joint });
  }
  await Promise.all(players.map((player) => player.stop({ id, joint: moves.at(-1), clocks })));
  return { roles, players: players.map(({ name }) => name), goals: here.goals, errors, moves };
}

async function main() {
  const text = { type: "string" };
  const options = { matches: text, start: text, play: text, seed: text, scripts: text, json: { type: "boolean" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [file, ...named] = positionals;
  if (!named.length) throw new Error(USAGE);
  const number = (name, otherwise) => {
    const value = Number(values[name] ?? otherwise);
    if (!(value >= 0)) throw new Error(`--${name} wants a number: ${values[name]}`);
    return value;
  };
  const matches = number("matches", 1);
  const clocks = [number("start", 10), number("play", 10)];
  const draw = drawing(Math.trunc(number("seed", 1)));
  const module = await Module.of(await WebAssembly.compile(readFileSync(new URL("./gdl.wasm", import.meta.url))));
  const rules = readFileSync(file, "utf8");
  const game = module.ask({ ask: "load", text: rules, patient: true });
  if (game.hidden) throw new Error("the arena has no games with hidden information");
  const sheet = sheetOf(module, rules);
  if (named.length !== game.roles.length) throw new Error(`the game has ${game.roles.length} roles, but ${named.length} players are named`);
  if (named.some((name) => name.endsWith(".html")) && !/::|==>/.test(rules)) throw new Error("pages play rulesheets in Epilog only");
  const make = (name) => {
    if (name === "random") return new Random(draw);
    return /^https?:/.test(name) ? new Remote(name) : new Page(name, values.scripts);
  };
  const players = named.map(make);
  const sums = players.map(() => [0, 0]);
  for (let count = 0; count < matches; count++) {
    const order = game.roles.map((_, at) => (at + count) % players.length);
    const settings = { id: `arena${count + 1}`, clocks, draw };
    const match = await play(module, game, sheet, order.map((at) => players[at]), settings);
    order.forEach((player, at) => {
      sums[player][0] += match.goals[at];
      sums[player][1] += match.errors[at].length;
    });
    const result = game.roles.map((role, at) => `${role} ${match.players[at]} ${match.goals[at]}`).join(", ");
    console.log(values.json ? JSON.stringify(match) : `match ${count + 1}: ${result} (${match.moves.length} moves)`);
  }
  if (!values.json) players.forEach(({ name }, at) => console.log(`${name}: ${sums[at][0]} points, ${sums[at][1]} errors`));
  await Promise.all(players.map((player) => player.end()));
}

if (isMainThread) {
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
} else host(workerData);
