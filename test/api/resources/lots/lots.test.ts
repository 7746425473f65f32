// /v2/pnl/wallets/{wallet}/positions/{mint}/lots: a walk's answers suffice to recompute the position, by a small
// separate program, for hand-made, published, random and real histories.

import test from 'ava'
import fc from 'fast-check'
import { INT64_MAX } from '../../../../domain/amount.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import {
  buy,
  START_MS,
  sell,
  signatureOf,
  walletHistories,
} from '../../../domain/ledger/histories.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { clearLedger, insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, trader } from '../../../support/market/sample-swap.ts'
import { swapsOf, testWithText } from '../../../support/real-swaps.ts'
import { exactly, judge, type Lots, pathOf, sum, walk } from './recompute.ts'

const under = apiForFile()

const user = trader(3)
const own = (swap: Swap, changes: Partial<Swap> = {}): Swap => ({
  ...swap,
  user,
  pairAddress: pair(0),
  tokenAddress: mint(0),
  ...changes,
})

test.serial(
  'equals a hand-computed proof: each sell, its buys, the average, the rest',
  async (t) => {
    await clearLedger(under().db)
    // Lots (10 for 100), (10 for 33); 15 sold for 150: all of the first and floor(33 * 5 / 10) = 16.
    await insertLedger(under().db, [
      own(buy(1, 10, 100)),
      own(buy(2, 12, 33, { transferFeeOut: 2 })),
      own(sell(3, 14, 150, { transferFeeIn: 1 })),
      own(buy(4, 7, 8)),
    ])
    const { body, text } = await under().get(pathOf(user, mint(0)))
    t.like(body, { wallet: user, mint: mint(0), decimals: buy(1, 1, 1).quoteDecimals })
    const [sold, ...more] = (body as unknown as Record<'sells', Record<string, unknown>[]>).sells
    t.deepEqual(more, [])
    const { signature, timestamp, slot, dex, pair_address, ix_index, block_tx_index, ...figures } =
      sold ?? {}
    t.deepEqual(
      { signature, timestamp, slot, pair_address },
      { signature: signatureOf(3), timestamp: START_MS + 3_000, slot: 3, pair_address: pair(0) },
    )
    t.deepEqual([dex, ix_index, block_tx_index].map(Number), [
      sell(3, 1, 1).dex,
      sell(3, 1, 1).ixIndex,
      sell(3, 1, 1).blockTxIndex,
    ])
    t.deepEqual(figures, {
      quantity: 15,
      covered_quantity: 15,
      proceeds_lamports: 150,
      covered_proceeds_lamports: 150,
      matched_cost_lamports: 116,
      realized_strict_lamports: 34,
      balance_before: 20,
      basis_before_lamports: 133,
      // floor(133 * 15 / 20) = 99.
      average_cost_lamports: 99,
      realized_adjusted_lamports: 51,
      match_count: 2,
      matches_from: 0,
      matches: [
        {
          signature: signatureOf(1),
          timestamp: START_MS + 1_000,
          quantity: 10,
          cost_lamports: 100,
          lot_quantity_before: 10,
          lot_cost_before_lamports: 100,
        },
        {
          signature: signatureOf(2),
          timestamp: START_MS + 2_000,
          quantity: 5,
          cost_lamports: 16,
          lot_quantity_before: 10,
          lot_cost_before_lamports: 33,
        },
      ],
    })
    t.regex(text, /"bought_quantity":10,"bought_lamports":33,"quantity":5,"cost_lamports":17/)
    t.regex(text, /"bought_quantity":7,"bought_lamports":8,"quantity":7,"cost_lamports":8/)
    await judge(t, under(), user, mint(0), [1])
  },
)

test.serial(
  'amounts beyond 2^53, and sums beyond int64, are written digit for digit',
  async (t) => {
    await clearLedger(under().db)
    const most = INT64_MAX
    await insertLedger(under().db, [
      own(buy(1, most, most)),
      own(buy(2, most, most)),
      own(sell(3, most, most)),
    ])
    const { text } = await under().get(pathOf(user, mint(0)))
    t.regex(text, /"buys_lamports":18446744073709551614,/)
    t.regex(
      text,
      /"balance_before":18446744073709551614,"basis_before_lamports":18446744073709551614,/,
    )
    t.regex(text, /"cost_lamports":9223372036854775807,/)
    await judge(t, under(), user, mint(0), [2])
  },
)

