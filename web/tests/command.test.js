// `npx gdl` beside the native command: the same bytes and exit codes.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { command, packed } from "./support.js";

const folder = mkdtempSync(join(tmpdir(), "gdl-"));
after(() => rmSync(folder, { recursive: true }));
const SHEET = "(role you) (init (step 1)) (legal you go)\n(<= (next (step 2)) (true (step 1)))\n(<= terminal (true (step 2))) (goal you 100)\n";
const FAULTY = `${SHEET}(<= (next (p ?x)) (true (step 1)))\n`;

// Both programs on the same files, each written anew. What depends on time and threads is masked.
function both(args, mask = (text) => text) {
  return [[command], [process.execPath, `${packed}command.js`]].map(([program, ...first]) => {
    writeFileSync(join(folder, "good.kif"), SHEET);
    writeFileSync(join(folder, "bad.kif"), FAULTY);
    const { status, stdout, stderr } = spawnSync(program, [...first, ...args], { cwd: folder, encoding: "utf8" });
    const files = ["good.kif", "bad.kif"].map((name) => readFileSync(join(folder, name), "utf8"));
    // Systems number their errors.
    return { status, stdout: mask(stdout), stderr: stderr.replaceAll(/os error \d+/g, "os error"), files };
  });
}

const SAME = [
  ["-V"],
  ["check", "good.kif"],
  ["check", "bad.kif", "good.kif"],
  ["check", "bad.kif", "--json"],
  ["check", "missing.kif"],
  ["check", "good.kif", "--deny", "nothing_is_called_so"],
  ["check"],
  ["fmt", "good.kif"],
  ["fmt", "--check", "good.kif"],
  ["convert", "tictactoe", "--to", "infix"],
  ["convert", "bad.kif", "--to", "infix"],
  ["explain", "GDL085"],
  ["explain", "--list"],
  ["explain", "GDL999"],
  ["list"],
  ["perft", "good.kif", "--depth", "2", "--json"],
  ["perft", "nothing", "--depth", "2"],
  ["playouts", "bad.kif"],
];
for (const args of SAME) {
  test(`gdl ${args.join(" ")}`, () => {
    const [native, web] = both(args);
    assert.deepEqual(web, native);
    assert.notEqual(native.status, null);
  });
}

test("a slow reader gets all lines", async () => {
  const args = ["explain", "--list"];
  const child = spawn(process.execPath, [`${packed}command.js`, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => (text += part)).pause();
  await setTimeout(2000);
  child.stdout.resume();
  await closed;
  assert.equal(text, spawnSync(command, args, { encoding: "utf8" }).stdout);
});

test("check --fix writes the same files", () => {
  const [native, web] = both(["check", "--fix=guess", "bad.kif"]);
  assert.deepEqual(web, native);
});

test("perft and playouts differ in time alone", () => {
  const masked = (text) => text.replaceAll(/ +[\d.,]+ [µm]?s\b.*/g, "").replaceAll(/(?:\d[\d.,]*( [kMG])?\/s|\d[\d.,]* [kMG])/g, "");
  const [native, web] = both(["perft", "nim", "--depth", "4", "--engine", "table"], masked);
  assert.deepEqual(web, native);
  const ends = (text) => {
    const { game, seed, playouts, states, goals, wins, draws, losses } = JSON.parse(text);
    return { game, seed, playouts, states, goals, wins, draws, losses };
  };
  const [theirs, ours] = both(["playouts", "tictactoe", "--count", "20000", "--seed", "7", "--json"], ends);
  assert.deepEqual(ours, theirs);
  assert.equal(ours.stdout.playouts, 20000);
});
