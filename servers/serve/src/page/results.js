// Results of `gdl manage`: the standings of the players and the list of their matches. Both are
// loaded again while matches are planned or running.

import { html, svg } from "./dom.js";
import * as match from "./match.js";

const count = (number) => number.toLocaleString("en");
const points = (elo) => (elo === null ? "–" : `${elo >= 0.5 ? "+" : elo <= -0.5 ? "−" : ""}${Math.round(Math.abs(elo))}`);
const head = (...names) => html("thead", {}, html("tr", {}, ...names.map((name) => html("th", { scope: "col" }, name))));

export function mount(root, app) {
  const title = html("h2", { id: "schedule" });
  const progress = html("p", { id: "progress", class: "faint" });
  const rows = html("tbody");
  const standings = html("section", {}, html("h2", {}, "Standings"), html("div", { class: "wide" }, html("table", { id: "standings", "aria-label": "Standings" },
    head("player", "rating", "95 % interval", "matches", "wins", "draws", "losses", "mean goal", "illegal", "late", "missing"), rows)));

  const listed = html("tbody");
  const choice = (label) => html("select", { "aria-label": label, onchange: () => { pages = [null]; show(); } });
  const [state, player, game] = [choice("Matches in this state"), choice("Matches of this player"), choice("Matches of this game")];
  const newer = html("button", { type: "button", onclick: () => { pages.pop(); show(); } }, "Back");
  const older = html("button", { type: "button", onclick: () => { pages.push(further); show(); } }, "Further");
  const list = html("section", {}, html("h2", {}, "Matches"),
    html("div", { class: "row", role: "group", "aria-label": "Which matches" }, state, player, game, newer, older),
    html("div", { class: "wide" }, html("table", { id: "matches", "aria-label": "Matches" },
      head("match", "game", "state", "players and goals", "steps", "began"), listed)));

  const overview = html("div", {}, title, progress, standings, list);
  const watched = html("div", { id: "match", hidden: true });
  root.append(overview, watched);
  const viewer = match.mount(watched, app);

  // The match after which each visited page of the list begins, and the match after which the next
  // page begins.
  let pages = [null];
  let further = null;
  let control = null;

  const option = (value, text) => html("option", { value }, text);

  async function begin(signal) {
    const { schedule, games, players } = await app.api("GET", "/results", undefined, signal);
    title.textContent = schedule;
    const options = (select, all, values) => {
      const kept = select.value;
      select.replaceChildren(option("", all), ...values.map((value) => option(value, value)));
      if (values.includes(kept)) select.value = kept;
    };
    options(state, "all states", ["running", "done", "planned"]);
    options(player, "all players", players);
    options(game, "all games", games);
  }

  // Shows the standings and the list. Loads both again until all matches are done, or another part
  // of the page is open.
  async function show() {
    control?.abort();
    const { signal } = (control = new AbortController());
    await match.repeat(app, signal, async () => {
      const asked = new URLSearchParams();
      for (const [name, { value }] of Object.entries({ state, player, game })) if (value) asked.set(name, value);
      const after = pages.at(-1);
      if (after) {
        asked.set("after", after.number);
        asked.set("after_state", after.state);
      }
      const [stand, some] = await Promise.all([
        app.api("GET", "/results/standings", undefined, signal),
        app.api("GET", `/results/matches?${asked}`, undefined, signal),
      ]);
      showStandings(stand);
      showList(some);
      return stand.matches.running + stand.matches.planned > 0;
    });
  }

  function showStandings({ matches, players }) {
    const all = matches.planned + matches.running + matches.done;
    const unscored = matches.unscored ? `, ${count(matches.unscored)} without goals` : "";
    progress.textContent = `${count(matches.done)} of ${count(all)} matches done, ${count(matches.running)} running${unscored}`;
    const ends = players.flatMap((one) => one.rating_interval ?? []);
    const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
    rows.replaceChildren(...players.map((one) => html("tr", {},
      html("th", { scope: "row" }, one.player),
      html("td", {}, points(one.rating)),
      html("td", { class: "interval" }, bar(one, low, high)),
      ...[one.matches, one.wins, one.draws, one.losses].map((number) => html("td", {}, count(number))),
      html("td", {}, one.mean_goal === null ? "–" : one.mean_goal.toFixed(2)),
      ...["illegal", "late", "missing"].map((fault) =>
        html("td", { class: one.faults[fault] ? "fault-count" : undefined }, count(one.faults[fault]))))));
  }

  // Draws the interval of a rating on a scale that all players share, with a stroke at 0.
  function bar({ rating, rating_interval: interval }, low, high) {
    if (!interval) return "–";
    const at = (elo) => 4 + (192 * (elo - low)) / (high - low || 1);
    const [from, to] = interval.map(at);
    return svg("svg", { viewBox: "0 0 200 20", class: "bar", role: "img", "aria-label": `${points(interval[0])} to ${points(interval[1])}` },
      svg("title", {}, `${points(interval[0])} to ${points(interval[1])}`),
      svg("path", { d: `M${at(0)} 0V20`, class: "zero" }),
      svg("rect", { x: from, y: 6, width: Math.max(1, to - from), height: 8, rx: 4, class: "range" }),
      svg("circle", { cx: at(rating), cy: 10, r: 5, class: "point" }));
  }

  function showList({ matches, more }) {
    further = matches.length && more ? matches.at(-1) : null;
    older.disabled = !further;
    newer.disabled = pages.length < 2;
    const focused = listed.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    listed.replaceChildren(...matches.map((one) => html("tr", { class: one.state },
      html("th", { scope: "row" }, html("a", { href: `#match=${one.number}`, "aria-label": `Match ${one.number}` }, String(one.number))),
      html("td", {}, one.game),
      html("td", {}, html("span", { class: "state" }, one.state), one.ending && one.ending !== "terminal" ? ` (${one.ending})` : ""),
      html("td", {}, ...one.seats.filter(({ player }) => player !== null).flatMap((seat, place) => [place ? ", " : "", ...who(seat)])),
      html("td", {}, one.last === null ? "–" : count(one.last)),
      html("td", {}, one.started === null ? "–" : match.moment(one.started)))));
    if (!matches.length) listed.replaceChildren(html("tr", {}, html("td", { colspan: 6, class: "faint" }, "none")));
    if (focused) listed.querySelector(`[href="${focused}"]`)?.focus();
  }

  function who({ role, player, goal, illegal, late, missing }) {
    const faults = illegal + late + missing;
    const parts = [html("span", { title: `as ${role}` }, player)];
    if (goal !== null) parts.push(" ", html("b", {}, String(goal)));
    if (faults) parts.push(" ", html("span", { class: "fault-count" }, faults === 1 ? "(1 fault)" : `(${faults} faults)`));
    return parts;
  }

  app.on("close", () => { control?.abort(); viewer.leave(); });
  app.on("open", () => { control?.abort(); viewer.leave(); });
  app.on("results", async (number) => {
    overview.hidden = number !== null;
    watched.hidden = number === null;
    document.title = number === null ? "results · gdl" : `match ${number} · gdl`;
    if (number !== null) return viewer.open(number);
    const { signal } = (control = new AbortController());
    try {
      await begin(signal);
    } catch (error) {
      if (!signal.aborted) app.warn(error.message);
      return;
    }
    if (!signal.aborted) show();
  });
}
