// The board: a button for each cell, which makes moves. If the app allows no moves, the cells are
// pictures instead of buttons.
//
// A move of one cell takes a click on the cell. A move from cell to cell takes a click on each
// cell, or a drag. A move of a column takes a click anywhere in the column. A move that names a
// direction takes an arrow key, an arrow below the board, or a click on the cell in that direction.
// If several moves fit, a dialog asks which one is meant. A click that makes no move shows the
// reason, and offers the explanation by the rules. Pieces slide to where they are moved.

import { bare, html } from "./dom.js";
import { owners, placed, walls } from "./marks.js";
import { draw, kinds, surface } from "./pieces.js";
import { table } from "./table.js";

// Words for directions, as steps to the right and down.
const DIRECTIONS = new Map(Object.entries({
  north: [0, -1], up: [0, -1], n: [0, -1], south: [0, 1], down: [0, 1], s: [0, 1], west: [-1, 0], left: [-1, 0], w: [-1, 0],
  east: [1, 0], right: [1, 0], e: [1, 0], northwest: [-1, -1], nw: [-1, -1], northeast: [1, -1], ne: [1, -1],
  southwest: [-1, 1], sw: [-1, 1], southeast: [1, 1], se: [1, 1],
}));
const ARROWS = { "0,-1": "↑", "0,1": "↓", "-1,0": "←", "1,0": "→", "-1,-1": "↖", "1,-1": "↗", "-1,1": "↙", "1,1": "↘" };
// Words for a rotation, and for the quarter of the board that rotates.
const TURNS = { clockwise: "⟳", cw: "⟳", anticlockwise: "⟲", counterclockwise: "⟲", ccw: "⟲", cc: "⟲" };
const SIDES = { left: [0, 1], right: [0, 2], upper: [1, 1], top: [1, 1], lower: [1, 2], bottom: [1, 2] };
// The most pieces drawn next to the board.
const MOST_BESIDE = 40;
const KEYS = { ArrowLeft: "-1,0", ArrowRight: "1,0", ArrowUp: "0,-1", ArrowDown: "0,1" };

// The distance in pixels from which a press is a drag.
const FAR = 6;

// Returns the number of boards in a row, for `count` boards of this shape.
function across(count, board) {
  if (count < 4) return board.columns.length > 2 * board.rows.length ? 1 : count;
  return count === 4 && board.columns.length < 4 ? 2 : Math.ceil(Math.sqrt(count));
}

