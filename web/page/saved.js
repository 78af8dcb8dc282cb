// A copy of the page in one HTML file, which plays without a network. Its styles are inside it, and
// so are its modules and the WebAssembly module, as compressed parts.
//
// A page from a file cannot load other files. Modules are therefore run from `data:` addresses,
// which workers can import, unlike `blob:` addresses.

// The files that a module names: its imports, and addresses relative to it.
const REFERENCE = /(from |URL\()"(\.[^"]+)"/g;

// The module for browsers without SIMD.
const PLAIN = "package/gdl-plain.wasm";

const resolve = (name, from) => new URL(name, `http://page/${from}`).pathname.slice(1);

// Reads a file of the page: a part of the saved page, or a file beside this one.
async function read(name) {
  const part = document.querySelector(`[data-file="${name}"]`);
  const response = await fetch(part ? part.textContent : name);
  if (!response.ok) throw new Error(`${name} cannot be read`);
  return part ? new Response(response.body.pipeThrough(new DecompressionStream("gzip"))) : response;
}

// Returns bytes as a `data:` address.
async function encode(stream) {
  const reader = new FileReader();
  const done = new Promise((resolve) => reader.addEventListener("load", resolve));
  reader.readAsDataURL(await new Response(stream).blob());
  await done;
  return reader.result;
}

/** Returns the text of the file, which opens at a packed match. */
export async function save(at) {
  const parts = new Map();
  const add = async (name) => {
    // Browsers that can open the file have SIMD.
    if (parts.has(name) || name === PLAIN) return;
    const file = await (await read(name)).blob();
    parts.set(name, await encode(file.stream().pipeThrough(new CompressionStream("gzip"))));
    if (!name.endsWith(".js")) return;
    for (const [, , other] of (await file.text()).matchAll(REFERENCE)) await add(resolve(other, name));
  };
  const text = async (name) => (await read(name)).text();
  const page = new DOMParser().parseFromString(await text("index.html"), "text/html");
  const element = (tag, text, attributes = {}) => {
    const made = page.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    return made;
  };
  const script = page.querySelector("script[src]");
  const styles = [...page.querySelectorAll("link[rel=stylesheet]")];
  const main = script.getAttribute("src");
  for (const name of ["index.html", ...styles.map((link) => link.getAttribute("href")), main]) await add(name);
  for (const link of styles) link.replaceWith(element("style", await text(link.getAttribute("href"))));
  page.querySelectorAll("link[rel=modulepreload]").forEach((link) => link.remove());
  const opening = `await open(${JSON.stringify(main)}, ${JSON.stringify(at)});\n`;
  script.replaceWith(element("script", (await text("saved.js")) + opening, { type: "module" }));
  page.body.append(...[...parts].map(([name, part]) => element("script", part, { type: "text/plain", "data-file": name })));
  return `<!doctype html>\n${page.documentElement.outerHTML}\n`;
}

// Returns the address of a part. The files that it names are inside it.
async function address(name) {
  if (name === PLAIN) return "data:,";
  const file = await read(name);
  if (!name.endsWith(".js")) return encode(file.body);
  let text = await file.text();
  for (const [whole, before, other] of text.matchAll(REFERENCE)) {
    const inner = await address(resolve(other, name));
    text = text.replace(whole, () => `${before}"${inner}"`);
  }
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

// A worker of the saved page. Chromium limits the address of a worker to 2 MB, so a script imports
// the module, and keeps the messages that arrive before.
class Imported extends Worker {
  constructor(address) {
    const script = `const early = [];
      onmessage = (event) => early.push(event);
      import("${address}").then(() => early.forEach((event) => onmessage(event)));`;
    super(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  }
}

/** Runs a module of the saved page, at a packed match. */
export async function open(main, at) {
  globalThis.Worker = Imported;
  if (!location.hash) history.replaceState(null, "", `#at=${at}`);
  await import(await address(main));
}