test.serial('any history can be computed again from any walk', async (t) => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 })
  const property = fc.asyncProperty(walletHistories, sizes, async (history, limits) => {
    await clearLedger(under().db)
    // Each swap a transaction of its own, so that a signature names a lot.
    const swaps = history.map((swap, n) => ({ ...swap, user, signature: signatureOf(n) }))
    await insertLedger(under().db, swaps)
    for (const token of new Set(swaps.map(({ tokenAddress }) => tokenAddress))) {
      await judge(t, under(), user, token, limits)
    }
  })
  await fc.assert(property, { numRuns: 15, endOnFailure: true })
})

test.serial('slots decide where times run against them, and where years lie between', async (t) => {
  const days = [900, 5, 5, 800, 4, 300]
  await clearLedger(under().db)
  await insertLedger(
    under().db,
    days.map((day, n) =>
      own((n % 3 === 2 ? sell : buy)(n + 1, 10 + n, 7 * n + 3), {
        // 54,000 slots are a chunk.
        slot: (n + 1) * 40_000,
        timestamp: START_MS + day * 86_400_000,
      }),
    ),
  )
  const { sells, lots } = await judge(t, under(), user, mint(0), [1])
  t.deepEqual([sells.length, lots.length], [2, 2])
})

type Vector = {
  name: string
  trades: ['buy' | 'sell', number, number][]
  remaining_cost_fifo: number
  remaining_cost_average: number
}
/** Lamports a coin: fine enough that a floor of one is below the precision of the vectors. */
const UNITS = 10_000_000

testWithText(
  'vectors/cost.json',
  'the walk of a published history leaves the cost that was published',
  async (t, text) => {
    await clearLedger(under().db)
    const { cases } = JSON.parse(text) as { cases: Vector[] }
    t.is(cases.length, 4)
    const swaps = cases.flatMap(({ trades }, n) =>
      trades.map(([side, quantity, cash], index) => {
        const make = side === 'buy' ? buy : sell
        const ordinal = n * 10 + index + 1
        return { ...own(make(ordinal, quantity, Math.round(cash * UNITS))), user: trader(n) }
      }),
    )
    await insertLedger(under().db, swaps)
    for (const [n, expected] of cases.entries()) {
      const { totals, lots } = await judge(t, under(), trader(n), mint(0), [1, 2])
      const inCoins = (lamports: bigint): number => Number((Number(lamports) / UNITS).toFixed(2))
      t.is(inCoins(sum(lots.map((lot) => lot.cost_lamports))), expected.remaining_cost_fifo)
      t.is(inCoins(totals.cost_basis_adjusted_lamports!), expected.remaining_cost_average)
    }
  },
)

testWithText(
  'venue_1_2025-09.ndjson',
  'every position of the real swaps can be computed again from its walk',
  async (t, text) => {
    await clearLedger(under().db)
    const swaps = swapsOf(text)
    await insertLedger(under().db, swaps)
    const positions = new Set(swaps.map((swap) => `${swap.user} ${swap.tokenAddress}`))
    t.true(positions.size >= 396)
    for (const position of positions) {
      const [wallet = '', token = ''] = position.split(' ')
      await judge(t, under(), wallet, token, [7])
    }
  },
)

test.serial('swaps that arrive while it is walked leave the walk as it began', async (t) => {
  await clearLedger(under().db)
  const first = [own(buy(1, 30, 90)), own(sell(2, 10, 50)), own(buy(3, 5, 5)), own(sell(4, 8, 8))]
  await insertLedger(under().db, first)
  const path = pathOf(user, mint(0))
  const whole = await exactly(under(), path)
  const begun = await exactly(under(), `${path}?limit=1`)
  // These swaps consume the open lots, and add one.
  await insertLedger(under().db, [own(sell(5, 13, 13)), own(buy(6, 4, 4)), own(sell(7, 2, 2))])
  const second = await exactly(under(), `${path}?limit=1&cursor=${begun.next_cursor}`)
  const rest = await exactly(under(), `${path}?limit=9&cursor=${second.next_cursor}`)
  t.deepEqual([...begun.sells, ...second.sells, ...rest.sells], whole.sells)
  t.deepEqual([...begun.lots, ...second.lots, ...rest.lots], whole.lots)
  for (const page of [begun, second, rest]) t.deepEqual(page.totals, whole.totals)
  t.is(rest.next_cursor, null)
  // A new walk has them.
  const { sells } = await judge(t, under(), user, mint(0), [2])
  t.is(sells.length, 4)
  // A late one before all others changes the later ones: the totals show it.
  await insertLedger(under().db, [own(buy(0, 3, 6))])
  const late = await exactly(under(), `${path}?limit=9&cursor=${second.next_cursor}`)
  t.is(late.totals.swap_count, 5n)
  await judge(t, under(), user, mint(0), [1])
})

