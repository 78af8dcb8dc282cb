// The chooser: a card for each game, with its board at the start, and the box for a rulesheet of one's own.

import { html, svg } from "./dom.js";

const KINDS = { puzzle: "puzzle", turns: "turns", simultaneous: "simultaneous" };

export async function mount(root, app) {
  const list = html("ul", { class: "cards", "aria-label": "Built-in games" });
  const note = html("p", { class: "faint" }, "Looking for games …");
  root.append(html("h2", {}, "Choose a game"), note, list);
  try {
    const { games } = await app.api("GET", "/games");
    note.remove();
    list.append(...games.map((game) => card(game, app)));
  } catch (problem) {
    note.textContent = problem.message;
  }
}

function card(game, app) {
  const open = async () => {
    button.disabled = true;
    try {
      await app.start({ game: game.name });
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
  const button = html(
    "button",
    { type: "button", class: "game", "data-game": game.name },
    picture(game),
    html(
      "span",
      { class: "words" },
      html("b", {}, game.title),
      html("span", { class: "faint" }, game.summary),
      html("span", { class: "tags" }, ...tags.flatMap((tag) => [html("i", {}, tag), " "])),
    ),
  );
  button.addEventListener("click", open);
  return html("li", {}, button);
}

// A sketch of the board at the start: who plays knows it by its shape.
function picture({ board, title }) {
  const drawing = svg("svg", { class: "start", viewBox: "0 0 100 100", "aria-hidden": "true" });
  if (!board) {
    drawing.append(
      svg("rect", { class: "none", x: 14, y: 14, width: 72, height: 72, rx: 12 }),
      svg("text", { x: 50, y: 64, class: "initial" }, title.slice(0, 1)),
    );
    return drawing;
  }
  const columns = board.columns.length;
  const rows = board.grids.length * board.rows.length;
  const side = 92 / Math.max(columns, rows);
  const [left, top] = [50 - (side * columns) / 2, 50 - (side * rows) / 2];
  board.cells.forEach((marks, place) => {
    if (!marks) return;
    const [x, y] = [left + (place % columns) * side, top + Math.floor(place / columns) * side];
    const shade = ((place % columns) + Math.floor(place / columns)) % 2;
    const gap = Math.min(1, side * 0.06);
    const size = side - 2 * gap;
    drawing.append(
      svg("rect", { class: `cell c${shade}`, x: x + gap, y: y + gap, width: size, height: size, rx: side * 0.1 }),
    );
    const shown = marks.map((mark) => board.marks[mark]).filter((mark) => !mark.blank);
    if (shown.length === 0) return;
    const [cx, cy] = [x + side / 2, y + side / 2];
    const [mark] = shown;
    if (/^\d+$/.test(mark.text) && side > 9) {
      drawing.append(svg("text", { x: cx, y: cy + side * 0.16, class: "count", "font-size": side * 0.46 }, mark.text));
    } else {
      drawing.append(svg("circle", { class: `piece f${mark.family % 6}`, cx, cy, r: side * 0.32 }));
    }
  });
  return drawing;
}
