// A worker with the language server. The first message is the module; each later one is a message
// of the Language Server Protocol. A failure of the module ends the worker.

import { Module } from "../../web/package/module.js";

const inNode = typeof process === "object" && Boolean(process.versions?.node);
const port = inNode ? require("node:worker_threads").parentPort : self;
let starting;
let working = false;

async function receive(message) {
  if (!starting) {
    starting = WebAssembly.compile(message).then(Module.of);
    return;
  }
  send(await ask(message));
  if (!working) {
    working = true;
    setTimeout(() => orEnd(work()));
  }
}

const ask = async (message) => (await starting).ask({ ask: "edit", message });

function send(messages) {
  for (const message of messages) port.postMessage(message);
}

// Does a part of the longer work, between messages, so that the client's messages come first.
async function work() {
  const done = await ask(null);
  send(done);
  working = done.length > 0;
  if (working) setTimeout(() => orEnd(work()));
}

// A rejected promise does not end a worker in a browser, so the error is thrown again.
const orEnd = (promise) =>
  promise.catch((error) =>
    setTimeout(() => {
      throw error;
    }),
  );
if (inNode) port.on("message", (message) => orEnd(receive(message)));
else port.onmessage = ({ data }) => orEnd(receive(data));
