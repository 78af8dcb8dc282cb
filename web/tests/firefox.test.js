// The playground in Firefox: a game is played to its end, a rulesheet written, random games counted,
// and a saved file played without its server.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Firefox, firefox, pause, serve } from "./browser.js";

test("the playground in Firefox", { skip: !firefox && "Firefox is missing" }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "gdl-downloads-"));
  const { address, end } = await serve();
  const browser = new Firefox();
  context.after(async () => {
    await browser.end();
    end();
    rmSync(folder, { recursive: true });
  });
  const click = (selector) => browser.run(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const status = (text) => browser.until(`!document.getElementById("game").hidden && document.getElementById("status").textContent.includes(${JSON.stringify(text)})`);
  // Clicks a legal move until the game is over.
  const play = () => browser.until(`{ document.querySelector("#legal button")?.click(); document.getElementById("status").textContent === "Game over"; }`);
  await browser.open(`${address}playground/`, { "browser.download.folderList": 2, "browser.download.dir": folder });

  await context.test("a game is played to its end against the computer", async () => {
    await browser.until(`document.querySelector('[data-game="tictactoe"]')`);
    await click('[data-game="tictactoe"]');
    await status("xplayer to move");
    await browser.run(`{ const select = document.querySelectorAll("#seats select")[1]; select.value = "mcts:seed=1"; select.dispatchEvent(new Event("change")); }`);
    await click('#board [data-cell="4"]');
    await browser.until(`document.querySelectorAll("#board .piece").length === 2 && document.getElementById("status").textContent.includes("xplayer to move")`);
    await browser.screenshot("firefox");
    await play();
    const goals = await browser.run(`document.getElementById("goals").textContent`);
    assert.match(goals, /^xplayer (0|50|100), oplayer (0|50|100)$/);
  });

  await context.test("random games are counted", async () => {
    await click("#playouts");
    await browser.until(`document.getElementById("report")?.textContent.includes("xplayer")`);
  });

  await context.test("a rulesheet shows its faults and is played", async () => {
    await click("header a");
    await click(".editor .row button:nth-of-type(3)");
    await browser.until(`!document.getElementById("rulesheet-play").disabled`);
    const edit = (change) => browser.run(`{ const text = document.getElementById("rulesheet"); text.value = ${change}; text.dispatchEvent(new Event("input")); }`);
    await edit(`text.value + "(<= (next (p ?z)) (true off))"`);
    await browser.until(`document.querySelectorAll(".faults .fault.error").length > 0`);
    await edit(`text.value.replace("(<= (next (p ?z)) (true off))", "")`);
    await browser.until(`!document.getElementById("rulesheet-play").disabled`);
    await click("#rulesheet-play");
    await status("you to move");
  });

  await context.test("a match is saved as one file, and played to its end", async () => {
    await click("#save");
    let name;
    while (!name) {
      await pause();
      const names = readdirSync(folder);
      name = names.some((name) => name.endsWith(".part")) ? undefined : names.find((name) => name.endsWith(".html"));
    }
    end();
    await browser.go(pathToFileURL(join(folder, name)).href);
    await browser.until(`document.querySelector("#legal button")`);
    await play();
  });
});