test.serial(
  'swaps that the ledger has not read are left out, also in its newest slot',
  async (t) => {
    await clearLedger(under().db)
    const twin = (n: number) => own(sell(4, 3, 9, { signature: signatureOf(n), blockTxIndex: n }))
    const read = [own(buy(1, 30, 90)), own(buy(3, 5, 5)), twin(40)]
    await insertLedger(under().db, read)
    const path = pathOf(user, mint(0))
    const whole = await exactly(under(), path)
    t.deepEqual([whole.totals.swap_count, whole.sells.length, whole.lots.length], [3n, 1, 2])
    const unread = [twin(41), own(sell(4, 7, 70, { blockTxIndex: 50 })), own(buy(5, 1, 1))]
    await insertSwaps(under().db, unread)
    t.deepEqual(await exactly(under(), path), whole)
    const begun = await exactly(under(), `${path}?limit=1`)
    const rest = await exactly(under(), `${path}?cursor=${begun.next_cursor}`)
    t.deepEqual([begun.sells, rest.sells, rest.lots], [whole.sells, [], whole.lots])
    await insertLedger(under().db, [])
    t.is((await exactly(under(), path)).totals.swap_count, 6n)
  },
)

test.serial('a sell of more buys than an answer holds continues in the next', async (t) => {
  await clearLedger(under().db)
  const count = 5_003
  const buys = Array.from({ length: count }, (_, n) => own(buy(n + 1, 2, 3 + (n % 5))))
  await insertLedger(under().db, [
    ...buys,
    own(sell(count + 1, count * 2 - 3, 99)),
    own(sell(count + 2, 1, 1)),
  ])
  const path = pathOf(user, mint(0))
  const first = await exactly(under(), path)
  t.is(first.sells.length, 1)
  t.is(first.sells[0]?.matches.length, 5_000)
  t.is(first.sells[0]?.match_count, BigInt(count - 1))
  const second = await exactly(under(), `${path}?cursor=${first.next_cursor}`)
  t.deepEqual(
    second.sells.map((each) => [each.matches_from, each.matches.length]),
    [
      [5_000n, count - 1 - 5_000],
      [0n, 1],
    ],
  )
  t.is(second.next_cursor, null)
  await judge(t, under(), user, mint(0), [100])
})

test.serial('a long history is proved whole', async (t) => {
  await clearLedger(under().db)
  const swaps = Array.from({ length: 12_000 }, (_, n) =>
    own((n % 4 === 3 ? sell : buy)(n + 1, 10, 10 + (n % 7)), { signature: signatureOf(n) }),
  )
  await insertLedger(under().db, swaps)
  const walked = await walk(under(), pathOf(user, mint(0)), [1_000])
  t.is(walked.sells.length, 3_000)
  t.is(walked.lots.length, 6_000)
})

test('an unknown wallet or mint has an empty proof', async (t) => {
  for (const path of [pathOf(trader(98), mint(0)), pathOf(user, mint(97))]) {
    const { status, body } = await under().get(path)
    t.is(status, 200)
    t.like(body, { decimals: null, next_cursor: null })
    const { sells, lots, totals } = body as unknown as Lots
    t.deepEqual([sells, lots], [[], []])
    t.deepEqual([...new Set(Object.values(totals).map(Number))], [0])
  }
})

test('bad parameters are 400, a request without a key 401', async (t) => {
  const path = pathOf(user, mint(0))
  const foreign = Buffer.from('swap|1|2', 'latin1').toString('base64url')
  const refused: [string, RegExp][] = [
    [`${path}?limit=0`, /limit "0": expected an integer of 1 to 1000/],
    [`${path}?limit=1001`, /limit "1001"/],
    [`${path}?cursor=${foreign}`, /cursor/],
    [`${path}?cursor=%21`, /cursor/],
    [pathOf('me', mint(0)), /wallet "me": expected an address/],
    [pathOf(user, 'SOL'), /mint "SOL": expected an address/],
  ]
  for (const [requested, text] of refused) {
    const { status, body } = await under().get(requested)
    t.is(status, 400, requested)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, requested)
    t.regex((body.error as { message: string }).message, text)
  }
  const { status, body } = await under().call(path)
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})

test.serial('a cursor of another wallet or mint is refused', async (t) => {
  await clearLedger(under().db)
  const elsewhere = { tokenAddress: mint(1), pairAddress: pair(1) }
  const swaps = [own(buy(1, 10, 10)), own(buy(2, 10, 10)), { ...own(buy(3, 10, 10)), ...elsewhere }]
  await insertLedger(under().db, swaps)
  const { body } = await under().get(`${pathOf(user, mint(0))}?limit=1`)
  for (const path of [pathOf(trader(4), mint(0)), pathOf(user, mint(1))]) {
    t.is((await under().get(`${path}?cursor=${body.next_cursor}`)).status, 400, path)
  }
})
