// Starts `gdl lsp` for rulesheets, and stops it.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("gdl").get("command", "gdl");
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("gdl", "Game Description Language", server, {
    documentSelector: [{ language: "gdl" }],
  });
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
