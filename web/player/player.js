// A player for the page of Stanford's course on general game playing. The page and its players are
// windows of one browser, which write messages such as `message(3,manager,gdl,play(mark(1,1)))` to
// `localStorage`, each at the name of the receiver.
//
// `web/build` writes `module.js`, `epilog.js` and the compressed module before this script.

// Other scripts of the course read and set these names.
var manager = "manager";
var player = "gdl";

// The seconds of the clock that a search leaves.
const MARGIN = 2;

let module = null;
let match = null;

const ready = (async () => {
  if (!hasSimd()) throw new Error("this player needs a browser with the SIMD of WebAssembly");
  const bytes = Uint8Array.from(atob(WASM), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  module = await Module.of(await WebAssembly.compile(await new Response(stream).arrayBuffer()));
})();
ready.catch((error) => log(`error: ${error.message}`));

const OPERATORS = { and: " & ", or: " | ", transition: " ==> " };

// Writes a term, which is text or, in the scripts of the course, nested arrays.
function write(term) {
  if (typeof term === "string") return term;
  const [name, ...given] = [term[0], ...term.slice(1).map(write)];
  if (name === "not") return `~${given[0]}`;
  if (name === "rule") return `${given[0]} :- ${given.slice(1).join(" & ")}`;
  if (name === "handler") return given.join(" :: ");
  if (name in OPERATORS) return `(${given.join(OPERATORS[name])})`;
  return `${name}(${given})`;
}

// ---- The functions of a player ------------------------------------------------------------------

function ping() {
  return module ? "ready" : false;
}

function start(role, rules, startclock, playclock) {
  abort();
  const sentences = Array.isArray(rules) ? rules.slice(1).map(write) : parts(rules).slice(1);
  const { game, roles } = module.ask({ ask: "load", text: sentences.join("\n"), patient: true });
  const seconds = Math.max(playclock - MARGIN, playclock / 2);
  match = { game, role, seat: roles.indexOf(role), seconds, moves: [], here: module.ask({ ask: "position", game }) };
  return "ready";
}

// Makes the last move, and returns a move if the role is in control.
function play(move) {
  if (!match) return false;
  const { game, role, seat, seconds, moves } = match;
  const made = toKif(write(move));
  if (made !== "nil" && made !== "[]") {
    const { state, legal } = match.here;
    moves.push(legal.map((list) => (list.includes(made) ? made : list[0])));
    match.here = module.ask({ ask: "apply", game, state, moves: moves.at(-1) });
  }
  const { legal } = match.here;
  const waits = ([first, ...others]) => first === "noop" && !others.length;
  if (!legal[seat].length || (waits(legal[seat]) && !legal.every(waits))) return false;
  if (legal[seat].length === 1) return toEpilog(legal[seat][0]);
  return toEpilog(module.ask({ ask: "choose", game, role, player: "best", moves, seconds }).move);
}

function stop(move) {
  return abort();
}

function abort() {
  if (match) module.ask({ ask: "unload", game: match.game });
  match = null;
  return false;
}

// ---- Messages -----------------------------------------------------------------------------------

function log(text) {
  document.getElementById("transcript").value += `${text}\n`;
  return text;
}

function rename() {
  player = prompt("The identifier of this player:", player) || player;
  document.getElementById("player").textContent = player;
}

addEventListener("storage", async ({ key, newValue }) => {
  if (key !== player || newValue === null) return;
  await ready;
  const [, number, sender, receiver, message] = parts(newValue);
  if (sender !== manager || receiver !== player) return;
  log(newValue);
  const [name, ...given] = parts(message);
  const calls = { ping, start, play, stop, abort };
  try {
    const told = Object.hasOwn(calls, name) && calls[name](...given);
    if (told) localStorage[manager] = log(`message(${number},${player},${manager},${told})`);
  } catch (error) {
    log(`error: ${error.message}`);
  }
});
