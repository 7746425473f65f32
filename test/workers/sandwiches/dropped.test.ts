/** Sandwiches near the first stored slot, where earlier swaps of their pool were dropped. */
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { inExecutionOrder } from '../../../domain/market/order.ts'
import { bracketOf } from '../../../domain/market/sandwich/bracket-row.ts'
import { WINDOW_MAX } from '../../../domain/market/sandwich/cuts.ts'
import { detectSandwiches } from '../../../domain/market/sandwich/detect.ts'
import type { BracketRow } from '../../../domain/market/sandwich/stored-row.ts'
import { dropFirst } from '../../../history/dropping/drop.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { type Db, onConnection } from '../../../sql/db.ts'
import { followSandwiches } from '../../../workers/sandwiches/follow.ts'
import { readBrackets, textOf } from '../../../workers/sandwiches/store.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { FormulaPool } from '../../support/market/formula-pool.ts'
import { trader } from '../../support/market/sample-swap.ts'
import { openPipeline, publishAll, until, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const SOL = 1_000_000_000n
const BOUND_MS = 60_000
const ANY_AGE = Number.MAX_SAFE_INTEGER
const FIRST_MS = Date.UTC(2026, 6, 1)
const LATER_MS = FIRST_MS + 20 * 86_400_000

/** A sandwich that begins in a slot, and the swap that moved its pool before. */
class Market {
  private readonly pool = new FormulaPool({
    sol: 1_000n * SOL,
    tokens: 10n ** 15n,
    dex: 3,
    pair: 1,
  })
  private readonly attacker = trader(90)

  sandwich(slot: number, timestamp: number): Swap[] {
    const at = { slot, timestamp }
    const front = this.pool.buy(20n * SOL, { ...at, blockTxIndex: 1, user: this.attacker })
    const victim = this.pool.buy(10n * SOL, { ...at, blockTxIndex: 2, user: trader(92) })
    const back = this.pool.sell(BigInt(front.tokenAmount), {
      ...{ ...at, blockTxIndex: 3, user: this.attacker },
    })
    return [front, victim, back]
  }
}

const searched = (swaps: readonly Swap[]): BracketRow[] =>
  detectSandwiches(
    { slots: inExecutionOrder(swaps), events: [], migratedAtMs: undefined },
    WINDOW_MAX,
  ).map(bracketOf)

async function storedTexts(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ id: number }>('select id from pool order by id')
  const range = { from: 0, end: Number.MAX_SAFE_INTEGER }
  const found = await Promise.all(rows.map(({ id }) => readBrackets(db, id, range)))
  return found.flat().map(({ row }) => textOf(row))
}

async function dropUpTo(db: Db, slot: number): Promise<void> {
  await until('the slots are sealed', BOUND_MS, async () => {
    const range = { low: 0, high: slot }
    const sealing = await onConnection(db, (connection) => sealSlots(connection, range))
    return sealing.outcome === 'sealed'
  })
  const dropped = await onConnection(db, (connection) => dropFirst(connection, ANY_AGE))
  if (dropped.outcome !== 'dropped') throw new Error(JSON.stringify(dropped))
}

test('a sandwich just after dropped swaps of its pool is found, and those of dropped slots stay', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 1 })
  const { db, recording } = pipeline
  await runWorker(t, pipeline)
  const market = new Market()
  const publish = async (swaps: readonly Swap[]) => {
    await publishAll(
      pipeline,
      swaps.map((swap): Event => ({ kind: 'swap', swap })),
    )
    await untilCaughtUp(pipeline)
    await followSandwiches(db, AbortSignal.timeout(BOUND_MS))
  }
  const first = market.sandwich(1_990, FIRST_MS)
  await publish(first)
  t.is((await storedTexts(db)).length, 1)
  await dropUpTo(db, 1_990)
  const later = market.sandwich(2_010, LATER_MS)
  await publish(later)
  const expected = searched([...first, ...later]).map(textOf)
  t.is(expected.length, 2)
  t.deepEqual((await storedTexts(db)).sort(), expected.sort())
  const { rowCount } = await db.query('select from sandwich_due')
  t.is(rowCount, 0)
  t.deepEqual((await verify(db, { log: recording.log })).sandwiches.differences, [])
})
