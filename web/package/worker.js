// A worker in a browser or in node, which answers requests with an instance of the module, and random
// games with a graphics card.

import { play } from "./card.js";
import { Module, hasSimd } from "./module.js";

const address = hasSimd() ? new URL("./gdl.wasm", import.meta.url) : new URL("./gdl-plain.wasm", import.meta.url);
const inNode = typeof process === "object" && Boolean(process.versions?.node);

async function compiled() {
  if (inNode) {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(address));
  }
  const response = await fetch(address);
  // Some file servers do not send the content type that streaming compilation requires.
  const typed = new Response(response.body, { status: response.status, headers: { "content-type": "application/wasm" } });
  return WebAssembly.compileStreaming(typed);
}

const port = inNode ? (await import("node:worker_threads")).parentPort : self;
const starting = compiled().then((module) => Module.of(module));

async function answer(request) {
  try {
    const module = await starting;
    const onCard = request.engine === "gpu" && request.device === undefined;
    port.postMessage({ ok: onCard ? await play(module, request) : module.ask(request) });
  } catch ({ name, message, diagnostics, code }) {
    port.postMessage({ error: { name, message, diagnostics, code } });
  }
}

if (inNode) port.on("message", answer);
else port.onmessage = ({ data }) => answer(data);
