// Games in a worker. Requests are promises; cancelling one ends the worker.

import { Ended, Refused } from "./module.js";

export { Ended, Refused };

const inNode = typeof process === "object" && Boolean(process.versions?.node);

// Starts a worker. Returns an object: `send` sends it a request, `end` ends it.
async function spawn() {
  const address = new URL("./worker.js", import.meta.url);
  let settle = null;
  const told = (message) => settle?.resolve(message);
  const failed = (error) => settle?.reject(error);
  let worker;
  if (inNode) {
    const { Worker } = await import("node:worker_threads");
    worker = new Worker(address);
    // An idle worker does not keep the process alive.
    worker.unref();
    worker.on("message", told);
    worker.on("error", (error) => failed(new Ended(error.message)));
  } else {
    worker = new Worker(address, { type: "module" });
    worker.onmessage = ({ data }) => told(data);
    worker.onerror = (event) => failed(new Ended(event.message ?? "the worker cannot start"));
  }
  return {
    async send(request) {
      worker.ref?.();
      try {
        return await new Promise((resolve, reject) => {
          settle = { resolve, reject };
          worker.postMessage(request);
        });
      } finally {
        worker.unref?.();
      }
    },
    end() {
      worker.terminate();
      failed(new Ended("the worker was stopped"));
    },
  };
}

export class Gdl {
  #worker = null;
  // Helpers, each with a worker of its own, for random games.
  #helpers = [];
  #last = Promise.resolve();
  // The number of each game in the current worker.
  #numbers = new Map();

  list(options) {
    return this.ask({ ask: "list" }, options);
  }

  rulesheet(name, options) {
    return this.ask({ ask: "rulesheet", name }, options);
  }

  check(text, { patient, ...options } = {}) {
    return this.ask({ ask: "check", text, patient }, options);
  }

  format(text, options) {
    return this.ask({ ask: "format", text }, options);
  }

  convert(text, to, options) {
    return this.ask({ ask: "convert", text, to }, options);
  }

  fix(text, { guess, ...options } = {}) {
    return this.ask({ ask: "fix", text, guess }, options);
  }

  explain(code, options) {
    return this.ask({ ask: "explain", code }, options);
  }

  async load(what, options) {
    const source = typeof what === "string" ? { name: what } : what;
    const game = new Game(this, source);
    Object.assign(game, await this.#queue((signal) => this.#load(game, source, signal), options));
    return game;
  }

  /**
   * Sends a request in the form of `request.rs`. If `game` is given, the request gets its number;
   * the game is loaded first if the current worker does not have it.
   */
  ask(request, { signal, game } = {}) {
    return this.#queue(async () => {
      if (game) request = { ...request, game: this.#numbers.get(game) ?? (await this.#load(game, game.source, signal)).game };
      return this.#send(request, signal);
    }, { signal });
  }

  /** Drops a game. */
  async unload(game) {
    const number = this.#numbers.get(game);
    if (number === undefined) return;
    await this.#queue(() => this.#numbers.delete(game) && this.#send({ ask: "unload", game: number }));
  }

  /** Returns helpers; later calls return the same ones. */
  helpers(count) {
    while (this.#helpers.length < count) this.#helpers.push(new Gdl());
    return this.#helpers.slice(0, count);
  }

  /** Ends the workers; the next request starts another one, which loads games again. */
  stop() {
    this.#helpers.forEach((helper) => helper.stop());
    this.#worker?.then((worker) => worker.end());
    this.#worker = null;
    this.#numbers.clear();
  }

  async #load(game, source, signal) {
    const loaded = await this.#send({ ask: "load", ...source }, signal);
    this.#numbers.set(game, loaded.game);
    return loaded;
  }

  // Runs one request at a time. Waiting requests can be cancelled.
  #queue(run, { signal } = {}) {
    const turn = this.#last.then(() => {
      signal?.throwIfAborted();
      return run(signal);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #send(request, signal) {
    this.#worker ??= spawn();
    const worker = await this.#worker;
    let abort;
    const aborted = new Promise((_, reject) => {
      abort = () => reject(signal.reason);
    });
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const told = await Promise.race([worker.send(request), aborted]);
      if (!told.error) return told.ok;
      throw told.error.name === "Refused" ? new Refused(told.error) : new Ended(told.error.message);
    } catch (error) {
      if (!(error instanceof Refused)) this.stop();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }
}

export class Game {
  #gdl;

  constructor(gdl, source) {
    this.#gdl = gdl;
    this.source = source;
  }

  #ask(request, options) {
    return this.#gdl.ask(request, { ...options, game: this });
  }

  position(state, options) {
    return this.#ask({ ask: "position", state }, options);
  }

  apply(state, moves, options) {
    return this.#ask({ ask: "apply", state, moves }, options);
  }

  walk({ state, seed = 0, steps = 1000, ...options } = {}) {
    return this.#ask({ ask: "walk", state, seed, steps }, options);
  }

  scene(state, { before, ...options } = {}) {
    return this.#ask({ ask: "scene", state, before }, options);
  }

  illegal(state, role, { find, cell, ...options } = {}) {
    return this.#ask({ ask: "illegal", state, role, find, cell }, options);
  }

  why(state, atom, { before, making, depth, ...options } = {}) {
    return this.#ask({ ask: "why", state, atom, before, making, depth }, options);
  }

  async playouts({ count, seconds, seed, engine, device, workers = 1, ...options } = {}) {
    const request = { ask: "playouts", count, seconds, seed, engine, device };
    if (engine === "gpu" && workers !== 1) throw new Refused({ message: "a graphics card has its own threads: leave `workers` out" });
    if (workers === 1) return this.#ask(request, options);
    const helpers = this.#gdl.helpers(workers - 1);
    try {
      const others = await Promise.all(helpers.map((helper) => helper.load(this.source, options)));
      const start = performance.now();
      const parts = await Promise.all([this, ...others].map((game, at) => game.#ask({ ...request, part: [at + 1, workers] }, options)));
      const elapsed = (performance.now() - start) / 1000;
      others.forEach((game) => game.unload());
      const tallies = parts.map(({ tally }) => tally);
      return await this.#ask({ ask: "merge", seed, engine, seconds: elapsed, tallies }, options);
    } catch (error) {
      helpers.forEach((helper) => helper.stop());
      throw error;
    }
  }

  async perft(depth, { state, ...options } = {}) {
    return (await this.#ask({ ask: "perft", depth, state }, options)).map(BigInt);
  }

  choose(role, { player = "best", start, moves = [], seconds, nodes, seed, ...options } = {}) {
    return this.#ask({ ask: "choose", role, player, start, moves, seconds, nodes, seed }, options);
  }

  unload() {
    return this.#gdl.unload(this);
  }
}
