// The chooser: a card for each game, with its initial board, and a button that leads to the box for
// a rulesheet.

import { html, svg } from "./dom.js";
import { draw, kinds, surface } from "./pieces.js";
import { LEVELS } from "./play.js";

const KINDS = { puzzle: "puzzle", turns: "turns", simultaneous: "simultaneous" };

export async function mount(root, app) {
  const note = html("p", { class: "faint" }, "Looking for games …");
  const find = html("input", { type: "search", id: "find", placeholder: "Find a game", "aria-label": "Find a game", autocomplete: "off" });
  const groups = html("div", { id: "games" });
  const write = html("button", { type: "button", class: "primary", onclick: () => {
    document.querySelector(".editor")?.scrollIntoView({ behavior: "smooth" });
    document.getElementById("rulesheet")?.focus({ preventScroll: true });
  } }, "Paste your own rules");
  root.append(
    html("p", { class: "lead" }, "Play any game whose rules can be written down. Choose a game, or paste its rules, and play on a board against an opponent."),
    html("div", { class: "row first" }, find, write),
    note,
    groups,
  );
  try {
    const { games } = await app.api("GET", "/games");
    note.textContent = "";
    const parts = Object.entries(GROUPS).map(([title, fits]) => {
      const list = html("ul", { class: "cards", "aria-label": title });
      list.append(...games.filter((game) => fits(game)).map((game) => card(game, app)));
      return html("section", { class: "group" }, html("h2", {}, title), list);
    });
    groups.append(...parts.filter((part) => part.querySelector("li")));
    find.addEventListener("input", () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const item of groups.querySelectorAll("li")) {
        const told = item.textContent.toLowerCase();
        item.hidden = !words.every((word) => told.includes(word));
        count += item.hidden ? 0 : 1;
      }
      for (const part of parts) part.hidden = !part.querySelector("li:not([hidden])");
      note.textContent = words.length ? (count === 1 ? "1 game" : `${count} games`) : "";
      app.say(note.textContent);
    });
  } catch (problem) {
    note.textContent = problem.message;
  }
}

// Each game is in one group.
const lucky = (game) => game.chance || game.hidden || game.kind === "simultaneous";
const GROUPS = {
  "Board games": (game) => game.kind !== "puzzle" && !lucky(game),
  "Chance, hidden and simultaneous moves": (game) => game.kind !== "puzzle" && lucky(game),
  Puzzles: (game) => game.kind === "puzzle",
};

function card(game, app) {
  const open = async (more = {}) => {
    button.disabled = true;
    try {
      await app.start({ game: game.name, ...more });
    } catch (problem) {
      app.warn(problem.message);
    } finally {
      button.disabled = false;
    }
  };
  const players = game.players === 1 ? "1 player" : `${game.players} players`;
  const tags = [players, KINDS[game.kind]];
  if (game.chance) tags.push("chance");
  if (game.hidden) tags.push("hidden");
  const sketch = picture(game);
  const button = html(
    "button",
    { type: "button", class: "game", "data-game": game.name },
    sketch,
    html(
      "span",
      { class: "words" },
      html("b", {}, game.title),
      html("span", { class: "faint" }, game.summary),
      html("span", { class: "tags" }, ...tags.flatMap((tag) => [html("i", {}, tag), " "])),
    ),
  );
  button.addEventListener("click", () => open());
  if (!game.loaded) {
    seen(button, async () => {
      const full = await app.api("GET", `/games/${encodeURIComponent(game.name)}`).catch(() => game);
      sketch.replaceWith(picture(full));
    });
  }
  const levels = game.players < 2 ? [] : [html("div", { class: "levels", role: "group", "aria-label": `${game.title} against the computer` },
    html("span", { class: "faint" }, "against the computer"),
    ...Object.entries(LEVELS).map(([level, player]) => html("button", { type: "button", onclick: () => open({ against: player }) }, level)))];
  return html("li", {}, button, ...levels);
}

// Calls `act` once an element is on the screen, so that boards of games that must be loaded are
// drawn only when visible.
function seen(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  });
  observer.observe(element);
}

// Returns a sketch of the initial board, by which users recognise the game.
function picture({ board, title }) {
  if (!board) {
    return svg(
      "svg",
      { class: "start", viewBox: "0 0 100 100", "aria-hidden": "true" },
      svg("rect", { class: "none", x: 14, y: 14, width: 72, height: 72, rx: 12 }),
      svg("text", { x: 50, y: 64, class: "initial" }, title.slice(0, 1)),
    );
  }
  const looks = kinds(board.marks, board);
  const style = surface(board, looks);
  const drawing = svg("svg", { class: `start ${style}`, viewBox: "0 0 100 100", "aria-hidden": "true" });
  const columns = board.columns.length;
  const rows = board.grids.length * board.rows.length;
  const slant = style === "hex" ? (rows - 1) / 2 : 0;
  const side = 96 / Math.max(columns + slant, rows);
  const [left, top] = [50 - (side * (columns + slant)) / 2, 50 - (side * rows) / 2];
  const gap = style === "checkered" ? 0 : side * 0.04;
  board.cells.forEach((marks, place) => {
    if (!marks && style !== "checkered") return;
    const [column, row] = [place % columns, Math.floor(place / columns)];
    const shift = board.tiling === "hex left" ? rows - 1 - row : row;
    const [x, y] = [left + (column + (slant && shift / 2)) * side, top + row * side];
    const shade = (row + column) % 2 === 0 ? "even" : "odd";
    const size = side - 2 * gap;
    drawing.append(
      style === "rack"
        ? svg("rect", { class: "frame", x, y, width: side, height: side })
        : svg("rect", { class: shade, x: x + gap, y: y + gap, width: size, height: size, rx: style === "checkered" ? 0 : side * 0.12 }),
    );
    if (style === "rack") drawing.append(svg("circle", { class: "hole", cx: x + side / 2, cy: y + side / 2, r: side * 0.38 }));
    const [shown] = (marks ?? []).filter((mark) => !board.marks[mark].blank);
    if (shown === undefined) return;
    const piece = svg("g", { class: "piece", transform: `translate(${x} ${y}) scale(${side / 100})` });
    piece.append(...draw([looks[shown]], rows === 1).childNodes);
    drawing.append(piece);
  });
  return drawing;
}
