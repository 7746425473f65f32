/** Runs the copy back-tests of a question, one for each settings, next to each other, and yields to other work between orders. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type LeaderFigures, leaderFigures } from '../../../domain/market/copy/leader.ts'
import { type Copied, CopyRun } from '../../../domain/market/copy/run.ts'
import type { CopySettings } from '../../../domain/market/copy/settings.ts'
import { type CopyTotals, copyTotals } from '../../../domain/market/copy/totals.ts'
import type { CopyQuestion } from './question/read.ts'
import type { RunSettings } from './settings.ts'

export type CopyResult = {
  readonly settings: CopySettings
  readonly copied: readonly Copied[]
  readonly totals: CopyTotals
  readonly leader: LeaderFigures
}

/** Orders of a run after which other work gets the process: some 5 ms. */
const YIELD_EVERY = 100

/** Called with the orders that all runs took, and the slot of the last. */
export type OnProgress = (ordersDone: number, slot: number) => void

type RunOptions = { readonly signal: AbortSignal; readonly onProgress?: OnProgress | undefined }

/** Rejects with the signal's reason. */
export async function runCopies(
  { fromSlot, toSlot, history, orders, pools }: CopyQuestion,
  settings: readonly RunSettings[],
  { signal, onProgress }: RunOptions,
): Promise<CopyResult[]> {
  const leader = leaderFigures(history, orders, fromSlot)
  const runs = settings.map((each) => {
    const own = { ...each, fromSlot, toSlot }
    return { settings: own, run: new CopyRun(pools, own), copied: [] as Copied[] }
  })
  let taken = 0
  for (const [index, order] of orders.entries()) {
    for (const { run, copied } of runs) {
      if (taken++ % YIELD_EVERY === 0) {
        await yieldToOthers()
        signal.throwIfAborted()
      }
      copied.push(run.take(order))
    }
    onProgress?.(index + 1, order.main.slot)
  }
  return runs.map(({ settings: own, run, copied }) => ({
    ...{ settings: own, copied, totals: copyTotals(run, copied), leader },
  }))
}
