/** Options of every request. */
export interface RequestOptions {
  /** Cancels the request: the worker ends, and the next request starts another one. */
  signal?: AbortSignal;
}

/**
 * A reason why a graphics card does not play: there is no WebGPU or no card; the game has no lane
 * programs or too many operations; the card rejects the game, has too little memory, or was lost.
 */
export type CardFault = "no_webgpu" | "no_card" | "no_lanes" | "too_large" | "rejected" | "memory" | "lost";

/**
 * A refused request: a faulty rulesheet, an illegal move, or a graphics card that does not play.
 * `message` is the report.
 */
export class Refused extends Error {
  constructor(refusal?: { message: string; diagnostics?: Diagnostic[]; code?: CardFault | null });
  readonly diagnostics: Diagnostic[];
  /** The reason of a graphics card; null for other requests. The processor can play the game. */
  readonly code: CardFault | null;
}

/** A worker that ended before its answer, by `stop`, a panic or for lack of memory. */
export class Ended extends Error {}

/** A place in a rulesheet: lines and columns from 1, offsets in bytes from 0. */
export interface Place {
  file: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  offset: number;
  end_offset: number;
}

/** A fault, as `gdl check --json` prints it. */
export interface Diagnostic extends Place {
  code: string;
  name: string;
  severity: "error" | "warning" | "lint";
  message: string;
  note: string | null;
  help: string | null;
  labels: (Place & { text: string })[];
  witness: { roles: string[]; moves: unknown; state: unknown; repeats: boolean } | null;
  edits: (Place & { text: string })[];
  applicability: string | null;
}

/** The verdict on a rulesheet. */
export interface Verdict {
  diagnostics: Diagnostic[];
  errors: number;
  warnings: number;
  /** True if the rulesheet can be played. */
  sound: boolean;
  /** True if the only known fault is that the rulesheet exceeds a limit. */
  excess: boolean;
  /** `gates` is null if the rules are evaluated state by state. */
  summary: { roles: string[]; fluents: number; moves: number; gates: number | null } | null;
}

/** A built-in game. */
export interface Entry {
  name: string;
  kind: "board" | "puzzles" | "chance";
  players: number;
  tags: ("chance" | "hidden" | "simultaneous")[];
  summary: string;
}

/** A code of diagnostics. */
export interface Code {
  code: string;
  name: string;
  severity: string;
  meaning: string;
}

/** A state of a game: roles are in role order. */
export interface Position {
  /** The fluents that hold, as a KIF list. */
  state: string;
  terminal: boolean;
  /** The goal of each role; null if none holds. */
  goals: (number | null)[];
  /** The legal moves of each role; none if the state is terminal. */
  legal: string[][];
}

/** A joint move, which has a move of each role, made in a state. */
export interface Before {
  state: string;
  moves: string[];
}

/** A joint move, which has a move of each role, and the state after it. */
export interface Step {
  state: string;
  moves: string[];
}

/** A board as grids of cells. */
export interface Board {
  relation: string;
  grids: string[];
  columns: string[];
  rows: string[];
  breaks: [number[], number[]];
  clues: [string[][], string[][]] | null;
  tiling: "square" | "hex" | "hex left" | "ring";
  names: string[];
  travels: boolean;
  drops: boolean;
  marks: { text: string; symbol: string; family: number; blank: boolean }[];
  /** The indices in `marks` of the marks in each cell; null where there is no cell. */
  cells: (number[] | null)[];
}

/** A state as it is drawn. */
export interface Scene {
  board: Board | null;
  fluents: { relation: string; values: string[] }[];
  left_out: number;
  /** The legal moves of each role, with the cells that they name. */
  moves: { move: string; cells: number[]; area: number[] }[][];
  /** The cells that the moves of `before` affected. */
  cells: number[];
}

/** A reason: an atom with the rule that gives it, or the rules that fail to. */
export interface Explanation {
  atom: string;
  holds: boolean;
  given?: true;
  deeper?: true;
  by?: { line: number; column: number; premises: Literal[] };
  attempts?: { line: number; column: number; held: string[]; fails: Literal }[];
}

/** A literal of a rule. */
export interface Literal {
  text: string;
  line: number;
  column: number;
  why?: Explanation;
}

/** An engine of random games; `gpu` plays thousands at once on a graphics card, by WebGPU. */
export type Engine = "Single" | "Lanes" | "TableLanes" | "gpu";

