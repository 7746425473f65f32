/**
 * Swaps of few slots by seed: several transactions a slot, with several swaps each, that often tie in all but signature, pair
 * or amounts. They arrive in any order, some twice, in steps between which the lane dies or drops its memory, and slots are
 * retracted. After each step the rows are the fold in canonical order, which reads no row of a position.
 */
import test, { type ExecutionContext } from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Db } from '../../../sql/db.ts'
import { BEGIN_SNAPSHOT } from '../../../sql/snapshot.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { verifyLedger } from '../../../workers/verify/ledger.ts'
import { buy, START_MS, sell, signatureOf } from '../../domain/ledger/histories.ts'
import { poolOf } from '../../support/events/sample-event.ts'
import { seedsOf, sizeOf } from '../../support/seed.ts'
import { type Death, DrivenLedger } from '../../support/workers/driven-ledger.ts'
import { assertAsRebuilt } from '../../support/workers/ledger.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const STEPS = sizeOf({ daily: 24, long: 120 })
/** Swaps of a step at most. */
const STEP_SWAPS = 6
const SLOTS = 5
const SLOT_TRANSACTIONS = 3

function swapOf(prng: Prng, n: number): Swap {
  const slot = 1 + prng.below(SLOTS)
  const mint = prng.below(2)
  const location: Partial<Swap> = {
    slot,
    timestamp: START_MS + slot * 1_000,
    signature: signatureOf(slot * SLOT_TRANSACTIONS + prng.below(SLOT_TRANSACTIONS)),
    user: poolOf(7_000 + prng.below(2)),
    tokenAddress: poolOf(8_000 + mint),
    pairAddress: poolOf(9_000 + mint * 2 + prng.below(2)),
    dex: (1 + prng.below(2)) as DexId,
    blockTxIndex: prng.chance(0.8) ? 0 : 1,
    ixIndex: prng.chance(0.7) ? 0 : 1,
  }
  const make = prng.chance(0.6) ? buy : sell
  return make(n, 1 + prng.below(9), 1 + prng.below(50), location)
}

/** Some new swaps, and some that came before, in any order. */
function arrivalsOf(prng: Prng, known: Swap[]): Swap[] {
  return Array.from({ length: 1 + prng.below(STEP_SWAPS) }, (_, n) => {
    if (known.length > 0 && prng.chance(0.15)) return prng.pick(known)
    const swap = swapOf(prng, n)
    known.push(swap)
    return swap
  })
}

/** Batches of one or more messages; after most of them the lane restarts from the rows. */
async function drive(prng: Prng, ledger: DrivenLedger): Promise<void> {
  const death = (): Death | undefined =>
    prng.pick<Death | undefined>(['before its commit', 'behind its commit', undefined])
  await ledger.consume()
  while (ledger.unread.length > 0) {
    if (prng.chance(0.2)) ledger.repeat(1)
    await ledger.fold(1 + prng.below(3), death())
  }
  while (await ledger.idle());
}

async function assertFold(t: ExecutionContext, db: Db, hint: string): Promise<void> {
  const connection = await db.connect()
  try {
    await connection.query(BEGIN_SNAPSHOT)
    const { tables } = await verifyLedger(db, connection, 0, undefined)
    t.is(tables.length, 4)
    t.deepEqual(
      tables.flatMap(({ differences }) => differences),
      [],
      hint,
    )
  } finally {
    connection.release(true)
  }
}

/** Compares transactions with a count by the database; returns how many both bought and sold. */
async function assertTransactions(t: ExecutionContext, db: Db, hint: string): Promise<number> {
  const { rows } = await db.query(
    `select stored.transactions, stored.arbitrages, folded.transactions as folded, folded.arbitrages as folded_arbitrages
     from (
       select coalesce(sum(transaction_count), 0)::integer as transactions, coalesce(sum(arbitrage_count), 0)::integer as arbitrages
       from position
     ) as stored,
     (
       select count(*)::integer as transactions, count(*) filter (where sides = 2)::integer as arbitrages
       from (
         select count(distinct is_buy) as sides
         from swap join pool on pool.id = pool_id
         group by wallet_id, token_id, slot, signature
       ) as transaction
     ) as folded`,
  )
  const [{ transactions, arbitrages, folded, folded_arbitrages }] = rows
  t.deepEqual([transactions, arbitrages], [folded, folded_arbitrages], hint)
  return arbitrages
}

for (const seed of seedsOf('ledger', { daily: 1, long: 6 })) {
  test.serial(`rows of seed ${seed} hold ties of a slot in canonical order`, async (t) => {
    const hint = `(again: SIMULATION_SEED=${seed})`
    const pipeline = await openPipeline(t, { laneCount: 1 })
    await runWorker(t, pipeline)
    const prng = new Prng([seed, 83])
    const ledger = await DrivenLedger.open(t, pipeline, 0)
    const known: Swap[] = []
    let arbitrages = 0
    // The ledger has run.
    await pipeline.db.query('insert into ledger_cover values (0, 0, 0)')
    for (let step = 0; step < STEPS; step++) {
      const swaps = arrivalsOf(prng, known)
      await publishAll(
        pipeline,
        swaps.map((swap) => ({ kind: 'swap', swap })),
        { eventsMax: 1 + prng.below(3) },
      )
      if (step % 8 === 7) {
        const slot = 1 + prng.below(SLOTS)
        await publishAll(pipeline, [{ kind: 'retract', retraction: { slot } }])
      }
      await untilCaughtUp(pipeline)
      await drive(prng, ledger)
      await assertFold(t, pipeline.db, `step ${step} ${hint}`)
      arbitrages += await assertTransactions(t, pipeline.db, `step ${step} ${hint}`)
    }
    t.true(arbitrages > 0)
    await assertAsRebuilt(t, pipeline, hint)
  })
}
