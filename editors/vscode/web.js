// The extension in a browser, which always uses its own server.

import { LanguageClient } from "vscode-languageclient/browser";
import { NAME, options, transports } from "./client.js";

let client;

function start(script) {
  const inside = new Worker(script.toString(true));
  const worker = { send: (message) => inside.postMessage(message), end: () => inside.terminate() };
  inside.onmessage = ({ data }) => worker.received?.(data);
  inside.onerror = (event) => worker.failed?.(new Error(event.message));
  return worker;
}

export function activate(context) {
  client = new LanguageClient(...NAME, options);
  // Each start of the client, also after a failure, creates a new worker.
  client.createMessageTransports = () => transports(context, start);
  return client.start();
}

export function deactivate() {
  return client?.stop();
}
