// The package as its users have it: requests to a worker, which hostile rulesheets and callers
// cannot break.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, test } from "node:test";
import { Ended, Gdl, Refused } from "../../target/web/package/index.js";
import { Native, packed, shared } from "./support.js";

const gdl = new Gdl();
after(() => gdl.stop());

test("a game is loaded, played and searched", async () => {
  const game = await gdl.load("connect_four");
  assert.equal(game.roles.length, 2);
  const { state, legal } = await game.position();
  const { move } = await game.choose(game.roles[0], { player: "mcts", nodes: 200 });
  assert(legal[0].includes(move));
  const next = await game.apply(state, [move, legal[1][0]]);
  assert.notEqual(next.state, state);
  assert.deepEqual((await game.perft(3)).map(String), ["7", "49", "343"]);
  assert.match((await game.playouts({ count: 1000, seed: 1 })).report, /1,000|1000/);
  await game.unload();
});

test("workers share random games, and any number of them counts the same", async () => {
  const game = await gdl.load("connect_four");
  for (const engine of [undefined, "Single"]) {
    const count = engine ? 3_000 : 200_000;
    const alone = await game.playouts({ count, seed: 7, engine });
    for (const workers of [2, 5]) {
      const shared = await game.playouts({ count, seed: 7, engine, workers });
      assert.deepEqual([shared.tally, shared.goals, shared.engine, shared.threads], [alone.tally, alone.goals, alone.engine, workers]);
    }
  }
  assert.equal((await game.playouts({ count: 1, workers: 3 })).tally.playouts, 1);
  for (const part of [[0, 2], [3, 2]]) await assert.rejects(gdl.ask({ ask: "playouts", count: 10, part }, { game }), { name: "Refused", message: /no part/ });
  const timed = await game.playouts({ seconds: 0.2, workers: 2 });
  assert(timed.tally.playouts > 0 && timed.seconds >= 0.2);
  const control = new AbortController();
  const long = game.playouts({ count: 1e12, workers: 2, signal: control.signal });
  setTimeout(() => control.abort(), 300);
  await assert.rejects(long, { name: "AbortError" });
  assert.equal((await game.playouts({ count: 10, workers: 2 })).tally.playouts, 10);
});

test("a machine without SIMD loads the other module", { skip: process.arch !== "x64" && "SIMD cannot be turned off" }, async () => {
  const script = `(async () => {
    const { hasSimd } = await import("${packed}module.js");
    const { Gdl } = await import("${packed}index.js");
    const game = await new Gdl().load("connect_four");
    const { tally } = await game.playouts({ count: 5000, seed: 7 });
    console.log(JSON.stringify({ simd: hasSimd(), tally }));
  })()`;
  const told = execFileSync(process.execPath, ["--no-enable-sse4-1", "--eval", script], { encoding: "utf8" });
  const game = await gdl.load("connect_four");
  const { tally } = await game.playouts({ count: 5000, seed: 7 });
  assert.deepEqual(JSON.parse(told), { simd: false, tally });
});

test("a graphics card is emulated, and refused where there is none", async (test) => {
  const native = new Native();
  test.after(() => native.end());
  const game = await gdl.load("connect_four");
  const settings = { engine: "gpu", device: "emulate", count: 3_000, seed: 5 };
  const { ok: same } = await native.answer({ ask: "load", name: "connect_four" });
  const { ok: emulated } = await native.answer({ ask: "playouts", game: same.game, ...settings });
  const { tally, goals, engine, device } = await game.playouts(settings);
  assert.deepEqual([tally, goals, engine, device], [emulated.tally, emulated.goals, "gpu", "emulator"]);
  assert.equal(tally.playouts, 3_000);
  assert.equal((await game.playouts({ engine, device: "emulate" })).tally.playouts, 1_000);
  assert((await game.playouts({ engine, device: "emulate", seconds: 0.01 })).tally.playouts > 0);
  const refused = (settings, code, message) => assert.rejects(game.playouts({ count: 10, ...settings }), (error) =>
    error instanceof Refused && error.code === code && message.test(error.message));
  await refused({ engine: "gpu" }, "no_webgpu", /^there is no WebGPU here/);
  await refused({ engine: "gpu", workers: 2 }, null, /leave `workers` out/);
  await refused({ engine: "gpu", device: "nvidia" }, null, /nvidia/);
  await refused({ device: "emulate" }, null, /give the engine `gpu`/);
  const chess = await gdl.load("chess");
  await assert.rejects(chess.playouts({ engine: "gpu" }), { name: "Refused", code: "too_large" });
});

test("a faulty rulesheet is refused with its report", async () => {
  const faulty = await gdl.load({ text: "(role x) (<= (next (p ?y)) (true q))" }).catch((error) => error);
  assert(faulty instanceof Refused);
  assert.match(faulty.message, /GDL\d+/);
  assert(faulty.diagnostics.some(({ severity }) => severity === "error"));
});

test("a search is cancelled, and its game goes on in another worker", async () => {
  const game = await gdl.load("reversi");
  const { state } = await game.position();
  const control = new AbortController();
  const search = game.choose(game.roles[0], { player: "mcts", seconds: 3600, signal: control.signal });
  const waiting = game.position();
  setTimeout(() => control.abort(), 100);
  await assert.rejects(search, { name: "AbortError" });
  assert.equal((await waiting).state, state);
});

test("stop ends what runs", async () => {
  const own = new Gdl();
  const game = await own.load("tictactoe");
  const search = game.choose(game.roles[0], { player: "mcts", seconds: 3600 });
  setTimeout(() => own.stop(), 100);
  await assert.rejects(search, Ended);
  assert.equal((await own.list()).length, (await gdl.list()).length);
  own.stop();
});

test("hostile rulesheets get the usual message", async (test) => {
  const native = new Native();
  test.after(() => native.end());
  for (const { name, text } of shared(test, "attack")) {
    const { ok } = await native.answer({ ask: "check", text });
    // Memory is counted in words, which are shorter here: figures in messages may differ.
    const told = ({ sound, excess, errors, diagnostics }) => [sound, excess, errors, diagnostics.map(({ code, severity }) => [code, severity])];
    assert.deepEqual(told(await gdl.check(text)), told(ok), name);
    assert((await gdl.list()).length > 0);
  }
});
