// The chooser: a card for each game, with its board at the start, and the box for a rulesheet of one's own.

import { html, svg } from "./dom.js";
import { draw, kinds, surface } from "./pieces.js";

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
  button.addEventListener("click", open);
  if (!game.loaded) {
    seen(button, async () => {
      const full = await app.api("GET", `/games/${encodeURIComponent(game.name)}`).catch(() => game);
      sketch.replaceWith(picture(full));
    });
  }
  return html("li", {}, button);
}

// Does something once an element is on the screen: boards of games that have to be loaded are drawn when they can be seen.
function seen(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  });
  observer.observe(element);
}

// A sketch of the board at the start: who plays knows it by its shape.
function picture({ board, title }) {
  if (!board) {
    return svg(
      "svg",
      { class: "start", viewBox: "0 0 100 100", "aria-hidden": "true" },
      svg("rect", { class: "none", x: 14, y: 14, width: 72, height: 72, rx: 12 }),
      svg("text", { x: 50, y: 64, class: "initial" }, title.slice(0, 1)),
    );
  }
  const looks = kinds(board.marks);
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
