#!/usr/bin/env node
// Prints the random games per second of the WebAssembly module in node, of the one without SIMD, of
// the native program's portable code, and of its fastest code, in one run with one thread each. Then
// it prints the sizes of what `web/build` makes.
//
// Run `web/build` and `cargo build --release --bin gdl` before. The argument is the seconds for
// each figure, 2 by default.

import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { command, instance, packed } from "./tests/support.js";

const GAMES = ["tictactoe", "connect_four", "breakthrough", "reversi", "chess"];
const seconds = Number(process.argv[2] ?? 2);
const [module, plain] = [await instance(), await instance("gdl-plain.wasm")];
const natively = (name, isa) => {
  const args = ["playouts", name, "--seconds", seconds, "--threads", 1, "--seed", 1, "--json", ...isa];
  return JSON.parse(execFileSync(command, args.map(String), { encoding: "utf8" })).playouts_per_second;
};

const row = (...cells) => console.log(cells.map((cell, at) => (at ? String(cell).padStart(14) : cell.padEnd(14))).join(""));
const rate = (module, name) => {
  const { game } = module.ask({ ask: "load", name });
  // The first run lets the JavaScript engine optimise the module's functions.
  module.ask({ ask: "playouts", game, seconds: seconds / 2, seed: 1 });
  return module.ask({ ask: "playouts", game, seconds, seed: 1 }).playouts_per_second;
};
row("playouts/s", "node", "without SIMD", "portable", "best", "node/portable");
for (const name of GAMES) {
  const [web, slow] = [module, plain].map((one) => rate(one, name));
  const portable = natively(name, ["--engine", "table-lanes", "--isa", "portable"]);
  const best = natively(name, []);
  row(name, ...[web, slow, portable, best].map((rate) => Math.round(rate).toLocaleString("en")), (web / portable).toFixed(2));
}
console.log();
row("bytes", "plain", "gzipped");
for (const file of ["gdl.wasm", "gdl-plain.wasm", "command.wasm", "../playground/player.html"]) {
  const bytes = readFileSync(`${packed}${file}`);
  row(basename(file), bytes.length.toLocaleString("en"), gzipSync(bytes, { level: 9 }).length.toLocaleString("en"));
}
