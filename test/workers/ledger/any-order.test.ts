/**
 * Long positions by seed, over many chunks of lots and snapshots: their swaps are late by any distance, are decoded
 * long after they are stored, in batches of any size, some twice, by a lane that holds back any number of them and dies
 * at random. In the end every row of the ledger equals a rebuild. A failure names its seed; to run one:
 * SIMULATION_SEED=<seed> and this file only.
 */
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Db } from '../../../sql/db.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { buy, START_MS, sell, signatureOf } from '../../domain/ledger/histories.ts'
import { poolOf } from '../../support/events/sample-event.ts'
import { seedsOf } from '../../support/seed.ts'
import { type Death, DrivenLedger } from '../../support/workers/driven-ledger.ts'
import { assertAsRebuilt, ledgerRows } from '../../support/workers/ledger.ts'
import {
  LANE_COUNT,
  openPipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

/** Fresh seeds a run: some 5 s each. */
const FRESH_SEEDS = { daily: 1, long: 6 }
const LANE = 1
const ROUNDS = 12
/** How often the lane lags after a batch: the swaps that it has not decoded are stored. */
const LEAVES = 0.2

/** Swaps of each position: more than are recomputed at once, some snapshots, none. */
const POSITIONS = [6_300, 2_300, 1_900, 1_500, ...Array.from({ length: 20 }, (_, n) => 1 + 3 * n)]

const WALLETS = Array.from({ length: 200 }, (_, n) => poolOf(7_000 + n)).filter(
  (wallet) => laneOf(wallet, LANE_COUNT) === LANE,
)

/** Lots are of some 1,000 base units; a sell consumes a part of one, some, or more than the position holds. */
function swapOf(prng: Prng, position: number, n: number): Swap {
  const slot = 1 + Math.floor(n / 3)
  const location: Partial<Swap> = {
    slot,
    timestamp: START_MS + slot * 9_000 + prng.below(60_000),
    signature: signatureOf(slot * 100 + position * 3 + prng.below(2)),
    user: WALLETS[position % 7]!,
    tokenAddress: poolOf(8_000 + Math.floor(position / 7)),
    pairAddress: poolOf(9_000 + prng.below(6)),
    dex: (1 + prng.below(3)) as DexId,
    blockTxIndex: prng.below(2),
    ixIndex: prng.below(3),
    transferFeeOut: prng.chance(0.05) ? 5_000 : 0,
  }
  const lamports = prng.below(1_000_000)
  if (prng.chance(0.7)) return buy(n, 900 + prng.below(200), lamports, location)
  const rare = prng.chance(0.02) ? 9_000_000 : 1
  const most = prng.pick([500, 1_000, 3_000, 3_000, prng.chance(0.05) ? 100_000 : 1, rare])
  return sell(n, 1 + prng.below(most), lamports, location)
}

/** All swaps in the order in which they arrive. */
function arrivalsOf(prng: Prng): Swap[] {
  const slots = Math.max(...POSITIONS) / 3
  const [lateShare, spread] = [prng.pick([0.003, 0.02, 0.05]), prng.pick([0, 2, 40])]
  return POSITIONS.flatMap((count, position) =>
    Array.from({ length: count }, (_, n) => swapOf(prng, position, n)),
  )
    .map((swap) => {
      const lateBy = prng.chance(lateShare) ? prng.below(slots) : 0
      return { swap, at: swap.slot + prng.below(spread + 1) + lateBy }
    })
    .sort((a, b) => a.at - b.at)
    .map(({ swap }) => swap)
}

/** Batches of any size, with idle work between, until it is left with the unread messages. */
async function drive(prng: Prng, ledger: DrivenLedger, leaves: number): Promise<void> {
  const death = (): Death | undefined =>
    prng.chance(0.03) ? prng.pick<Death>(['before its commit', 'behind its commit']) : undefined
  while (ledger.unread.length > 0 && !prng.chance(leaves)) {
    const messages = 1 + prng.below(prng.pick([1, 10, 100]))
    if (prng.chance(0.05)) ledger.repeat(Math.ceil(messages / 2))
    await ledger.fold(messages, death())
    if (prng.chance(0.5)) await ledger.idle(death())
  }
}

async function countOf(db: Db, what: string): Promise<number> {
  return (await db.query(`select ${what}`)).rows[0].count
}

for (const seed of seedsOf('ledger', FRESH_SEEDS)) {
  test.serial(`positions of seed ${seed} equal a rebuild for any order of arrival`, async (t) => {
    const pipeline = await openPipeline(t)
    await runWorker(t, pipeline)
    const prng = new Prng([seed, 3])
    const reordering = {
      fromBytes: prng.pick([0, 5_000, 1e9]),
      depth: prng.pick([30, 300, 2_000]),
    }
    const ledger = await DrivenLedger.open(t, pipeline, LANE, reordering)
    const swaps = arrivalsOf(prng)
    const eventsMax = prng.pick([3, 10, 100])
    for (let round = 0; round < ROUNDS; round++) {
      const share = Math.ceil(swaps.length / ROUNDS)
      const arrived = swaps.slice(round * share, (round + 1) * share)
      const events = arrived.map((swap): Event => ({ kind: 'swap', swap }))
      await publishAll(pipeline, events, { eventsMax })
      await untilCaughtUp(pipeline)
      await ledger.consume()
      await drive(prng, ledger, LEAVES)
    }
    await drive(prng, ledger, 0)
    while (await ledger.idle());
    t.is(ledger.storedBack, 0)
    const { db } = pipeline
    const made = await ledgerRows(db)
    await assertAsRebuilt(t, pipeline, `(again: SIMULATION_SEED=${seed})`)
    t.is(
      await countOf(db, 'sum(swap_count)::bigint as count from position'),
      await countOf(db, 'count(*) from swap'),
    )
    t.true(made.position_snapshot!.length >= 6 && made.lot_chunk!.length > 2)
  })
}
