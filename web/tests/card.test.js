// Random games on a graphics card: Chromium's WebGPU, with SwiftShader as the card, counts what the
// emulator of native code counts. Cards that are lost or reject a game are reported.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Browser, found, serve } from "./browser.js";
import { Native } from "./support.js";

const FLAGS = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
// Several dispatches, the last with a block that has fewer games.
const COUNT = 400_001;

// Makes functions of the page, which runs this text: those of the package, and cards that fail.
async function prepare() {
  const [{ Gdl }, { play }] = await Promise.all(["index", "card"].map((name) => import(`./package/${name}.js`)));
  const gdl = new Gdl();
  const told = ({ name, code, message }) => ({ name, code, message });
  const playouts = async (name, settings) => (await gdl.load(name)).playouts({ engine: "gpu", ...settings }).catch(told);
  // Plays as if games never ended, with this shader and these words. Calls `counted` after each
  // dispatch.
  const endlessly = (shader, counted = () => {}, words = Array(10).fill(0)) => {
    const dispatch = { words, groups: 1, rows: 2, blocks: 3 };
    return play({ ask: ({ ask }) => (ask === "count" && counted(), { shader, dispatch }) }, {}).catch(told);
  };
  // Replaces a method of WebGPU while `run` runs.
  const replacing = async ({ prototype }, name, method, run) => {
    const old = prototype[name];
    prototype[name] = method(old);
    return run().finally(() => { prototype[name] = old; });
  };
  const IDLE = "@group(0) @binding(0) var<storage, read> job: u32; @group(0) @binding(1) var<storage, read_write> counters: array<u32>;"
    + "@compute @workgroup_size(1) fn main() { counters[0] = job; }";
  Object.assign(window, { IDLE, playouts, endlessly, replacing });
}

test("random games on a graphics card", { skip: !found && "Chromium is missing", timeout: 600_000 }, async (context) => {
  const native = new Native();
  const { address, end } = await serve();
  const browser = new Browser(FLAGS);
  context.after(async () => {
    await browser.end();
    end();
    native.end();
  });
  await browser.open(`${address}playground/`);
  await browser.until(`document.querySelector("[data-game]")`);
  await browser.run(`(${prepare})()`);
  const playouts = (name, settings) => browser.run(`playouts(${JSON.stringify(name)}, ${JSON.stringify(settings)})`);
  const emulated = async (name, settings) => {
    const { game } = (await native.answer({ ask: "load", name })).ok;
    return (await native.answer({ ask: "playouts", game, engine: "gpu", device: "emulate", ...settings })).ok;
  };

  for (const name of ["tictactoe", "connect_four", "rock_paper_scissors"]) {
    await context.test(`${name} counts as in the emulator`, async () => {
      for (const settings of [{ count: COUNT, seed: 2 ** 40 + 7 }, { count: 1 }, { count: 0 }]) {
        const [played, same] = [await playouts(name, settings), await emulated(name, settings)];
        assert.equal(played.tally?.playouts, settings.count, JSON.stringify(played));
        assert.deepEqual([played.tally, played.goals, played.roles, played.seed], [same.tally, same.goals, same.roles, same.seed]);
        assert.equal(played.engine, "gpu");
        assert.match(played.device, /swiftshader.* \(WebGPU\)$/i);
        assert.match(played.report, /mean goal/);
      }
    });
  }

  await context.test("a time limit ends a run, which counts the games played", async () => {
    const { tally } = await playouts("tictactoe", { seconds: 0.02, seed: 3 });
    assert(tally.playouts > 0);
    assert.deepEqual(tally, (await emulated("tictactoe", { count: tally.playouts, seed: 3 })).tally);
  });

  await context.test("a run is cancelled, and the next one plays", async () => {
    const { name } = await browser.run(`playouts("tictactoe", { seconds: 3600, signal: AbortSignal.timeout(1000) })`);
    assert.equal(name, "TimeoutError");
    assert.equal((await playouts("tictactoe", { count: 1 })).tally?.playouts, 1);
  });

  await context.test("a game that is too large is refused", async () => {
    const { name, code, message } = await playouts("chess", { count: 1 });
    assert.deepEqual([name, code], ["Refused", "too_large"]);
    assert.match(message, /^the game takes \d+ operations/);
  });

  const fails = async (expression, code, message) => {
    const fault = await browser.run(expression);
    assert.deepEqual([fault.name, fault.code], ["Refused", code], fault.message);
    assert.match(fault.message, message);
  };

  await context.test("a card that rejects a game is reported", async () => {
    const rejected = /^the graphics card rejects the game: ./;
    await fails(`endlessly("nonsense")`, "rejected", rejected);
    await fails(`endlessly("fn other() {}")`, "rejected", rejected);
    await fails(`endlessly(IDLE, undefined, Array(11).fill(0))`, "rejected", rejected);
  });

  await context.test("a lost card is reported", async () => {
    const lost = /^the graphics card was lost: ./;
    const destroyed = (counted) => `(async () => {
      let device;
      const opening = (open) => async function () { return (device = await open.call(this)); };
      return replacing(GPUAdapter, "requestDevice", opening, () => endlessly(IDLE, ${counted}));
    })()`;
    await fails(destroyed("() => device.destroy()"), "lost", lost);
    // Nothing but the loss is told.
    await fails(`replacing(GPUBuffer, "mapAsync", (map) => map, () => ${destroyed(`() => {
      GPUBuffer.prototype.mapAsync = () => new Promise(() => {});
      setTimeout(() => device.destroy(), 100);
    }`)})`, "lost", lost);
    // The browser's process for cards ends, and the next request gets another one.
    const losing = fails(`endlessly(IDLE, () => { window.plays = true; })`, "lost", lost);
    await browser.until("window.plays");
    await browser.ask("Browser.crashGpuProcess");
    await losing;
    assert.equal((await playouts("tictactoe", { count: 1 })).tally?.playouts, 1);
  });

  await context.test("too little memory is reported", async () => {
    const short = "() => async () => new GPUOutOfMemoryError('')";
    await fails(`replacing(GPUDevice, "popErrorScope", ${short}, () => endlessly(IDLE))`, "memory", /^the graphics card has too little memory$/);
  });

  await context.test("the playground plays on the card", async () => {
    await browser.run(`document.querySelector('[data-game="tictactoe"]').click()`);
    await browser.until(`!document.getElementById("game").hidden`);
    await browser.run(`document.getElementById("card").click()`);
    const report = await browser.until(`document.getElementById("report")?.textContent.includes("xplayer") && document.getElementById("report").textContent`);
    assert.match(report, /^.*swiftshader.*WebGPU/i);
    await browser.screenshot("card");
  });
});
