// A caller that the compiler of TypeScript checks against the package's types.

import { Gdl, Refused, type Explanation, type Verdict } from "../../target/web/package/index.js";

export async function play(): Promise<[string, bigint]> {
  const gdl = new Gdl();
  const verdict: Verdict = await gdl.check("(role x)", { patient: true });
  if (!verdict.sound) throw new Refused();
  const game = await gdl.load({ text: "(role x)", name: "own" });
  const { state, legal, goals } = await game.position();
  const goal: number | null = goals[0];
  const { move, report } = await game.choose(game.roles[0], { player: "mcts", nodes: 100, signal: AbortSignal.timeout(1000) });
  const next = await game.apply(state, [move, legal[1][0]]);
  const why: Explanation = await game.why(next.state, "terminal", { before: { state, moves: [move] } });
  const [count] = await game.perft(1);
  const { tally } = await game.playouts({ count: 1000, seed: 1, workers: 2 });
  if (!tally.playouts) throw new Error("no game was played");
  const card = await game.playouts({ seconds: 1, engine: "gpu" }).catch((error: Refused) => error.code);
  const device: string | undefined = card === null || typeof card === "string" ? undefined : card.device;
  // @ts-expect-error: a browser chooses the card
  await game.playouts({ engine: "gpu", device: "nvidia" });
  // @ts-expect-error: a syntax that nothing is written in
  await gdl.convert("(role x)", "epilog");
  return [`${goal} ${report?.nodes} ${why.holds} ${device}`, count];
}
