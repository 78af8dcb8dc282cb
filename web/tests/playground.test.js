// The playground in Chromium, from a plain file server that has it in the book: a game is played, a
// rulesheet written, a link followed.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { unpack } from "../../servers/serve/src/page/link.js";
import { sentences } from "../../target/web/package/epilog.js";
import { Browser, found, pause, serve } from "./browser.js";
import { Native, root } from "./support.js";

test("the playground", { skip: !found && "Chromium is missing" }, async (context) => {
  const { address, end } = await serve();
  const browser = new Browser(["--disable-gpu"]);
  const click = (selector) => browser.run(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const status = (text) => browser.until(`!document.getElementById("game").hidden && document.getElementById("status").textContent.includes(${JSON.stringify(text)})`);
  context.after(async () => {
    await browser.end();
    end();
  });
  await browser.open(`${address}playground/`);

  await context.test("a game is played on its board against the computer", async () => {
    await browser.until(`document.querySelector('[data-game="tictactoe"]')`);
    await browser.screenshot("chooser");
    await click('[data-game="tictactoe"]');
    await status("xplayer to move");
    assert.equal(await browser.run(`document.querySelectorAll("#board [data-cell]").length`), 9);
    await browser.run(`{ const select = document.querySelectorAll("#seats select")[1]; select.value = "mcts:seed=1"; select.dispatchEvent(new Event("change")); }`);
    await click('#board [data-cell="4"]');
    await browser.until(`document.querySelectorAll("#board .piece").length === 2 && document.getElementById("status").textContent.includes("xplayer to move")`);
    await browser.screenshot("game");
    await click("#undo");
    await browser.until(`document.querySelectorAll("#board .piece").length === 0`);
  });

  await context.test("why, random games and the end of a game", async () => {
    await browser.run(`{ document.getElementById("why-atom").value = "legal oplayer noop"; document.querySelector("#why form").requestSubmit(); }`);
    await browser.until(`document.querySelector("#why .asked")?.textContent.includes("holds")`);
    await browser.run(`document.getElementById("why").close()`);
    await click("#playouts");
    await browser.until(`document.getElementById("report")?.textContent.includes("xplayer")`);
    // Chromium has WebGPU here, and no card.
    await click("#card");
    await browser.until(`/offers no graphics card: the processor plays[^]*xplayer/.test(document.getElementById("report").textContent)`);
    await click("#finish");
    await status("Game over");
  });

  await context.test("a link holds the rulesheet and the position", async () => {
    await click("header a");
    await click(".editor .row button:nth-of-type(3)");
    await browser.until(`!document.getElementById("rulesheet-play").disabled`);
    await browser.run(`{ const text = document.getElementById("rulesheet"); text.value += "(<= (next (p ?z)) (true off))"; text.dispatchEvent(new Event("input")); }`);
    await browser.until(`document.querySelectorAll(".faults .fault.error").length > 0`);
    await browser.screenshot("editor");
    await browser.run(`{ const text = document.getElementById("rulesheet"); text.value = text.value.replace("(<= (next (p ?z)) (true off))", ""); text.dispatchEvent(new Event("input")); }`);
    await browser.until(`!document.getElementById("rulesheet-play").disabled`);
    await click("#rulesheet-play");
    await status("you to move");
    await click('#legal [data-move="wait"]');
    await browser.until(`document.querySelectorAll("#moves li").length === 2`);
    await click("#share");
    const link = await browser.until(`document.getElementById("link").value`);
    assert.match(link, /#at=/);
    await browser.go("about:blank");
    await browser.go(link);
    await status("you to move");
    assert.equal(await browser.run(`document.querySelectorAll("#moves li").length`), 2);
    assert.match(await browser.run(`document.getElementById("fluents").textContent`), /step/);
  });

  await context.test("a match is saved as one file, and played to its end without a network", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gdl-saved-"));
    const native = new Native();
    const offline = new Browser(["--disable-gpu", "--proxy-server=127.0.0.1:1", "--proxy-bypass-list=<-loopback>"]);
    context.after(() => native.end());
    context.after(() => offline.end().then(() => rmSync(folder, { recursive: true })));
    // Returns the path of the saved file.
    const save = async (page) => {
      const downloadPath = mkdtempSync(join(folder, "saved-"));
      await page.ask("Page.setDownloadBehavior", { behavior: "allow", downloadPath });
      await page.run(`document.getElementById("save").click()`);
      for (;;) {
        const name = readdirSync(downloadPath).find((name) => name.endsWith(".html"));
        if (name) return join(downloadPath, name);
        await pause();
      }
    };
    await offline.open("about:blank");
    // The rulesheet of the link, and a built-in game.
    const own = await save(browser);
    await browser.go(`${address}playground/#play=tictactoe`);
    await status("xplayer to move");
    await browser.run(`{ const select = document.querySelectorAll("#seats select")[1]; select.value = "mcts:seed=1"; select.dispatchEvent(new Event("change")); }`);
    const builtIn = await save(browser);
    for (const [name, file] of Object.entries({ rulesheet: own, tictactoe: builtIn })) {
      await offline.go("about:blank");
      await offline.go(pathToFileURL(file).href);
      await offline.until(`document.querySelector("#legal button")`);
      assert(readFileSync(await save(offline)).equals(readFileSync(file)));
      await offline.until(`{ document.querySelector("#legal button")?.click(); document.getElementById("status").textContent === "Game over"; }`);
      await offline.screenshot(`saved-${name}`);
      await offline.run(`document.getElementById("share").click()`);
      const link = await offline.until(`document.getElementById("link").value`);
      const { game, rulesheet, moves } = await unpack(link.split("#at=")[1]);
      const { ok } = await native.answer({ ask: "load", name: game, text: rulesheet });
      let { ok: end } = await native.answer({ ask: "position", game: ok.game });
      for (const joint of moves) ({ ok: end } = await native.answer({ ask: "apply", game: ok.game, state: end.state, moves: joint }));
      assert.equal(end.terminal, true);
      assert.equal(await offline.run(`document.getElementById("goals").textContent`), ok.roles.map((role, at) => `${role} ${end.goals[at]}`).join(", "));
      if (game) assert(moves.filter(([, move]) => move !== "noop").length >= 2, "the computer made moves");
    }
    assert.deepEqual(offline.faults, []);
  });

  await context.test("a hostile rulesheet leaves the page alive", async () => {
    await click("header a");
    const nested = `(role r) (init a) ${"(".repeat(5000)}${")".repeat(5000)}`;
    await browser.run(`{ const text = document.getElementById("rulesheet"); text.value = ${JSON.stringify(nested)}; text.dispatchEvent(new Event("input")); }`);
    await browser.until(`document.querySelector(".verdict.faulty")`);
    await click('[data-game="nim"]');
    await status("to move");
  });

  await context.test("the page of a player answers another window, and the scripts of the course", async () => {
    await browser.run(`new Promise((done) => {
      const frame = document.createElement("iframe");
      Object.assign(frame, { id: "frame", src: "player.html", onload: done });
      document.body.append(frame);
    })`);
    const ask = (number, message) => browser.run(`new Promise((done) => {
      addEventListener("storage", ({ key, newValue }) => key === "manager" && done(newValue), { once: true });
      localStorage.gdl = ${JSON.stringify(`message(${number},manager,gdl,${message})`)};
    })`);
    const rules = sentences(readFileSync(`${root}web/tests/rulesheets/tictactoe.epilog`, "utf8"));
    assert.equal(await ask(1, "ping()"), "message(1,gdl,manager,ready)");
    assert.equal(await ask(2, `start(x,ruleset(${rules}),10,1)`), "message(2,gdl,manager,ready)");
    assert.match(await ask(3, "play([])"), /^message\(3,gdl,manager,mark\([123],[123]\)\)$/);
    // A game of two moves, as the scripts of the course read it.
    const terms = ["ruleset", ["role", "x"], ["init", "a"], ["init", ["control", "x"]], ["legal", ["go", "a", ["f", "b"]]],
      ["handler", ["go", "S", "T"], ["transition", ["and", "a", ["not", "b"]], ["and", "b", ["not", "a"]]]],
      ["handler", ["go", "S", "T"], ["transition", "b", "c"]], ["rule", "terminal", "b", "c"],
      ["goal", "x", "100"]];
    const told = await browser.run(`{
      const page = document.getElementById("frame").contentWindow;
      const move = ["go", "a", ["f", "b"]];
      [page.start("o", "ruleset(${rules})", "10", "1"), page.play("nil"),
        page.ping(), page.start("x", ${JSON.stringify(terms)}, "10", "1"), page.play("nil"), page.play(move), page.play(move), page.stop(move), page.play("nil")];
    }`);
    assert.deepEqual(told, ["ready", false, "ready", "ready", "go(a,f(b))", "go(a,f(b))", false, false, false]);
    await browser.run(`document.getElementById("frame").remove()`);
  });

  await context.test("rulesheets and games of the book open in it", async () => {
    for (const [page, role] of [["tutorial/language", "left"], ["reference/games/nim", "left"]]) {
      await browser.go(`${address}${page}.html`);
      await browser.until(`document.querySelector("a.playground")`);
      assert.equal(await browser.run(`document.querySelectorAll("a.playground").length`), 1);
      await browser.screenshot(page.replaceAll("/", "-"));
      await click("a.playground");
      await status(`${role} to move`);
    }
    await browser.go(`${address}playground/`);
  });

  await context.test("a phone shows all of it in one column", async () => {
    await browser.ask("Emulation.setDeviceMetricsOverride", { width: 360, height: 740, deviceScaleFactor: 1, mobile: true });
    await browser.screenshot("phone");
    assert(await browser.run(`document.documentElement.scrollWidth <= 360`));
  });

  assert.deepEqual(browser.faults, []);
});
