/** SHA-256 of the JSON of all runs and trades, `{"runs": [...], "trades": [...]}`, in parts: that of a large answer exceeds a string. */
import { createHash } from 'node:crypto'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { writerOf } from '../../routing/json.ts'
import { countTrades, presentTrades } from './present.ts'
import type { CopyResult } from './run.ts'
import { type CopyRunAnswer, copyAnswer } from './schema.ts'

const writeRuns = writerOf(copyAnswer.properties.runs)
export const writeTrades = writerOf(copyAnswer.properties.trades)

/** Trades that are written at once: some 5 ms. */
export const TRADES_AT_ONCE = 1_000

/** Rejects with the signal's reason. */
export async function resultHash(
  runs: readonly CopyRunAnswer[],
  results: readonly CopyResult[],
  signal: AbortSignal,
): Promise<string> {
  const hashing = createHash('sha256').update(`{"runs":${writeRuns(runs)},"trades":[`)
  const count = countTrades(results)
  for (let first = 0; first < count; first += TRADES_AT_ONCE) {
    await yieldToOthers()
    signal.throwIfAborted()
    const list = writeTrades(presentTrades(results, first, first + TRADES_AT_ONCE))
    hashing.update(first === 0 ? '' : ',').update(list.slice(1, -1))
  }
  return hashing.update(']}').digest('hex')
}
