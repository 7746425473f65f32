/** Long positions that are recomputed between batches, while more swaps arrive for them. */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { laneOf } from '../../../streams/nats/lane.ts'
import { buy } from '../../domain/ledger/histories.ts'
import { poolOf } from '../../support/events/sample-event.ts'
import { DrivenLedger } from '../../support/workers/driven-ledger.ts'
import { assertAsRebuilt } from '../../support/workers/ledger.ts'
import {
  LANE_COUNT,
  openPipeline,
  publishAll,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const LANE = 1
const WALLETS = Array.from({ length: 40 }, (_, n) => poolOf(7_000 + n))
const [ALICE = '', BOB = ''] = WALLETS.filter((wallet) => laneOf(wallet, LANE_COUNT) === LANE)
const CAROL = WALLETS.find((wallet) => laneOf(wallet, LANE_COUNT) !== LANE) ?? ''
/** More than are recomputed at once. */
const SWAPS = 5_600
/** Slots of the first swaps, which come late. */
const LATE = 20

test('a position with continual late swaps does not block the others', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const ledger = await DrivenLedger.open(t, pipeline, LANE)
  const bring = async (swaps: readonly Swap[]): Promise<void> => {
    await publishAll(
      pipeline,
      swaps.map((swap) => ({ kind: 'swap', swap })),
    )
    await untilCaughtUp(pipeline)
    await ledger.consume()
    await ledger.fold(ledger.unread.length)
  }
  const of = (user: string, slot: number): Swap => buy(slot, 1_000, 1_000_000, { user })
  const slots = Array.from({ length: SWAPS }, (_, n) => n + 1)
  for (const user of [ALICE, BOB]) {
    await bring(slots.filter((slot) => slot > LATE).map((slot) => of(user, slot)))
  }
  await bring([of(ALICE, LATE), of(BOB, LATE)])
  const waiting = async () => (await pipeline.db.query('select from position_refold')).rowCount
  t.is(await waiting(), 2)
  for (let slot = LATE - 1; slot > 0; slot--) {
    await ledger.idle()
    await bring([of(ALICE, slot)])
  }
  t.is(await waiting(), 1)
  while (await ledger.idle());
  t.is(await waiting(), 0)
  await assertAsRebuilt(t, pipeline)
})

test('recomputes that another lane has to claim do not block a lane', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const { db } = pipeline
  const ledger = await DrivenLedger.open(t, pipeline, LANE)
  // Interned first, so listed first.
  for (const user of [CAROL, ALICE]) {
    const swap = buy(1, 1_000, 1_000_000, { user })
    await publishAll(pipeline, [{ kind: 'swap', swap }])
    await untilCaughtUp(pipeline)
  }
  await ledger.consume()
  await ledger.fold(ledger.unread.length)
  const order = `
    insert into position_refold (wallet_id, token_id, lane, from_slot)
    select wallet.id, token_id, $1, 0 from wallet, generate_series(1, $2::integer) as token_id
    where address = $3`
  await db.query(order, [LANE, 120, CAROL])
  await db.query(order, [LANE, 1, ALICE])
  while (await ledger.idle());
  const { rows } = await db.query<{ wallet: string; orders: number }>(
    `select wallet.address as wallet, count(*)::integer as orders from position_refold
     join wallet on wallet.id = wallet_id group by wallet.address`,
  )
  t.deepEqual(rows, [{ wallet: CAROL, orders: 120 }])
})
