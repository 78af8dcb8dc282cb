// The extension on a desktop. It starts `gdl lsp` if the settings name a command, otherwise its own
// server.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { window, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { NAME, options, transports } from "./client.js";

let client;

function start(script) {
  const inside = new Worker(script.fsPath);
  const worker = { send: (message) => inside.postMessage(message), end: () => inside.terminate() };
  inside.on("message", (message) => worker.received?.(message));
  inside.on("error", (error) => worker.failed?.(error));
  return worker;
}

// Returns whether a command has the language server. A missing command has none.
async function answers(command) {
  try {
    await promisify(execFile)(command, ["lsp", "--help"]);
    return true;
  } catch {
    window.showWarningMessage(`\`${command} lsp\` cannot be started: the extension uses its own server. See the setting gdl.command.`);
    return false;
  }
}

export async function activate(context) {
  const command = workspace.getConfiguration("gdl").get("command", "");
  const given = command && (await answers(command));
  const server = given ? { command, args: ["lsp"] } : () => transports(context, start);
  client = new LanguageClient(...NAME, server, options);
  return client.start();
}

export function deactivate() {
  return client?.stop();
}
