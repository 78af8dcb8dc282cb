// Helpers of the tests: the built package, the native program of the same crate, and rulesheets.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { Module } from "../../target/web/package/module.js";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const packed = `${root}target/web/package/`;
const built = process.env.CARGO_TARGET_DIR ?? `${root}target`;
export const command = process.env.GDL_NATIVE ?? `${built}/release/gdl`;

/** An instance of a module of the package. */
export const instance = async (file = "gdl.wasm") => Module.of(await WebAssembly.compile(readFileSync(`${packed}${file}`)));

/** The example `answers`: the same requests answered by native code. */
export class Native {
  #process = spawn(`${built}/debug/examples/answers`, { stdio: ["pipe", "pipe", "inherit"] });
  #lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();

  /** The whole answer, `{ ok }` or `{ error }`. */
  async answer(request) {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error("the native program ended");
    return JSON.parse(value);
  }

  end() {
    this.#process.stdin.end();
  }
}

/** The whole answer of an instance, as `Native` has it. */
export function answer(module, request) {
  try {
    return { ok: module.ask(request) };
  } catch (error) {
    if (error.name !== "Refused") throw error;
    return { error: { message: error.message, diagnostics: error.diagnostics, code: error.code } };
  }
}

/**
 * The rulesheets of a folder of `shared`, every `nth` of those with the ending. Without the folder a test is skipped, unless
 * `GDL_REQUIRE` is `all`.
 */
export function shared(test, folder, nth = 1, ending = ".kif") {
  const path = `${root}../shared/${folder}`;
  if (!existsSync(path)) {
    if (process.env.GDL_REQUIRE === "all") throw new Error(`${path} is missing`);
    test.skip(`${path} is missing`);
    return [];
  }
  const files = readdirSync(path).filter((name) => name.endsWith(ending)).sort();
  return files.filter((_, at) => at % nth === 0).map((name) => ({ name, text: readFileSync(`${path}/${name}`, "utf8") }));
}
