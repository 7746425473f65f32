/** Runs copy back-tests of a question, one for each settings, and yields to other requests between orders. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type LeaderFigures, leaderFigures } from '../../../domain/market/copy/leader.ts'
import { type Copied, CopyRun } from '../../../domain/market/copy/run.ts'
import type { CopySettings } from '../../../domain/market/copy/settings.ts'
import { type CopyTotals, copyTotals } from '../../../domain/market/copy/totals.ts'
import type { CopyQuestion } from './read.ts'
import type { RunSettings } from './settings.ts'

export type CopyResult = {
  readonly settings: CopySettings
  readonly copied: readonly Copied[]
  readonly totals: CopyTotals
  readonly leader: LeaderFigures
}

/** Orders after which other requests run: some 5 ms. */
const YIELD_EVERY = 100

/** Rejects with the signal's reason. */
export async function runCopies(
  { fromSlot, toSlot, history, orders, pools }: CopyQuestion,
  settings: readonly RunSettings[],
  signal: AbortSignal,
): Promise<CopyResult[]> {
  const leader = leaderFigures(history, orders, fromSlot)
  const results: CopyResult[] = []
  for (const each of settings) {
    const own = { ...each, fromSlot, toSlot }
    const run = new CopyRun(pools, own)
    const copied: Copied[] = []
    for (const [index, order] of orders.entries()) {
      if (index % YIELD_EVERY === 0) await yieldToOthers()
      signal.throwIfAborted()
      copied.push(run.take(order))
    }
    results.push({ settings: own, copied, totals: copyTotals(run, copied), leader })
  }
  return results
}
