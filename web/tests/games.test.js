// Games played by the module and by native code: the same states and tallies.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Native, answer, instance, shared } from "./support.js";

const module = await instance();
const native = new Native();
after(() => native.end());

// Sends a request to the module and to native code. Checks that the parts of the answers that
// `pick` returns are equal. Returns the module's answer.
async function agree(request, pick = (ok) => ok) {
  const [theirs, ours] = [await native.answer(request), answer(module, request)];
  const part = ({ ok, error }) => (error ? { error } : { ok: pick(ok) });
  assert.deepEqual(part(ours), part(theirs), JSON.stringify(request).slice(0, 200));
  return ours.ok;
}

// Loads a game and plays it: ten random steps, up to 300 random steps, playouts, a count, a search.
async function play(load) {
  const loaded = await agree({ ask: "load", ...load }, ({ roles, chance, hidden, fluents, moves }) => [roles, chance, hidden, fluents, moves]);
  if (!loaded) return 0;
  const { game, roles } = loaded;
  const { steps, end } = await agree({ ask: "walk", game, seed: 7, steps: 10 });
  const whole = await agree({ ask: "walk", game, seed: 8, steps: 300 });
  assert(steps.length <= 10 && whole.steps.length <= 300);
  await agree({ ask: "scene", game, state: end.state, before: null });
  const played = await agree({ ask: "playouts", game, count: 64, seed: 3 }, ({ tally, goals }) => [tally, goals]);
  assert.equal(played.tally.playouts, 64);
  await agree({ ask: "perft", game, depth: 1 });
  if (!end.terminal && end.legal.every((moves) => moves.length)) {
    const moves = steps.map(({ moves }) => moves);
    const chosen = await agree({ ask: "choose", game, role: roles[0], player: "mcts:seed=1", nodes: 20, moves }, ({ move }) => move);
    assert(end.legal[0].includes(chosen.move));
  }
  await agree({ ask: "unload", game });
  return steps.length;
}

for (const { name } of module.ask({ ask: "list" })) {
  test(`${name} plays as natively`, async () => {
    const steps = await play({ name });
    assert(steps > 0);
  });
}

test("public rulesheets play as natively", async (test) => {
  const sheets = shared(test, "rulesheets/games", 12);
  let played = 0;
  for (const { name, text } of sheets) played += (await play({ name, text })) > 0;
  if (sheets.length) assert(played > sheets.length / 2, `${played} of ${sheets.length} played`);
});

test("rulesheets with a fault have the same diagnostics", async (test) => {
  for (const { text } of shared(test, "rulesheets/bad")) await agree({ ask: "check", text });
});

test("rulesheets are rewritten as natively", async () => {
  const text = module.ask({ ask: "rulesheet", name: "tictactoe" });
  const { text: infix } = await agree({ ask: "convert", text, to: "infix" });
  assert.match(infix, /:-/);
  await agree({ ask: "convert", text: infix, to: "kif" });
  await agree({ ask: "format", text });
  await agree({ ask: "explain", code: "GDL085" });
  const fixed = await agree({ ask: "fix", text: `${text}\n(<= (legal xplayer ?z) (true (control xplayer)))`, guess: true });
  assert.equal(typeof fixed.text, "string");
});

test("the module without SIMD plays as natively", async () => {
  const plain = await instance("gdl-plain.wasm");
  for (const name of ["tictactoe", "connect_four", "breakthrough", "kuhn_poker"]) {
    const { ok } = await native.answer({ ask: "load", name });
    const own = plain.ask({ ask: "load", name });
    for (const [request, pick] of [
      [{ ask: "playouts", count: 3000, seed: 5 }, ({ tally, goals }) => [tally, goals]],
      [{ ask: "walk", seed: 2, steps: 50 }, (steps) => steps],
      [{ ask: "choose", role: ok.roles[0], player: "mcts:seed=1", nodes: 200 }, ({ move }) => move],
    ]) {
      const theirs = await native.answer({ ...request, game: ok.game });
      const ours = answer(plain, { ...request, game: own.game });
      assert.deepEqual(ours.ok ? pick(ours.ok) : ours, theirs.ok ? pick(theirs.ok) : theirs, `${name} ${request.ask}`);
    }
  }
});

test("reasons are those of native code", async () => {
  const { game } = await agree({ ask: "load", name: "tictactoe" }, ({ roles }) => roles);
  const { state } = await agree({ ask: "position", game });
  const why = await agree({ ask: "why", game, state, atom: "(legal xplayer (mark 1 1))", depth: 3 });
  assert.equal(why.holds, true);
  await agree({ ask: "illegal", game, state, role: "oplayer", find: "mark", cell: 0 });
  await agree({ ask: "apply", game, state, moves: ["noop", "noop"] });
  await agree({ ask: "apply", game: 99, state, moves: [] });
  await agree({ ask: "nothing" });
});
