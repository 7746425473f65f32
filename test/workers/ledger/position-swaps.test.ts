// How the swaps of positions are found: those of a bot with many tokens and of a token with many traders, each by the
// index that passes over the fewest.

import test from 'ava'
import { query } from '../../../sql/query.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { planAsRun } from '../../support/api/plan.ts'
import {
  mintOfPair,
  pair,
  sampleSwap,
  signatureOf,
  trader,
} from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

const SWAPS = 6_000
const POOLS = 300
/** The trader of every swap but each hundredth. */
const BOT = 1
/** Traded by all others, and by the bot in between. */
const CROWDED = 0
const SLOT_FROM = 100

const { db, drop } = await testDatabase()
test.after.always(drop)

const isOfOthers = (n: number): boolean => n % 100 === 0
const poolOf = (n: number): number => (isOfOthers(n) ? CROWDED : n % POOLS)
const slotOf = (n: number): number => SLOT_FROM + Math.floor(n / 3)
const swaps = Array.from({ length: SWAPS }, (_, n) =>
  sampleSwap({
    signature: signatureOf(n),
    slot: slotOf(n),
    blockTxIndex: n % 3,
    user: trader(isOfOthers(n) ? 2 + (n % 7) : BOT),
    pairAddress: pair(poolOf(n)),
    tokenAddress: mintOfPair(poolOf(n)),
  }),
)

type Position = { wallet_id: number; token_id: number; user: string; mint: string }
let positions: Position[]

test.serial.before(async () => {
  await insertSwaps(db, swaps)
  await db.query('analyze')
  const { rows } = await db.query<Position>(
    `select distinct wallet_id, token_id, wallet.address as user, token.address as mint
     from swap
     join pool on pool.id = swap.pool_id
     join token on token.id = pool.token_id
     join wallet on wallet.id = swap.wallet_id
     order by 1, 2`,
  )
  positions = rows
})

const given = (of: readonly Position[], firstSlot: number, count: number): unknown[] => [
  of.map(({ wallet_id }) => wallet_id),
  of.map(({ token_id }) => token_id),
  of.map(() => firstSlot),
  count,
]
const isOfBot = ({ user }: Position): boolean => user === trader(BOT)

test('each position gets only its swaps from the slot on, in the order of slots', async (t) => {
  const list = query<{ ordinal: number; slot: number; signature: string }>(
    'swap-history/list_position_swaps',
  )
  for (const firstSlot of [0, slotOf(SWAPS / 2), slotOf(SWAPS - 1) + 1]) {
    const rows = await list(db, given(positions, firstSlot, SWAPS))
    const expected = positions.map(({ user, mint }) =>
      swaps
        .filter(({ slot }) => slot >= firstSlot)
        .filter((swap) => swap.user === user && swap.tokenAddress === mint)
        .map(({ signature }) => signature)
        .sort(),
    )
    const ofEach = positions.map((_, at) => rows.filter(({ ordinal }) => ordinal === at + 1))
    t.deepEqual(
      ofEach.map((of) => of.map(({ signature }) => signature).sort()),
      expected,
    )
    for (const of of ofEach) {
      const slots = of.map(({ slot }) => slot)
      t.deepEqual(
        slots,
        slots.toSorted((a, b) => a - b),
      )
    }
  }
})

test('a page ends with a whole slot', async (t) => {
  const list = query<{ ordinal: number; slot: number }>('swap-history/list_position_swaps')
  for (const of of positions.filter((_, at) => at % 40 === 0)) {
    const all = await list(db, given([of], 0, SWAPS))
    for (const count of [1, 2, 7]) {
      const page = await list(db, given([of], 0, count))
      const last = page.at(-1)?.slot ?? 0
      t.is(page.length, all.filter(({ slot }) => slot <= last).length)
      t.true(page.length >= Math.min(count, all.length))
    }
  }
})

test('reads positions of a bot by the pools of their tokens, and others by their wallet', async (t) => {
  const ofBot = positions.filter(isOfBot)
  const ofOthers = positions.filter((position) => !isOfBot(position))
  for (const [of, index, other] of [
    [ofBot, 'swap_pool', 'swap_wallet'],
    [ofOthers, 'swap_wallet', 'swap_pool'],
  ] as const) {
    const nodes = await planAsRun(
      db,
      'swap-history/list_position_swaps',
      given(of, 0, SWAPS),
      'force_generic_plan',
    )
    const rowsBy = (name: string) =>
      nodes.filter(
        (node) =>
          node['Node Type'] === 'Index Scan' &&
          node['Index Name']?.endsWith(name) &&
          node['Actual Loops'],
      )
    t.true(rowsBy(index).length > 0, index)
    t.deepEqual(rowsBy(other), [], other)
    const passedOver = nodes.reduce(
      (sum, node) => sum + (node['Rows Removed by Filter'] ?? 0) * (node['Actual Loops'] ?? 0),
      0,
    )
    t.true(passedOver < 2 * SWAPS, `${passedOver} rows were passed over`)
  }
})
