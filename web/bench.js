#!/usr/bin/env node
// Prints the random games per second of the WebAssembly module in node, of the native program's
// portable code, and of its fastest code, in one run with one thread each.
//
// Run `web/build` and `cargo build --release --bin gdl` before. The argument is the seconds for
// each figure, 2 by default.

import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { command, instance, packed } from "./tests/support.js";

const GAMES = ["tictactoe", "connect_four", "breakthrough", "reversi", "chess"];
const seconds = Number(process.argv[2] ?? 2);
const module = await instance();
const natively = (name, isa) => {
  const args = ["playouts", name, "--seconds", seconds, "--threads", 1, "--seed", 1, "--json", ...isa];
  return JSON.parse(execFileSync(command, args.map(String), { encoding: "utf8" })).playouts_per_second;
};

const row = (...cells) => console.log(cells.map((cell, at) => (at ? String(cell).padStart(14) : cell.padEnd(14))).join(""));
row("playouts/s", "node", "portable", "best", "node/portable");
for (const name of GAMES) {
  const { game } = module.ask({ ask: "load", name });
  // The first run lets the JavaScript engine optimise the module's functions.
  module.ask({ ask: "playouts", game, seconds: seconds / 2, seed: 1 });
  const web = module.ask({ ask: "playouts", game, seconds, seed: 1 }).playouts_per_second;
  const portable = natively(name, ["--engine", "table-lanes", "--isa", "portable"]);
  const best = natively(name, []);
  row(name, ...[web, portable, best].map((rate) => Math.round(rate).toLocaleString("en")), (web / portable).toFixed(2));
}
console.log();
row("bytes", "plain", "gzipped");
for (const file of ["gdl.wasm", "gdl-plain.wasm", "command.wasm"]) {
  const bytes = readFileSync(`${packed}${file}`);
  row(file, bytes.length.toLocaleString("en"), gzipSync(bytes, { level: 9 }).length.toLocaleString("en"));
}
