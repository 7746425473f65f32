/** Scans of pools and of wallets return every stored swap once, wherever it is, in the order that they promise. */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'
import { sealSlots } from '../../../history/sealing/seal.ts'
import { thaw } from '../../../history/sealing/thaw.ts'
import { scanPools } from '../../../history/swaps/scan/pools.ts'
import { scanWallets } from '../../../history/swaps/scan/wallets.ts'
import { type Db, inTransaction, onConnection } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import {
  FIRST_SLOT,
  manySwaps,
  storeNames,
  storeSwaps,
  textsOf,
} from '../../support/history/stored-history.ts'
import { freshSeed, requestedSeed } from '../../support/seed.ts'
import { testDatabase } from '../../support/servers/database.ts'

const SEED = requestedSeed() ?? freshSeed()
const SWAPS = 1_500
const POOL_IDS = [1, 2, 3, 4, 5]
const LAST_WALLET = 6
/** More than a scan reads of several pools at once. */
const MANY = 50_000

/** Two segments, some rows of which went back to the table, late swaps of sealed slots, and swaps that are not sealed. */
async function mixedHistory(t: ExecutionContext): Promise<{ db: Db; swaps: StoredSwap[] }> {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const prng = new Prng([SEED, 5])
  await storeNames(db)
  const [swaps] = fc.sample(manySwaps(SWAPS), { numRuns: 1, seed: SEED })
  const isLate = swaps!.map(() => prng.chance(0.05))
  await storeSwaps(
    db,
    swaps!.filter((_, index) => isLate[index] === false),
  )
  for (const [low, high] of [
    [0, 14_999],
    [15_000, 29_999],
  ] as const) {
    const range = { low: FIRST_SLOT + low, high: FIRST_SLOT + high }
    await onConnection(db, (connection) => sealSlots(connection, range))
  }
  const thawed = swaps!.slice(0, 20).map((swap) => ({ poolId: swap.pool_id, slot: swap.slot }))
  await inTransaction(db, (connection) => thaw(connection, 0, thawed))
  await storeSwaps(
    db,
    swaps!.filter((_, index) => isLate[index]),
  )
  return { db, swaps: swaps! }
}

test(`pools of seed ${SEED} are read one after the other, together or by pages`, async (t) => {
  const { db, swaps } = await mixedHistory(t)
  for (const slots of [
    { low: 0, high: Number.MAX_SAFE_INTEGER },
    { low: FIRST_SLOT + 7_000, high: FIRST_SLOT + 20_000 },
    { low: FIRST_SLOT + 30_000, high: FIRST_SLOT + 40_000 },
  ]) {
    const pools = POOL_IDS.map((id) => ({
      ...{ id, pair_address: `pair${id}`, token_address: 'mint' },
      swap_count: id === 3 ? MANY : 1,
    }))
    const found: StoredSwap[] = []
    const ended: number[] = []
    let lastSlot = -1
    for await (const { pool, rows, isLast } of scanPools(db, pools, slots)) {
      for (const row of rows) {
        const { pair_address, token_address, user_address, location: _, ...swap } = row
        t.is(pair_address, pool.pair_address)
        t.true(token_address.startsWith('mint'))
        t.is(swap.pool_id, pool.id)
        t.true(row.slot > lastSlot)
        const wallet_id = Number(user_address.slice('wallet'.length))
        found.push({ ...(swap as unknown as StoredSwap), wallet_id })
      }
      lastSlot = isLast ? -1 : Math.max(lastSlot, ...rows.map(({ slot }) => slot))
      if (isLast) ended.push(pool.id)
    }
    const expected = swaps.filter(({ slot }) => slot >= slots.low && slot <= slots.high)
    t.deepEqual(ended, POOL_IDS)
    t.deepEqual(textsOf(withoutTags(found)), textsOf(withoutTags(expected)))
  }
})

/** The tags of a wallet are no part of a swap as events have it. */
const withoutTags = (swaps: readonly StoredSwap[]): StoredSwap[] =>
  swaps.map((swap) => ({ ...swap, wallet_tags: null }))

test(`wallets of seed ${SEED} are read by id and slot, at once or in ranges`, async (t) => {
  const { db, swaps } = await mixedHistory(t)
  const keyOf = (row: Pick<StoredSwap, 'wallet_id' | 'slot' | 'signature' | 'pool_id'>): string =>
    `${row.wallet_id} ${row.slot} ${row.signature} ${row.pool_id}`
  for (const rangeSwaps of [1_000_000, 400]) {
    const rows: Parameters<typeof keyOf>[0][] = []
    for await (const page of scanWallets(db, LAST_WALLET, rangeSwaps)) rows.push(...page)
    t.deepEqual(rows.map(keyOf).sort(), swaps.map(keyOf).sort())
    const isOrdered = rows.every((row, index) => {
      const before = rows[index - 1]
      if (before === undefined || before.wallet_id < row.wallet_id) return true
      return before.wallet_id === row.wallet_id && before.slot <= row.slot
    })
    t.true(isOrdered)
  }
})
