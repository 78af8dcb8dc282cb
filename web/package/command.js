#!/usr/bin/env node
// The command `gdl`, compiled for WebAssembly: the native one without servers and graphics cards.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import process from "node:process";

// Node warns that its WASI is experimental; users of the command need not know.
const emit = process.emit;
process.emit = function (name, warning, ...rest) {
  return name === "warning" && warning?.name === "ExperimentalWarning" ? false : emit.call(this, name, warning, ...rest);
};
const { WASI } = await import("node:wasi");

// Paths start at the root, and the program enters the folder that `PWD` names.
const folder = process.cwd().replace(/^[A-Za-z]:/, "").replaceAll("\\", "/");
const wasi = new WASI({
  version: "preview1",
  args: ["gdl", ...process.argv.slice(2)],
  env: { ...process.env, PWD: folder },
  preopens: { "/": resolve("/") },
});
const module = await WebAssembly.compile(await readFile(new URL("./command.wasm", import.meta.url)));
const imports = wasi.getImportObject();
// A full pipe whose other end is slow takes no bytes (EAGAIN): wait, and write again.
const { fd_write: write } = wasi.wasiImport;
const pause = new Int32Array(new SharedArrayBuffer(4));
wasi.wasiImport.fd_write = (...args) => {
  let status;
  while ((status = write(...args)) === 6) Atomics.wait(pause, 0, 0, 1);
  return status;
};
// Threads, where the C library leaves them to the host: there are none (EAGAIN).
for (const { module: space, name } of WebAssembly.Module.imports(module)) {
  if (space === "env") (imports.env ??= {})[name] = () => (name === "pthread_create" ? 6 : 0);
}
try {
  process.exitCode = wasi.start(await WebAssembly.instantiate(module, imports));
} catch (error) {
  console.error(`error: the command ended: ${error.message}`);
  process.exitCode = 1;
}
