// A client of the extension's own language server, which runs as WebAssembly in a worker.

import { AbstractMessageReader, AbstractMessageWriter } from "vscode-languageserver-protocol";
import { Uri, workspace } from "vscode";

export const NAME = ["gdl", "Game Description Language"];
export const options = { documentSelector: [{ language: "gdl" }] };

class Reader extends AbstractMessageReader {
  constructor(worker) {
    super();
    this.worker = worker;
    worker.failed = (error) => {
      this.fireError(error);
      this.fireClose();
    };
  }

  listen(receive) {
    this.worker.received = receive;
    return { dispose() {} };
  }
}

class Writer extends AbstractMessageWriter {
  constructor(worker) {
    super();
    this.worker = worker;
  }

  async write(message) {
    this.worker.send(message);
  }

  end() {
    this.worker.end();
  }
}

/** Starts a worker with a server, by `start`. Returns the reader and the writer of messages. */
export async function transports(context, start) {
  const file = (name) => Uri.joinPath(context.extensionUri, "dist", name);
  const module = await workspace.fs.readFile(file("gdl.wasm"));
  const worker = start(file("server.js"));
  worker.send(module);
  return { reader: new Reader(worker), writer: new Writer(worker) };
}
