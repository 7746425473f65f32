/** Returns of closed positions: realized by what was paid, where every sold token has a cost. Pure. */
import type { Position } from '../../../clients/typescript/generated.ts'

/** Percent of what was paid; `heldSeconds`: from its first buy to a sell at most, null where that is unknown. */
export type Return = { percent: number; heldSeconds: number | null }

/** Undefined: a position with sells that no buy covers, with tokens left or without a buy has no return. */
export function returnOf(position: Position): Return | undefined {
  const { balance_atomic: balance, uncovered_sell_qty: uncovered, total_buys_sol: paid } = position
  if (BigInt(balance) !== 0n || uncovered > 0 || paid <= 0) return undefined
  return {
    percent: (position.realized_sol / paid) * 100,
    heldSeconds: position.longest_hold_seconds,
  }
}

/** Percents from which each bar but the first begins. */
const EDGES = [-75, -50, -25, 0, 25, 50, 100, 200] as const
export const BAR_NAMES = [
  `< ${EDGES[0]}`,
  ...EDGES.slice(1).map((edge, at) => `${EDGES[at]}..${edge}`),
  `≥ ${EDGES.at(-1)}`,
] as const

/** Number of returns in each bar; one on an edge belongs to the bar that begins there. */
export function countsOf(returns: readonly Return[]): number[] {
  const counts = BAR_NAMES.map(() => 0)
  for (const { percent } of returns) {
    const bar = EDGES.findLastIndex((edge) => percent >= edge) + 1
    counts[bar] = (counts[bar] ?? 0) + 1
  }
  return counts
}
