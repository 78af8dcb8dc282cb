// The player for Stanford's course in the arena: whole matches, whose moves native code makes again.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { parts, sentences } from "../../target/web/package/epilog.js";
import { Native, instance, packed, root, shared } from "./support.js";

const native = new Native();
const folder = mkdtempSync(join(tmpdir(), "gdl-"));
after(() => {
  native.end();
  rmSync(folder, { recursive: true });
});
const sheet = (name) => `${root}web/tests/rulesheets/${name}.epilog`;
const PLAYER = `${root}target/web/playground/player.html`;

async function ask(request) {
  const { ok, error } = await native.answer(request);
  assert.equal(error, undefined, JSON.stringify(request).slice(0, 200));
  return ok;
}

// Runs matches, and makes their moves natively.
async function arena(file, ...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [`${packed}arena.js`, file, ...args, "--json"]);
  const matches = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const { game, roles } = await ask({ ask: "load", text: readFileSync(file, "utf8") });
  for (const match of matches) {
    let here = await ask({ ask: "position", game });
    for (const moves of match.moves) {
      assert.equal(here.terminal, false);
      here = await ask({ ask: "apply", game, state: here.state, moves });
    }
    assert.deepEqual([here.terminal, here.goals, roles], [true, match.goals, match.roles]);
  }
  return matches;
}

// A late answer is no fault on a busy machine, but an illegal one is.
const illegal = ({ errors }) => errors.flat().filter(({ told }) => told !== null);

for (const name of ["tictactoe", "connect_four"]) {
  test(`the sheet ${name} is the built-in game`, async () => {
    const counts = [{ text: readFileSync(sheet(name), "utf8") }, { name }].map(async (load) => {
      const { game } = await ask({ ask: "load", ...load });
      return ask({ ask: "perft", game, depth: 6 });
    });
    const [own, built] = await Promise.all(counts);
    assert.deepEqual(own, built);
  });

  test(`the page plays ${name} against itself and against random moves`, async () => {
    const matches = [...(await arena(sheet(name), PLAYER, PLAYER, "--play", "2")), ...(await arena(sheet(name), PLAYER, "random", "--play", "2", "--matches", "2"))];
    assert.deepEqual(matches.map(({ players }) => players.join()), ["player.html,player.html", "player.html,random", "random,player.html"]);
    assert.deepEqual(matches.flatMap(illegal), []);
  });
}

test("a page that errs, fails or hangs gets random moves", async () => {
  const page = (name, answer) => {
    const script = `var manager = "manager"; var player = "${name}";
      function hear(event) {
        const [, number, message] = /message\\((\\d+),manager,${name},(.*)\\)/.exec(event.newValue);
        const told = /^(ping|start)/.test(message) ? "ready" : ${answer};
        if (told) localStorage[manager] = "message(" + number + "," + player + ",manager," + told + ")";
      }`;
    writeFileSync(join(folder, `${name}.js`), script);
    writeFileSync(join(folder, `${name}.html`), `<script src='/far/${name}.js'></script><body onload='window.addEventListener("storage", hear, false)'>`);
    return join(folder, `${name}.html`);
  };
  const [wrong, failing, hanging] = [page("wrong", `"mark(7, 7)"`), page("failing", "nothing()"), page("hanging", "(() => { for (;;); })()")];
  for (const other of [failing, hanging]) {
    const [match] = await arena(sheet("tictactoe"), wrong, other, "--play", "2");
    const turns = (seat) => match.moves.flatMap((joint, at) => (joint[seat] === "noop" ? [] : [at]));
    assert.deepEqual(match.errors[0], turns(0).map((at) => ({ at, told: "(mark 7 7)" })));
    assert.deepEqual(match.errors[1], turns(1).map((at) => ({ at, told: null })));
  }
});

test("a player over HTTP gets KIF, with the names that it needs", async (context) => {
  const file = join(folder, "does.epilog");
  writeFileSync(file, readFileSync(sheet("tictactoe"), "utf8").replaceAll("mark", "does"));
  const module = await instance();
  const match = {};
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const [, kind, id, rest] = /^\((\w+) (\w+) ([^]*)\)$/.exec(text);
    let told = "done";
    if (kind === "START") {
      const [, role, rules, clocks] = /^(\w+) \(([^]*)\) (\d+ \d+)$/.exec(rest);
      Object.assign(match, { id, role, clocks, ...module.ask({ ask: "load", text: rules }) });
      match.here = module.ask({ ask: "position", game: match.game });
      told = "ready";
    } else if (kind === "PLAY") {
      const moves = rest.match(/\(does_ \d \d\)|noop/g);
      if (moves) match.here = module.ask({ ask: "apply", game: match.game, state: match.here.state, moves });
      told = match.here.legal[match.roles.indexOf(match.role)].at(-1);
    }
    response.writeHead(200, { "content-type": "text/acl", "content-length": told.length }).end(told);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  context.after(() => server.close());
  const address = `http://127.0.0.1:${server.address().port}`;
  const [played] = await arena(file, PLAYER, address, "--start", "9", "--play", "2");
  assert.deepEqual([match.id, match.role, match.clocks], ["arena1", "o", "9 2"]);
  assert.deepEqual([illegal(played), played.errors[1]], [[], []]);
});

test("a rulesheet is sent as it is written", async (context) => {
  for (const { name, text } of shared(context, "epilog/games", 1, ".epilog")) {
    const sent = parts(`ruleset(${sentences(text)})`).slice(1).join("\n");
    const [whole, joined] = [text, sent].map((text) => ask({ ask: "convert", text, to: "kif" }));
    const rules = ({ text }) => text.replaceAll(/;.*/g, "").replaceAll(/\s+/g, " ").trim();
    assert.equal(rules(await joined), rules(await whole), name);
  }
});

test("an endless match is cut off, and what is no number is refused", async () => {
  const file = join(folder, "endless.kif");
  writeFileSync(file, "(role a) (init s) (legal a x) (legal a y) (<= (next s) (true s)) (<= terminal (not (true s))) (goal a 50)");
  const run = (...args) => promisify(execFile)(process.execPath, [`${packed}arena.js`, file, "random", ...args]);
  assert.match((await run()).stdout, /a random 50 \(10000 moves\)/);
  await assert.rejects(run("--play", "soon"), /--play wants a number: soon/);
});