/** Results of random games. */
export interface Stats {
  tally: {
    playouts: number;
    states: number;
    roles: { wins: number; draws: number; losses: number; [more: string]: unknown }[];
    [more: string]: unknown;
  };
  roles: string[];
  seed: number;
  engine: Engine;
  /** The graphics card that played. */
  device?: string;
  /** The seconds until a graphics card was open and had compiled the game. */
  prepare_seconds?: number;
  seconds: number;
  /** The mean goal of each role; null if no game gave one. */
  goals: (number | null)[];
  playouts_per_second: number;
  /** The table that the command prints. */
  report: string;
  [more: string]: unknown;
}

/** A move of a player, with the report of its search if it has one. */
export interface Choice {
  move: string;
  report: {
    nodes: number;
    playouts: number;
    value: number | null;
    exact: boolean;
    line: string[];
    moves: unknown[];
    [more: string]: unknown;
  } | null;
}

/** A rulesheet: KIF, infix GDL or Epilog. */
export interface Rulesheet {
  text: string;
  name?: string;
  /** True for the limits of the native command, not those of untrusted rulesheets. */
  patient?: boolean;
}

/** A worker, and the games that it has loaded. Requests wait for each other. */
export class Gdl {
  constructor();
  list(options?: RequestOptions): Promise<Entry[]>;
  /** Returns the rulesheet of a built-in game. */
  rulesheet(name: string, options?: RequestOptions): Promise<string>;
  check(text: string, options?: RequestOptions & { patient?: boolean }): Promise<Verdict>;
  format(text: string, options?: RequestOptions): Promise<string>;
  convert(
    text: string,
    to: "kif" | "infix",
    options?: RequestOptions,
  ): Promise<{ text: string; renamed: [string, string][] }>;
  /** Makes the edits of diagnostics; with `guess` those too that may change the game. */
  fix(
    text: string,
    options?: RequestOptions & { guess?: boolean },
  ): Promise<{ text: string; fixed: number; diagnostics: Diagnostic[] }>;
  /** Explains a code, given by its number or name. */
  explain(code: string, options?: RequestOptions): Promise<Code & { page: string }>;
  /** Lists all codes. */
  explain(code?: undefined, options?: RequestOptions): Promise<Code[]>;
  /** Loads a built-in game by its name, or a rulesheet. */
  load(game: string | Rulesheet, options?: RequestOptions): Promise<Game>;
  /** Ends the workers. The next request starts another one, which loads games again. */
  stop(): void;
}

/** A game that `Gdl.load` returned. States and moves are KIF text. */
export class Game {
  private constructor();
  readonly engine: string;
  readonly roles: string[];
  /** The index in `roles` of the role of chance; null if there is none. */
  readonly chance: number | null;
  /** True if information is hidden: the rules have `sees`. */
  readonly hidden: boolean;
  readonly fluents: number;
  readonly moves: number;
  /** Describes a state, the initial one by default. */
  position(state?: string, options?: RequestOptions): Promise<Position>;
  /** Makes a joint move. */
  apply(state: string, moves: string[], options?: RequestOptions): Promise<Position>;
  /** Makes random joint moves, at most `steps`. */
  walk(
    options?: RequestOptions & { state?: string; seed?: number; steps?: number },
  ): Promise<{ steps: Step[]; end: Position }>;
  /** Returns what a page draws of a state; `before` is the step that led to it. */
  scene(state: string, options?: RequestOptions & { before?: Before }): Promise<Scene>;
  /** Lists moves of a role that are not legal, at most 200. */
  illegal(
    state: string,
    role: string,
    options?: RequestOptions & { find?: string; cell?: number },
  ): Promise<{ role: string; moves: string[]; left_out: number; fluents: string[] }>;
  /** Explains why an atom such as `(legal white noop)` holds in a state, or why not. */
  why(
    state: string,
    atom: string,
    options?: RequestOptions & { before?: Before; making?: string[]; depth?: number },
  ): Promise<Explanation>;
  /**
   * Plays random games: `count`, or as many as start within `seconds`. Several `workers` share
   * them; each loads the game. The counts of `count` games do not depend on the number of workers.
   * The engine `gpu` counts the same on every card and, with the device `emulate`, in its emulator.
   */
  playouts(
    options?: RequestOptions & {
      count?: number;
      seconds?: number;
      seed?: number;
      engine?: Engine;
      device?: "emulate";
      workers?: number;
    },
  ): Promise<Stats>;
  /** Counts sequences of 1, 2, .. `depth` joint moves. */
  perft(depth: number, options?: RequestOptions & { state?: string }): Promise<bigint[]>;
  /** Returns the move of a player, named as in `gdl match`, after the joint moves of a match. */
  choose(
    role: string,
    options?: RequestOptions & {
      player?: string;
      start?: string;
      moves?: string[][];
      seconds?: number;
      nodes?: number;
      seed?: number;
    },
  ): Promise<Choice>;
  /** Drops the game. */
  unload(): Promise<void>;
}