export function mount(element, app) {
  const still = !app.change;
  let view = null;
  let cells = [];
  let drawn = [];
  let looks = [];
  let picked = [];
  let advice = null;
  let current = 0;
  let flipped = false;
  let winning = new Set();
  let style = "";
  const lying = { picked: null };
  const chooser = html("dialog", { class: "chooser", "aria-label": "Which move?" });
  const pad = html("div", { class: "pad", role: "group", "aria-label": "Directions", hidden: true });
  const flip = html("button", { type: "button", "aria-pressed": "false", title: "See the board from the other side" }, "Flip");
  const tools = html("div", { class: "tools" }, flip);
  const turns = html("div", { class: "turns", role: "group", "aria-label": "Turns", hidden: true });
  const tray = html("div", { class: "tray", hidden: true });

  // The legal moves of the first role that the person has to choose for. `startsAt` has the moves
  // of several cells, by the first cell. `singlesAt` has the moves of one cell or of an area, by
  // each cell. `towards` has the moves that name a direction, by the direction.
  let moves = [];
  let startsAt = new Map();
  let singlesAt = new Map();
  let towards = new Map();
  const starts = (place) => startsAt.get(place) ?? [];
  const singles = (place) => singlesAt.get(place) ?? [];

  function index() {
    const mine = view.legal[0];
    moves = (mine?.moves ?? []).map((move) => ({ role: mine.role, ...move }));
    [startsAt, singlesAt, towards] = [new Map(), new Map(), new Map()];
    const add = (map, place, move) => { map.has(place) ? map.get(place).push(move) : map.set(place, [move]); };
    for (const move of moves) {
      if (move.cells.length > 1) add(startsAt, move.cells[0], move);
      for (const place of move.cells.length === 1 ? move.cells : move.area) add(singlesAt, place, move);
      if (move.cells.length || move.area.length) continue;
      const words = bare(move.move).toLowerCase().split(/[\s()_-]+/);
      const ways = words.slice(words.length > 1 ? 1 : 0).filter((word) => DIRECTIONS.has(word));
      if (ways.length === 1 && !words.some((word) => TURNS[word])) add(towards, String(DIRECTIONS.get(ways[0])), move);
    }
  }

  const begins = (move, path) => move.cells.length > path.length && path.every((place, i) => move.cells[i] === place);
  // Moves whose cells begin with `path`. Those of `between` end at `to`, those of `whole` end at
  // `to` directly after `path`, and those of `onward` continue from `path` through `to`.
  const between = (path, to) => starts(path[0]).filter((move) => begins(move, path) && move.cells.at(-1) === to);
  const whole = (path, to) => between(path, to).filter((move) => move.cells.length === path.length + 1);
  const onward = (path, to) => starts(path[0]).filter((move) => begins(move, [...path, to]));
  const leads = (path, to) => between(path, to).length + onward(path, to).length > 0;

  function play(move) {
    pick([]);
    app.change("/moves", { role: move.role, move: move.move, place: view.place });
  }

  function ask(list) {
    if (list.length === 1) return play(list[0]);
    const close = () => chooser.close();
    const choices = list.map((move) =>
      html("button", { type: "button", onclick: () => { close(); play(move); } }, ...face(move, list), bare(move.move)));
    chooser.replaceChildren(html("p", {}, "Which move?"), ...choices,
      html("button", { type: "button", class: "quiet", onclick: close }, "None"));
    chooser.showModal();
  }

  // Draws the piece that `move` names and no other move of `list` does, such as the piece that a
  // pawn is promoted to. A mark of that name with the name of the role takes precedence.
  function face(move, list) {
    const words = (text) => bare(text).split(/[\s()]+/);
    const others = new Set(list.filter((other) => other !== move).flatMap((other) => words(other.move)));
    const names = words(move.move).filter((word) => !others.has(word)).flatMap((word) => [`${move.role} ${word}`, word]);
    const mark = view.board.marks.findIndex(({ text }) => names.includes(text));
    return mark < 0 ? [] : [draw([looks[mark]], false)];
  }

  function click(place) {
    if (picked.length) {
      const complete = whole(picked, place);
      if (complete.length) return ask(complete);
      if (onward(picked, place).length) return pick([...picked, place]);
      const far = between(picked, place);
      if (far.length) return ask(far);
      if (place === picked.at(-1)) return pick([]);
    }
    const here = singles(place);
    const from = starts(place);
    if (from.length && !here.length) return pick([place]);
    if (here.length) return ask([...here, ...from]);
    const beside = besides(place);
    if (beside.length && beside.length < 9) return ask(beside);
    app.warn(reason(place), html("button", { type: "button", onclick: () => app.emit("ask-cell", place) }, "Why?"));
    pick([]);
  }

  // Returns the moves that name the direction to a cell. The direction starts at the only piece
  // named after the role. If no piece is named after the role, it starts at the only piece.
  function besides(place) {
    if (!towards.size) return [];
    const role = view.legal[0].role.toLowerCase();
    const held = view.board.cells.flatMap((marks, cell) => (marks ?? []).map((mark) => [cell, view.board.marks[mark].text.toLowerCase()]));
    const own = held.filter(([, text]) => text.split(/[\s_-]+/).includes(role));
    const [from, ...more] = (own.length ? own : held).map(([cell]) => cell);
    if (from === undefined || more.length) return [];
    const wide = view.board.columns.length;
    const step = [place % wide - from % wide, Math.floor(place / wide) - Math.floor(from / wide)];
    return towards.get(String(step)) ?? [];
  }

  // Returns the reason why a click makes no move.
  function reason(place) {
    if (view.terminal) return "The game is over: restart it, or take a move back.";
    if (view.trouble) return view.trouble;
    if (view.paused) return "The machines are paused: let them continue first.";
    if (!view.legal.length) return `It is not your move: ${view.status}.`;
    const { role } = view.legal[0];
    if (picked.length) return `${role} cannot move from ${name(picked.at(-1))} to ${name(place)}.`;
    const content = contents(place);
    const any = moves.some((move) => move.cells.length || move.area.length);
    if (!any && towards.size) return `${role} moves with the arrow keys or the arrows below the board.`;
    if (!any) return `${role} has no move on the board now: see the list of moves.`;
    if (content) return `${role} cannot move here: ${name(place)} has ${content}.`;
    return `${role} has no legal move at ${name(place)}.`;
  }

  const name = (place) => view.board.names[place];
  const contents = (place) => (view.board.cells[place] ?? []).map((mark) => view.board.marks[mark].text).join(" and ");

  function pick(path) {
    picked = path;
    if (path.length) {
      const next = starts(path[0]).filter((move) => begins(move, path)).map((move) => name(move.cells[path.length]));
      app.say(`${name(path.at(-1))} selected; to ${[...new Set(next)].join(", ")}`);
    }
    update();
  }

  // ---- Keys -------------------------------------------------------------------------------------

  // Moves the focus from cell to cell with arrow keys.
  function travel(event) {
    const { columns, rows, grids } = view.board;
    const [wide, high] = [columns.length, rows.length * grids.length];
    const steps = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      Home: [-wide, 0], End: [wide, 0], PageUp: [0, -high], PageDown: [0, high],
    };
    if (event.key === "Escape" && picked.length) return pick([]);
    const step = steps[event.key]?.map((part) => (flipped ? -part : part));
    if (!step || event.altKey || event.ctrlKey || event.metaKey || !event.target.closest("[data-cell]")) return;
    event.preventDefault();
    const clamp = (value, most) => Math.max(0, Math.min(most - 1, value));
    let [x, y] = [current % wide, Math.floor(current / wide)];
    const far = Math.abs(step[0]) > 1 || Math.abs(step[1]) > 1;
    const direction = [Math.sign(step[0]), Math.sign(step[1])];
    let best = current;
    for (;;) {
      const [nx, ny] = [clamp(x + direction[0], wide), clamp(y + direction[1], high)];
      if (nx === x && ny === y) break;
      [x, y] = [nx, ny];
      if (cells[y * wide + x]) best = y * wide + x;
      if (!far && best !== current) break;
    }
    focus(best);
  }

  function focus(place) {
    cells[current]?.setAttribute("tabindex", "-1");
    current = place;
    cells[place].setAttribute("tabindex", "0");
    cells[place].focus();
  }

  // Makes moves that name a direction, by the arrow keys. Does nothing if a cell can be clicked,
  // since the keys then move the focus.
  function steer(event) {
    if (!view?.board || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.target.closest("dialog, #moves, #legal")) return;
    const list = !startsAt.size && !singlesAt.size ? towards.get(KEYS[event.key]) : null;
    if (!list) return;
    event.preventDefault();
    event.stopPropagation();
    ask(list);
  }

  function showPad() {
    pad.hidden = !towards.size;
    pad.replaceChildren(...[...towards].map(([way, list]) => {
      const [x, y] = way.split(",").map(Number);
      const arrow = html("button", { type: "button", "aria-label": bare(list[0].move), onclick: () => ask(list) }, ARROWS[way]);
      arrow.style.gridArea = `${y + 2} / ${x + 2}`;
      return arrow;
    }));
  }

  // Shows moves that rotate a part of the board as arrows, at the grid or the corner that the move
  // names.
  function showTurns() {
    const words = (move) => bare(move.move).toLowerCase().split(/[\s()]+/);
    const list = moves.filter((move) => !move.cells.length && !move.area.length && words(move).some((word) => TURNS[word]));
    const arrow = (move) => html("button", { type: "button", class: "turn", "aria-label": bare(move.move), title: bare(move.move), onclick: () => play(move) },
      TURNS[words(move).find((word) => TURNS[word])]);
    for (const old of element.querySelectorAll("figcaption .turn")) old.remove();
    const corners = new Map();
    for (const move of list) {
      const grid = view.board.grids.findIndex((title) => title && words(move).slice(1).includes(title.toLowerCase()));
      if (grid >= 0) {
        element.querySelectorAll(".boards figcaption")[flipped ? view.board.grids.length - 1 - grid : grid]?.append(" ", arrow(move));
        continue;
      }
      const at = [1, 1];
      for (const [axis, side] of words(move).map((word) => SIDES[word]).filter(Boolean)) at[axis] = side;
      const place = `${at[1]} / ${at[0]}`;
      if (!corners.has(place)) corners.set(place, html("span", {}));
      corners.get(place).style.gridArea = place;
      corners.get(place).append(arrow(move));
    }
    turns.replaceChildren(...corners.values());
    turns.hidden = !corners.size;
  }

  // Shows pieces next to the board, such as those in hand: the values of other fluents that are
  // marks of the board. A click makes the move that names the piece.
  function showTray() {
    const marks = new Map(view.board.marks.map((mark, place) => [mark.text, place]));
    let left = MOST_BESIDE;
    const rows = view.fluents.flatMap(({ relation, values }) => {
      const held = values.map((value) => marks.get(value)).filter((mark) => mark !== undefined && !["letters", "number"].includes(looks[mark].kind));
      if (!held.length || held.length !== values.length || /control|turn/i.test(relation)) return [];
      const pieces = held.slice(0, left).map((mark) => {
        const { text } = view.board.marks[mark];
        const fitting = moves.filter((move) => !move.cells.length && bare(move.move).split(/\s+/).slice(1).includes(text));
        return html("button", { type: "button", class: `cell${fitting.length ? " may" : ""}`, "aria-label": `${relation}: ${text}`, title: text, disabled: !fitting.length, onclick: () => ask(fitting) },
          draw([looks[mark]], false));
      });
      left -= pieces.length;
      return pieces.length ? [html("div", { role: "group", "aria-label": relation }, html("span", { class: "faint" }, relation), ...pieces)] : [];
    });
    tray.replaceChildren(...rows);
    tray.hidden = !rows.length;
  }

  function showWalls() {
    const found = walls(view);
    const whose = owners(view);
    cells.forEach((cell, place) => {
      for (const side of ["north", "south", "east", "west"]) cell.classList.toggle(`wall-${side}`, found.get(place)?.includes(side) ?? false);
      if (whose.has(place)) cell.dataset.owner = whose.get(place) % 6;
      else delete cell.dataset.owner;
    });
  }

  // Shows the table if there is no board.
  function showTable() {
    if (view.board) return;
    const on = element.contains(document.activeElement) ? document.activeElement.dataset.thing : null;
    const shown = table(view, lying, play, showTable);
    element.replaceChildren(...(shown ? [shown] : []));
    if (shown) element.append(chooser);
    if (on) element.querySelector(`[data-thing="${CSS.escape(on)}"]`)?.focus();
  }

  // Lines between dots: those that are drawn, and those that a move can draw.
  const SIDE = { "0,-1": "up", "0,1": "down", "-1,0": "left", "1,0": "right" };
  function side(from, to) {
    const wide = view.board.columns.length;
    const step = [to % wide - from % wide, Math.floor(to / wide) - Math.floor(from / wide)];
    return SIDE[String(flipped ? step.map((part) => -part || 0) : step)];
  }

  // Returns the layer for the lines that begin at a cell. The layer is not inside the cell, since a
  // button may not contain another.
  let links = new Map();
  function linesAt(place) {
    const cell = cells[place];
    if (cell && !links.has(place)) {
      const above = html("span", { class: "links" });
      above.style.gridArea = cell.style.gridArea;
      cell.parentElement.append(above);
      links.set(place, above);
    }
    return links.get(place);
  }

  function showLines() {
    const { board } = view;
    const last = bare(view.line.at(-1)?.joint.find((move) => move && move !== "noop") ?? "").split(" ").slice(1).join(" ");
    board.cells.forEach((marks, place) => {
      const lines = (marks ?? []).flatMap((mark) => {
        const way = side(place, board.names.indexOf(board.marks[mark].text));
        const is = `${board.names[place]} ${board.marks[mark].text}` === last;
        return way ? [html("span", { class: `line ${way}${is ? " newest" : ""}` })] : [];
      });
      linesAt(place)?.replaceChildren(...lines);
    });
    const long = board.names[0].split(" ").length;
    for (const move of moves) {
      const words = bare(move.move).split(/\s+/).slice(1);
      const [from, to] = [words.slice(0, long), words.slice(long, 2 * long)].map((part) => board.names.indexOf(part.join(" ")));
      const way = from >= 0 && to >= 0 ? side(from, to) : null;
      if (!way || !cells[from]) continue;
      linesAt(from).append(html("button", { type: "button", tabindex: "-1", class: `line may ${way}`, "aria-label": bare(move.move), title: bare(move.move),
        onclick: () => play(move) }));
    }
  }

  function showBeside() {
    showPad();
    showTable();
    if (!view.board) return;
    showTurns();
    showTray();
    showWalls();
  }

  // ---- Dragging ---------------------------------------------------------------------------------

  let drag = null;
  let dragged = false;

  function lift(event, place) {
    dragged = false;
    if (event.button !== 0 || !starts(place).length || !cells[place].querySelector(".piece")) return;
    drag = { place, x: event.clientX, y: event.clientY, ghost: null };
    cells[place].setPointerCapture(event.pointerId);
  }

  function carry(event) {
    if (!drag) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < FAR) return;
      const piece = cells[drag.place].querySelector(".piece");
      const { width } = piece.getBoundingClientRect();
      drag.ghost = piece.cloneNode(true);
      drag.ghost.classList.add("ghost");
      drag.ghost.style.width = drag.ghost.style.height = `${width}px`;
      document.body.append(drag.ghost);
      cells[drag.place].classList.add("lifted");
      if (picked.length !== 1 || picked[0] !== drag.place) pick([drag.place]);
    }
    drag.ghost.style.translate = `calc(${event.clientX}px - 50%) calc(${event.clientY}px - 50%)`;
  }

  function release(event) {
    if (!drag) return;
    const { place, ghost } = drag;
    drag = null;
    cells[place]?.classList.remove("lifted");
    if (!ghost) return;
    ghost.remove();
    dragged = true;
    const below = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]");
    const to = below && element.contains(below) ? Number(below.dataset.cell) : null;
    if (event.type === "pointerup" && to !== null && to !== place) {
      slides = false;
      click(to);
    } else pick([]);
  }

  // ---- Drawing ----------------------------------------------------------------------------------

  // A board with the number of its players, without chance.
  const sided = (board) => ({ ...board, sides: (view.game?.roles ?? []).filter(({ seat }) => seat !== "chance").length });

  // Builds the cells when a session is opened or the board is flipped.
  function build() {
    const { board } = view;
    element.replaceChildren();
    [cells, drawn, picked, advice, winning, links] = [[], [], [], null, new Set(), new Map()];
    if (!board) return;
    looks = kinds(board.marks, sided(board));
    const [wide, high] = [board.columns.length, board.rows.length];
    const hex = board.tiling.startsWith("hex");
    const ring = board.tiling === "ring";
    const per = wide * high;
    style = surface(board, looks);
    const beside = across(board.grids.length, board);
    const below = Math.ceil(board.grids.length / beside);
    const boards = html("div", { class: "boards" });
    const width = ring ? 6 : hex ? wide + (high - 1) / 2 : wide;
    boards.style.setProperty("--across", beside);
    boards.style.setProperty("--shape", (beside * width) / (below * (ring ? 6 : hex ? (high + 1 / 3) * 0.866 : high)));
    boards.style.setProperty("--wide", beside * width);
    current = -1;
    board.grids.forEach((title, grid) => {
      const area = html("div", { class: `grid ${style}${wide * beside > 12 ? " small" : ""}` });
      const sizes = (count, breaks) =>
        Array.from({ length: count }, (_, i) => `minmax(0, 1fr)${breaks.includes(i) ? " 0.6rem" : ""}`).join(" ");
      const turned = (breaks, count) => (flipped ? breaks.map((place) => count - 2 - place) : breaks);
      const breaks = [turned(board.breaks[0], wide), turned(board.breaks[1], high)];
      const after = (breaks, i) => breaks.filter((place) => place < i).length;
      const named = !hex && !ring && (board.columns.some(Boolean) || board.rows.some(Boolean));
      if (hex) {
        area.style.gridTemplateColumns = `repeat(${2 * wide + high - 1}, minmax(0, 1fr))`;
        area.style.gridTemplateRows = `repeat(${high}, minmax(0, 1fr))`;
        area.style.aspectRatio = `${(2 * wide + high - 1) / (1.732 * (high + 1 / 3))}`;
      } else {
        area.style.gridTemplateColumns = `${named ? "auto " : ""}${sizes(wide, breaks[0])}`;
      }
      const across = (column) => (flipped ? wide - 1 - column : column);
      const down = (row) => (flipped ? high - 1 - row : row);
      // Clues of columns are above the cells, clues of rows to their left.
      const head = named && board.clues ? 1 : 0;
      const y = (row) => down(row) + 1 + head + after(breaks[1], down(row));
      const x = (column) => across(column) + 1 + after(breaks[0], across(column)) + (named ? 1 : 0);
      for (let row = 0; row < high; row++) {
        if (named && board.rows[row]) {
          const label = html("span", { class: `label side${head ? " clue" : ""}`, "aria-hidden": "true" }, head ? board.clues[1][row].join(" ") : board.rows[row]);
          label.style.gridArea = `${y(row)} / 1`;
          area.append(label);
        }
        for (let column = 0; column < wide; column++) {
          const place = grid * per + row * wide + column;
          const shade = (row + column) % 2 === 0 ? "even" : "odd";
          const shift = board.tiling === "hex" ? down(row) : high - 1 - down(row);
          const position = hex ? `${y(row)} / ${1 + 2 * across(column) + shift} / auto / span 2` : `${y(row)} / ${x(column)}`;
          if (board.cells[place] === null) {
            if (style === "checkered" || style === "dots") {
              const square = html("span", { class: `cell ${style === "dots" ? "" : "none"} ${shade}` });
              square.style.gridArea = position;
              area.append(square);
            }
            continue;
          }
          const cell = still
            ? html("span", { role: "img", class: `cell ${shade}`, "data-cell": place })
            : html("button", { type: "button", class: `cell ${shade}`, tabindex: "-1", "data-cell": place });
          cell.style.gridArea = position;
          if (ring) {
            const turn = (2 * Math.PI * across(column)) / wide;
            const size = Math.min(20, 200 / wide);
            const far = 49 - size / 2;
            cell.style.left = `${50 + far * Math.sin(turn)}%`;
            cell.style.top = `${50 - far * Math.cos(turn)}%`;
            cell.style.width = `${size}%`;
          }
          if (hex || ring) cell.dataset.name = board.names[place];
          if (!still) {
            cell.addEventListener("click", () => {
              focus(place);
              // The click at the end of a drag belongs to the drag.
              if (!dragged) click(place);
              dragged = false;
            });
            cell.addEventListener("pointerdown", (event) => lift(event, place));
          }
          cells[place] = cell;
          area.append(cell);
          if (current < 0) current = place;
        }
      }
      if (named) {
        board.columns.forEach((text, column) => {
          const label = html("span", { class: `label ${head ? "head clue" : "foot"}`, "aria-hidden": "true" }, head ? board.clues[0][column].join("\n") : text);
          label.style.gridArea = `${head ? 1 : high + 1 + board.breaks[1].length} / ${x(column)}`;
          area.append(label);
        });
      }
      const caption = title ? [html("figcaption", {}, title)] : [];
      boards.append(html("figure", {}, ...caption, area));
    });
    if (flipped) boards.replaceChildren(...[...boards.children].reverse());
    element.append(boards);
    if (!still) cells[current]?.setAttribute("tabindex", "0");
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", still ? "Board" : "Board; arrow keys move from cell to cell");
    if (!still) element.append(tray, turns, pad, tools, chooser);
  }

  // The value of the best advised move of a cell.
  function worth(place) {
    if (!advice || advice.place !== view.place) return null;
    const fitting = picked.length ? between(picked, place) : [...singles(place), ...starts(place)];
    const values = fitting.map((move) => advice.moves.get(move.move)).filter((value) => value !== undefined);
    return values.length ? Math.max(...values) : null;
  }

  function update() {
    if (!view?.board) return;
    if (looks.length !== view.board.marks.length) looks = kinds(view.board.marks, sided(view.board));
    const last = new Set(view.line.at(-1)?.cells ?? []);
    view.board.cells.forEach((marks, place) => {
      const cell = cells[place];
      if (!cell) return;
      const content = JSON.stringify(marks.map((mark) => looks[mark]));
      if (style !== "dots" && drawn[place] !== content) {
        drawn[place] = content;
        const shown = marks.map((mark) => looks[mark]);
        cell.replaceChildren(...(shown.length ? [draw(shown, view.board.rows.length === 1)] : []));
      }
      const target = picked.length > 0 && leads(picked, place);
      const may = picked.length ? target : singles(place).length + starts(place).length > 0;
      cell.classList.toggle("may", may);
      cell.classList.toggle("movable", starts(place).length > 0);
      cell.classList.toggle("target", target);
      cell.classList.toggle("selected", picked.includes(place));
      cell.classList.toggle("last", last.has(place));
      cell.classList.toggle("won", winning.has(place));
      const value = worth(place);
      cell.classList.toggle("advised", value !== null);
      if (value === null) {
        cell.style.removeProperty("--worth");
        delete cell.dataset.worth;
      } else {
        cell.style.setProperty("--worth", `${Math.round(value)}%`);
        cell.dataset.worth = Math.round(value);
      }
      const notes = [
        picked.includes(place) ? "selected" : "",
        target ? "can be moved to" : may ? "can be played" : "",
        winning.has(place) ? "a part of the winning line" : "",
        value !== null ? `worth ${Math.round(value)} of 100` : "",
      ].filter(Boolean);
      const label = `${name(place) || "cell"}: ${contents(place) || "empty"}${notes.length ? `, ${notes.join(", ")}` : ""}`;
      if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
    });
    if (style === "dots") showLines();
  }

  // ---- Motion -----------------------------------------------------------------------------------

  let slides = true;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // The cells between which a piece moved from one view to the next, one step forward or back.
  function way(before, after) {
    const forth = after.line.at(-1);
    const back = before.line.at(-1);
    const [step, is_back] = after.line.length === before.line.length + 1 ? [forth, false]
      : after.line.length === before.line.length - 1 ? [back, true] : [null, false];
    if (!step || !step.cells.length) return null;
    const ends = [step.cells[0], step.cells.at(-1)];
    const [from, to] = is_back ? ends.reverse() : ends;
    return from === to ? (view.board.drops && !is_back ? { from: to % view.board.columns.length, to } : null) : { from, to };
  }

  // The vector by which a piece slides. It is measured before anything is redrawn, because
  // measuring afterwards forces another layout.
  function distance({ from, to }) {
    if (!cells[from] || !cells[to] || view.board.tiling !== "square") return null;
    const [old, now] = [cells[from].getBoundingClientRect(), cells[to].getBoundingClientRect()];
    return [old.x - now.x, old.y - now.y];
  }

  // Slides the piece in a cell from its former place; the captured piece fades.
  function slide(to, [x, y], taken) {
    const cell = cells[to];
    const piece = cell.querySelector(".piece");
    if (!piece) return;
    cell.classList.add("moving");
    if (taken) {
      taken.classList.add("taken");
      cell.append(taken);
      taken.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 220, fill: "forwards" }).finished.then(() => taken.remove(), () => taken.remove());
    }
    const done = () => cell.classList.remove("moving");
    piece.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
      { duration: Math.min(320, 120 + 0.35 * Math.hypot(x, y)), easing: "ease-in-out" }).finished.then(done, done);
  }

  // ---- The winning line -------------------------------------------------------------------------

  // Marks the winning line: three to eight cells in a row on which the winner's goal depends, by
  // the explanation of that goal.
  async function findLine() {
    const goals = view.goals ?? [];
    const best = goals.indexOf(100);
    if (best < 0 || goals.lastIndexOf(100) !== best || !view.board || goals.length < 2) return;
    const place = view.place;
    const atom = `(goal ${view.game.roles[best].name} 100)`;
    const told = await app.api("GET", `/sessions/${view.id}/why?depth=8&atom=${encodeURIComponent(atom)}`).catch(() => null);
    if (!told || view.place !== place) return;
    const { names, columns } = view.board;
    const long = Math.max(...names.map((name) => name.split(" ").length));
    const found = new Set();
    const read = (text) => {
      const words = text.replace(/[()]/g, " ").trim().split(/\s+/);
      if (words[0] !== "true") return;
      for (let at = 2; at + long <= words.length; at++) {
        const cell = names.indexOf(words.slice(at, at + long).join(" "));
        if (cell >= 0) return void found.add(cell);
      }
    };
    const look = (node) => {
      if (!node || typeof node !== "object") return;
      if (node.fails) return;
      if (node.holds !== false && typeof (node.atom ?? node.text) === "string") read(node.atom ?? node.text);
      Object.values(node).forEach(look);
    };
    look(told.why);
    const line = [...found].sort((a, b) => a - b);
    const wide = columns.length;
    const step = (a, b) => `${b % wide - a % wide},${Math.floor(b / wide) - Math.floor(a / wide)}`;
    const steps = new Set(line.slice(1).map((cell, i) => step(line[i], cell)));
    if (line.length < 3 || line.length > 8 || steps.size !== 1) return;
    winning = new Set(line);
    update();
  }

  if (!still) {
    element.addEventListener("keydown", (event) => { if (view?.board) travel(event); });
    document.addEventListener("keydown", steer, true);
    element.addEventListener("pointermove", carry);
    element.addEventListener("pointerup", release);
    element.addEventListener("pointercancel", release);
    flip.addEventListener("click", () => {
      flipped = !flipped;
      flip.setAttribute("aria-pressed", String(flipped));
      build();
      update();
      showBeside();
      flip.focus();
    });
    app.on("close", () => { view = null; });
  }
  app.on("open", (opened) => {
    view = placed(opened);
    flipped = false;
    lying.picked = null;
    flip.setAttribute("aria-pressed", "false");
    index();
    build();
    if (!still) showBeside();
  });
  app.on("view", (next) => {
    const before = view;
    const moved = next.place !== before.place || next.id !== before.id;
    if (moved) {
      picked = [];
      winning = new Set();
    }
    view = placed(next);
    index();
    const path = moved && !still && slides && !calm.matches && view.board && before.board ? way(before, view) : null;
    slides = true;
    const far = path && distance(path);
    const taken = far && before.board.cells[path.to]?.length ? cells[path.to]?.querySelector(".piece")?.cloneNode(true) : null;
    // A piece that must continue its move, as in draughts, stays selected.
    const end = view.line.at(-1)?.cells.at(-1);
    if (moved && moves.length && moves.every((move) => move.cells.length > 1 && move.cells[0] === end)) picked = [end];
    update();
    if (far) slide(path.to, far, taken);
    if (!still) showBeside();
    if (!still && moved && view.terminal && !view.game.hides) findLine();
  });
  app.on("advice", (given) => { advice = given; update(); });
}
