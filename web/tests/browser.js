// Chromium and Firefox, and a plain file server for their pages.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, extname, join } from "node:path";
import { root } from "./support.js";

const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".wasm": "application/octet-stream" };
const find = (...names) => process.env.PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
export const found = find("chromium", "chromium-browser", "google-chrome", "chrome");
export const firefox = find("firefox-esr", "firefox");
if (!found && process.env.GDL_REQUIRE) throw new Error("Chromium is missing");

/** Waits for a tenth of a second. */
export const pause = () => new Promise((done) => setTimeout(done, 100));

/** Serves the book, which has the playground. */
export async function serve() {
  let address;
  const server = createServer((request, response) => {
    try {
      const name = new URL(request.url, address).pathname.replace(/\/$/, "/index.html");
      const body = readFileSync(`${root}target/book${name}`);
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${server.address().port}/`;
  return { address, end: () => server.close() };
}

/** A page that runs expressions by `run`. */
class Tab {
  // Waits until an expression is true, however busy the machine is, and returns its value.
  async until(expression) {
    for (let tries = 0; tries < 1200; tries++) {
      const value = await this.run(expression).catch(() => null);
      if (value) return value;
      await pause();
    }
    throw new Error(`never true: ${expression}; ${await this.run("document.body.innerText")}`);
  }
}

/** Chromium by its protocol, over a pair of pipes: messages end with a zero byte. */
export class Browser extends Tab {
  #profile = mkdtempSync(join(tmpdir(), "gdl-chromium-"));
  #waiting = new Map();
  #count = 0;
  #rest = "";
  faults = [];

  /** Starts Chromium with further flags. */
  constructor(more) {
    super();
    const flags = [...more, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`];
    this.process = spawn(found, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.process.stdio[4].setEncoding("utf8").on("data", (data) => {
      const messages = (this.#rest + data).split("\0");
      this.#rest = messages.pop();
      for (const message of messages) this.#hear(JSON.parse(message));
    });
  }

  #hear({ id, method, params, result, error }) {
    if (method === "Runtime.exceptionThrown") this.faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error") this.faults.push(params.entry.text);
    const waiting = this.#waiting.get(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  ask(method, params = {}) {
    const id = ++this.#count;
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return answered;
  }

  async open(address) {
    const { targetId } = await this.ask("Target.createTarget", { url: "about:blank" });
    this.session = (await this.ask("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    for (const domain of ["Page", "Runtime", "Log"]) await this.ask(`${domain}.enable`);
    await this.ask("Emulation.setDeviceMetricsOverride", { width: 1200, height: 900, deviceScaleFactor: 1, mobile: false });
    await this.go(address);
  }

  go(url) {
    return this.ask("Page.navigate", { url });
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.ask("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async screenshot(name) {
    const { data } = await this.ask("Page.captureScreenshot", { format: "png" });
    writeFileSync(`${root}target/web/${name}.png`, Buffer.from(data, "base64"));
  }

  end() {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.process.kill();
    return ended.then(() => rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20 }));
  }
}

/** Firefox by Marionette: messages over TCP, each after its length. */
export class Firefox extends Tab {
  #profile = mkdtempSync(join(tmpdir(), "gdl-firefox-"));
  #waiting = new Map();
  #count = 0;
  #rest = Buffer.alloc(0);

  /** Starts Firefox with preferences, and opens a page. */
  async open(address, preferences) {
    const all = { "marionette.port": 0, "browser.shell.checkDefaultBrowser": false, "app.update.enabled": false, ...preferences };
    const line = ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`;
    writeFileSync(join(this.#profile, "user.js"), Object.entries(all).map(line).join(""));
    this.process = spawn(firefox, ["--headless", "--marionette", "--no-remote", "--profile", this.#profile], { stdio: "ignore" });
    const port = join(this.#profile, "MarionetteActivePort");
    while (!existsSync(port) || readFileSync(port, "utf8") === "") await pause();
    this.socket = connect(Number(readFileSync(port, "utf8")), "127.0.0.1");
    this.socket.on("data", (data) => this.#receive(Buffer.concat([this.#rest, data])));
    await this.ask("WebDriver:NewSession");
    await this.ask("WebDriver:SetTimeouts", { script: 600_000, pageLoad: 600_000 });
    await this.go(address);
  }

  #receive(bytes) {
    for (;;) {
      const colon = bytes.indexOf(":");
      const end = colon + 1 + Number(bytes.subarray(0, colon));
      if (colon < 0 || bytes.length < end) break;
      const message = JSON.parse(bytes.subarray(colon + 1, end));
      bytes = bytes.subarray(end);
      // The first message is a greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const waiting = this.#waiting.get(id);
      if (error) waiting.reject(new Error(error.message));
      else waiting.resolve(result);
    }
    this.#rest = bytes;
  }

  ask(command, parameters = {}) {
    const id = ++this.#count;
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    const text = JSON.stringify([0, id, command, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return answered;
  }

  go(url) {
    return this.ask("WebDriver:Navigate", { url });
  }

  async run(expression) {
    const { value } = await this.ask("WebDriver:ExecuteScript", { script: "return window.eval(arguments[0])", args: [expression], sandbox: null });
    return value;
  }

  async screenshot(name) {
    const { value } = await this.ask("WebDriver:TakeScreenshot", { full: false });
    writeFileSync(`${root}target/web/${name}.png`, Buffer.from(value, "base64"));
  }

  end() {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.socket?.destroy();
    this.process.kill();
    return ended.then(() => rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20 }));
  }
}
