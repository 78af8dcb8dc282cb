// The packed extension: its files, and its server in a worker as the extension starts it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../../target/vscode/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gdl-vscode-"));
const extension = join(folder, "extension");

before(() => {
  const [vsix, ...more] = readdirSync(built).filter((name) => name.endsWith(".vsix"));
  assert(vsix && !more.length, "one package");
  execFileSync("python3", ["-m", "zipfile", "-e", join(built, vsix), folder]);
});
after(() => rmSync(folder, { recursive: true }));

test("the package has what the manifest names, and nothing else", () => {
  const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
  const { languages, grammars } = manifest.contributes;
  const named = [manifest.main, manifest.browser, manifest.icon, languages[0].configuration, grammars[0].path];
  const files = readdirSync(extension, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(extension.length + 1))
    .sort();
  // `vsce` writes README and CHANGELOG in lower case.
  const expected = [...named.map((name) => name.replace(/^\.\//, "")), "dist/server.js", "dist/gdl.wasm"]
    .concat("LICENSE.txt", "changelog.md", "package.json", "readme.md")
    .sort();
  assert.deepEqual(files, expected);
  const native = readFileSync(new URL("../../../Cargo.toml", import.meta.url), "utf8");
  assert.equal(manifest.version, native.match(/^version = "(.*)"/m)[1]);
});

test("bundles load nothing but the editor and parts of node", () => {
  const kept = { "desktop.js": /^(vscode|node:)?\w+(\/\w+)?$/, "web.js": /^vscode$/, "server.js": /^node:worker_threads$/ };
  for (const [name, allowed] of Object.entries(kept)) {
    const text = readFileSync(join(extension, "dist", name), "utf8");
    for (const [, module] of text.matchAll(/\brequire\("([^"]+)"\)/g)) assert.match(module, allowed, name);
  }
});

// A client: `next` waits for the next message that fits.
function client() {
  const worker = new Worker(join(extension, "dist/server.js"));
  const [received, waiting] = [[], []];
  const settle = () => {
    for (const wait of [...waiting]) {
      const at = received.findIndex(wait.fits);
      if (at < 0) continue;
      waiting.splice(waiting.indexOf(wait), 1);
      wait.resolve(received.splice(at, 1)[0]);
    }
  };
  worker.on("message", (message) => {
    received.push(message);
    settle();
  });
  worker.postMessage(readFileSync(join(extension, "dist/gdl.wasm")));
  const next = (fits) =>
    new Promise((resolve) => {
      waiting.push({ fits, resolve });
      settle();
    });
  let id = 0;
  return {
    worker,
    tell: (method, params) => worker.postMessage({ jsonrpc: "2.0", method, params }),
    ask(method, params) {
      const number = ++id;
      worker.postMessage({ jsonrpc: "2.0", id: number, method, params });
      return next((message) => message.id === number);
    },
    published: () => next(({ method }) => method === "textDocument/publishDiagnostics"),
  };
}

const textDocument = { uri: "file:///light.kif" };
const LIGHT = `(role robot) (init off)
(legal robot press) (legal robot wait)
(<= (next on) (does robot press))
(<= (next on) (true on))
(<= (next off) (true off) (does robot wait))
(<= terminal (true on))
(<= (goal robot 100) (true on))
(<= (goal robot 0) (true off))
`;

test("the server inside publishes faults, answers and formats", async () => {
  const { worker, tell, ask, published } = client();
  const { result } = await ask("initialize", { capabilities: {} });
  assert.equal(result.serverInfo.name, "gdl");
  tell("initialized", {});
  tell("textDocument/didOpen", { textDocument: { ...textDocument, languageId: "gdl", version: 1, text: `${LIGHT}(<= terminal (true on)` } });
  const { params: faulty } = await published();
  assert.deepEqual([faulty.diagnostics[0].code, faulty.diagnostics[0].range.start], ["GDL001", { line: 8, character: 0 }]);

  // Only grounding, which is the longer work, finds a relation that nothing depends on.
  const unread = "(<= (next (trail ?x)) (does robot ?x))\n";
  tell("textDocument/didChange", { textDocument: { ...textDocument, version: 2 }, contentChanges: [{ text: LIGHT + unread }] });
  const codes = ({ params }) => params.diagnostics.map(({ code }) => code);
  assert(!codes(await published()).includes("GDL111"));
  assert(codes(await published()).includes("GDL111"));

  const hover = await ask("textDocument/hover", { textDocument, position: { line: 2, character: 16 } });
  assert.match(JSON.stringify(hover.result), /does/);
  const { result: edits } = await ask("textDocument/formatting", { textDocument, options: { tabSize: 2, insertSpaces: true } });
  assert(edits.length > 0);
  await worker.terminate();
});

test("a module that is none ends the worker with an error", async () => {
  const worker = new Worker(join(extension, "dist/server.js"));
  const failed = new Promise((resolve) => worker.on("error", resolve));
  worker.postMessage(new Uint8Array(8));
  worker.postMessage({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
  assert.match((await failed).message, /compile/i);
});
