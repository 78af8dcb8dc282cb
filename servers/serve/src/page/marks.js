// Marks from fluents of other relations than the board's: which cells pieces are in, walls, owners,
// and the quantities of each role.
//
// Rulesheets have one relation for the content of a cell, which the server finds. Other relations
// often name cells too: `(position red 3 4)`, `(wall 4 1 east)`, `(owner 7 black)`. Such fluents
// are drawn on the board.

// Relations for the position of a piece.
const WHERE = /^(?:location|position|loc|pos|at|is_?at|place|placed|falling|piece_?at|in_?cell)$/i;
const WALL = /^(?:blocked|wall|barrier)_?(north|south|east|west)?$/i;
const SIDES = new Set(["north", "south", "east", "west"]);
const OWNER = /^(?:owner|owns|owned|belongs)$/i;
// The most marks that are added to a board.
const MOST = 200;

// Returns the cell that a value names at its end or at its beginning, and the rest of the value.
function cellOf(value, names) {
  const words = value.split(" ");
  for (const long of new Set([names.long])) {
    if (words.length < long) continue;
    const [last, first] = [words.slice(-long).join(" "), words.slice(0, long).join(" ")];
    if (names.has(last)) return [names.get(last), words.slice(0, -long).join(" ")];
    if (names.has(first)) return [names.get(first), words.slice(long).join(" ")];
  }
  return null;
}

function namesOf(board) {
  const names = new Map(board.names.flatMap((name, place) => (name ? [[name, place]] : [])));
  names.long = Math.max(1, ...board.names.map((name) => name.split(" ").length));
  return names;
}

// Returns a view whose board also shows the pieces of other relations, as additional marks of its
// cells.
export function placed(view) {
  const { board } = view;
  if (!board || board.relation === "" || board.rows.length < 2) return view;
  const names = namesOf(board);
  const marks = [...board.marks];
  const cells = [...board.cells];
  const known = new Map();
  for (const { relation, values } of view.fluents ?? []) {
    if (!WHERE.test(relation) || values.length > MOST) continue;
    for (const value of values) {
      const found = cellOf(value, names);
      if (!found || cells[found[0]] === null) continue;
      const text = found[1] || relation;
      if (!known.has(text)) {
        known.set(text, marks.length);
        marks.push({ text, symbol: text.slice(0, 2), family: known.size - 1, blank: false, extra: true });
      }
      cells[found[0]] = [...cells[found[0]], known.get(text)];
    }
  }
  return known.size ? { ...view, board: { ...board, marks, cells } } : view;
}

// Returns the sides with walls of each cell: `(blockedNorth 2 1)`, `(wall 4 1 east)`.
export function walls({ board, fluents }) {
  const found = new Map();
  const names = namesOf(board);
  for (const { relation, values } of fluents) {
    const is = WALL.exec(relation);
    if (!is) continue;
    for (const value of values) {
      const at = cellOf(value, names);
      const side = (is[1] ?? at?.[1] ?? "").toLowerCase();
      if (at && SIDES.has(side)) found.set(at[0], [...(found.get(at[0]) ?? []), side]);
    }
  }
  return found;
}

// Returns the index of the role that owns each cell.
export function owners({ board, fluents, game }) {
  const found = new Map();
  const names = namesOf(board);
  for (const { relation, values } of fluents) {
    if (!OWNER.test(relation)) continue;
    for (const value of values) {
      const at = cellOf(value, names);
      const role = game.roles.findIndex(({ name }) => name === at?.[1]);
      if (role >= 0) found.set(at[0], role);
    }
  }
  return found;
}

// Returns the quantities of a role in words: `(coins x 3)` is `coins 3` for x.
export function counts(fluents, role) {
  return fluents.flatMap(({ relation, values }) => {
    const own = values.filter((value) => value.split(" ").length === 2 && value.startsWith(`${role} `));
    return own.length === 1 && /^\D{0,2}\d+$/.test(own[0].slice(role.length + 1))
      ? [`${relation.replaceAll("_", " ")} ${own[0].slice(role.length + 1).replace(/^\D+/, "")}`] : [];
  });
}
