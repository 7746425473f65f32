// /wallets/{w}/stats: every figure against the naive model, over all venues and over one, for random
// histories and for the wallets of real swaps; hand-computed edges of the window.

import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { Swap } from '../../../../domain/events/swap.ts'
import {
  buy,
  START_MS,
  sell,
  signatureOf,
  walletHistories,
} from '../../../domain/ledger/histories.ts'
import { canonically } from '../../../simulation/model.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { hoursOf } from '../../../simulation/models/ledger-model.ts'
import { apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { clearLedger, insertLedger } from '../../../support/api/insert-ledger.ts'
import { mint, pair, trader } from '../../../support/market/sample-swap.ts'
import { swapsOf, testWithText } from '../../../support/real-swaps.ts'
import { testRedis } from '../../../support/servers/redis.ts'

const under = apiForFile()

/** Answers are cached for a while: each history has a separate wallet. */
let wallets = 100
const nextWallet = (): string => trader(wallets++)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = { '30d': 30, '90d': 90, '1y': 365, all: 100_000 }
const WINDOWS = ['30d', '90d', '1y', 'all'] as const

/** Lamports in SOL, as the nearest double. */
const inSol = (lamports: bigint): number =>
  lamports < 0n ? -inSol(-lamports) : exactQuotient(lamports, 1_000_000_000n)

/** The answer as the model has it: hours of the wallet's swaps (of one venue) from the window's first. */
function modelStats(
  wallet: string,
  window: keyof typeof DAYS,
  swaps: readonly Swap[],
  own: Swap[],
) {
  const newest = swaps.reduce((most, { timestamp }) => Math.max(most, timestamp), 0)
  const fromHour = Math.floor((newest - DAYS[window] * DAY_MS) / HOUR_MS) * HOUR_MS
  const hours = [...hoursOf(own)]
    .filter(([hour]) => Date.parse(`${hour}:00:00Z`) >= fromHour)
    .map(([, figures]) => figures)
  const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0)
  const covered = sum(hours.map((hour) => hour.coveredSellCount))
  const wins = sum(hours.map((hour) => hour.winCount))
  const pick = (name: 'best' | 'worst', sign: bigint) =>
    hours
      .flatMap((hour) => hour[name] ?? [])
      .toSorted(
        (a, b) => Number(sign * (b.adjusted - a.adjusted)) || canonically(a.swap, b.swap),
      )[0]
  const best = pick('best', 1n)
  const worst = pick('worst', -1n)
  return {
    wallet,
    window,
    total_trades: sum(hours.map((hour) => hour.buyCount + hour.sellCount)),
    win_count: wins,
    covered_sell_count: covered,
    win_rate: covered === 0 ? 0 : wins / covered,
    total_volume_sol: inSol(hours.reduce((total, hour) => total + hour.volume, 0n)),
    best_trade_pnl_sol: inSol(best?.adjusted ?? 0n),
    best_trade_mint: best?.swap.tokenAddress ?? null,
    worst_trade_pnl_sol: inSol(worst?.adjusted ?? 0n),
    worst_trade_mint: worst?.swap.tokenAddress ?? null,
  }
}

async function judge(
  t: ExecutionContext,
  wallet: string,
  swaps: Swap[],
  { dex, windows = WINDOWS }: { dex?: number; windows?: readonly (keyof typeof DAYS)[] } = {},
) {
  const own = swaps.filter((swap) => swap.user === wallet && (dex ?? swap.dex) === swap.dex)
  for (const window of windows) {
    const venue = dex === undefined ? '' : `&dex=${dex}`
    const { status, body } = await under().get(`/wallets/${wallet}/stats?window=${window}${venue}`)
    t.is(status, 200)
    const expected = modelStats(wallet, window, swaps, own)
    t.deepEqual(body as object, expected, `${wallet} ${window} ${dex}`)
  }
}

test.serial(
  'any history has the figures of the model, over all venues and over each',
  async (t) => {
    const property = fc.asyncProperty(walletHistories, async (history) => {
      await clearLedger(under().db)
      const wallet = nextWallet()
      // Slots are 1 to 12: 33 days apart, so that each window leaves something out.
      const swaps = history.map((swap) => ({
        ...swap,
        user: trader(1),
        timestamp: swap.timestamp + swap.slot * 33 * DAY_MS,
      }))
      await insertLedger(under().db, swaps)
      await judge(t, wallet, swaps)
      for (const dex of [1, 2, 3, 10]) await judge(t, wallet, swaps, { dex })
    })
    await fc.assert(property, { numRuns: 8, endOnFailure: true })
  },
)

testWithText(
  'venue_1_2025-09.ndjson',
  'every wallet of the real swaps has the figures of the model, with dex and without',
  async (t, text) => {
    await clearLedger(under().db)
    const swaps = swapsOf(text)
    await insertLedger(under().db, swaps)
    const wallets = [...new Set(swaps.map(({ user }) => user))]
    t.is(wallets.length, 396)
    for (const wallet of wallets) {
      await judge(t, wallet, swaps, { windows: ['30d'] })
      await judge(t, wallet, swaps, { dex: 1, windows: ['all'] })
    }
    await judge(t, wallets[0]!, swaps, { dex: 2 })
  },
)

const at = (ms: number, swap: Swap, changes: Partial<Swap> = {}): Swap => ({
  ...swap,
  timestamp: ms,
  pairAddress: pair(0),
  tokenAddress: mint(0),
  ...changes,
})

test.serial('the window begins with the hour that holds newest - window', async (t) => {
  const user = nextWallet()
  await clearLedger(under().db)
  // The newest swap is at 10:30 of day 40: the window of 30 days begins with 10:00 of day 10.
  const newest = START_MS + 40 * DAY_MS + 10.5 * HOUR_MS
  const first = START_MS + 10 * DAY_MS + 10 * HOUR_MS
  await insertLedger(under().db, [
    at(first - 1, buy(1, 10, 1e9), { user }),
    at(first, buy(2, 10, 2e9), { user }),
    at(newest, buy(3, 10, 4e9), { user: nextWallet() }),
  ])
  const inWindow = await under().get(`/wallets/${user}/stats?window=30d`)
  t.like(inWindow.body, { window: '30d', total_trades: 1, total_volume_sol: 2 })
  const longer = await under().get(`/wallets/${user}/stats?window=90d`)
  t.like(longer.body, { total_trades: 2, total_volume_sol: 3 })
})

test.serial(
  'chooses the canonically earlier of equal sells as the best and the worst',
  async (t) => {
    const user = nextWallet()
    await clearLedger(under().db)
    const other = { user, tokenAddress: mint(1), pairAddress: pair(2) }
    // Two mints, each bought for 10 and sold for 15; the second mint's sell is first by its index.
    await insertLedger(under().db, [
      at(START_MS, buy(1, 10, 10), { user }),
      at(START_MS, buy(1, 10, 10), { ...other, ixIndex: 1 }),
      at(START_MS + 5, sell(2, 10, 15), { user, ixIndex: 4 }),
      at(START_MS + 5, sell(2, 10, 15), { ...other, ixIndex: 3 }),
      // An uncovered sell is neither a win nor the worst.
      at(START_MS + 9, sell(3, 10, 1), { user }),
    ])
    for (const venue of ['', '&dex=1']) {
      const { body } = await under().get(`/wallets/${user}/stats?window=all${venue}`)
      t.like(body, {
        total_trades: 5,
        win_count: 2,
        win_rate: 1,
        best_trade_mint: mint(1),
        worst_trade_mint: mint(1),
        best_trade_pnl_sol: 5e-9,
        worst_trade_pnl_sol: 5e-9,
      })
    }
  },
)

test.serial(
  'orders equal sells at one position by signature, then by pair, over all mints',
  async (t) => {
    for (const [signatures, pairs, earlier] of [
      [[8, 9], [0, 2], 0],
      [[9, 8], [0, 2], 1],
      [[8, 8], [0, 2], 0],
      [[8, 8], [2, 0], 1],
    ] as const) {
      const user = nextWallet()
      await clearLedger(under().db)
      const swaps = [0, 1].flatMap((n) => {
        const of = { user, tokenAddress: mint(n), pairAddress: pair(pairs[n]!), ixIndex: 0 }
        return [
          at(START_MS, buy(1, 10, 10), of),
          // Before the window, and so before all that counts.
          at(START_MS - 40 * DAY_MS, sell(2, 1, 1), { ...of, signature: signatureOf(n) }),
          at(START_MS + 5, sell(2, 5, 15), { ...of, signature: signatureOf(signatures[n]!) }),
        ]
      })
      await insertLedger(under().db, swaps)
      await judge(t, user, swaps)
      for (const venue of ['', '&dex=1']) {
        const { body } = await under().get(`/wallets/${user}/stats?window=90d${venue}`)
        t.is(body.best_trade_mint, mint(earlier), `${signatures} ${pairs} ${venue}`)
      }
      await judge(t, user, swaps, { dex: 1 })
    }
  },
)

test.serial('one venue only: buys on another venue cover no sell', async (t) => {
  const user = nextWallet()
  await clearLedger(under().db)
  await insertLedger(under().db, [
    at(START_MS, buy(1, 10, 10), { user, dex: 1 }),
    at(START_MS + 1, sell(2, 10, 30), { user, dex: 2, pairAddress: pair(1) }),
  ])
  const path = `/wallets/${user}/stats?window=all`
  t.like((await under().get(path)).body, { win_count: 1, best_trade_pnl_sol: 2e-8 })
  const sold = await under().get(`${path}&dex=2`)
  t.like(sold.body, { total_trades: 1, win_count: 0, win_rate: 0, best_trade_mint: null })
  const none = await under().get(`${path}&dex=3`)
  t.like(none.body, { total_trades: 0, total_volume_sol: 0, worst_trade_mint: null })
})

test.serial(
  'counts a swap in the last possible slot, over all venues and over its venue',
  async (t) => {
    const user = nextWallet()
    await clearLedger(under().db)
    const swaps = [
      at(START_MS, buy(1, 10, 10), { user, dex: 1 }),
      at(START_MS + 1, sell(Number.MAX_SAFE_INTEGER, 10, 30), { user, dex: 1 }),
    ]
    await insertLedger(under().db, swaps)
    await judge(t, user, swaps)
    await judge(t, user, swaps, { dex: 1 })
  },
)

test.serial('a long history of one venue is folded whole', async (t) => {
  const user = nextWallet()
  await clearLedger(under().db)
  const swaps = Array.from({ length: 12_000 }, (_, n) =>
    at(START_MS + n, (n % 3 === 2 ? sell : buy)(n + 1, 10, 10 + (n % 7)), {
      user,
      signature: signatureOf(n),
      dex: 1,
    }),
  )
  await insertLedger(under().db, swaps)
  const { body } = await under().get(`/wallets/${user}/stats?window=all&dex=1`)
  const whole = await under().get(`/wallets/${user}/stats?window=all`)
  t.deepEqual(body, whole.body)
  t.is(body.total_trades, 12_000)
})

test.serial('caches an answer for 60 seconds, each window and venue separately', async (t) => {
  const user = nextWallet()
  const store = await testRedis()
  t.teardown(() => store.drop())
  const { db, get } = await apiUnderTest(t, { redisUrl: store.redisUrl })
  await insertLedger(db, [at(START_MS, buy(1, 10, 10), { user })])
  const path = `/wallets/${user}/stats`
  const first = await get(path)
  t.is(first.headers.get('X-Cache'), 'miss')
  t.regex(first.headers.get('Cache-Control') ?? '', /max-age=([1-5]?\d|60)$/)
  await insertLedger(db, [at(START_MS + 1, buy(2, 10, 10), { user })])
  const again = await get(`${path}?window=all`)
  t.is(again.headers.get('X-Cache'), 'hit')
  t.is(again.text, first.text)
  const other = await get(`${path}?window=90d`)
  t.like([other.headers.get('X-Cache'), other.body.total_trades], ['miss', 2])
  const venue = await get(`${path}?dex=1`)
  t.is(venue.headers.get('X-Cache'), 'miss')
})

test('a wallet that never traded has zeros', async (t) => {
  for (const venue of ['', '&dex=4']) {
    const { status, body } = await under().get(`/wallets/${trader(99)}/stats?window=1y${venue}`)
    t.is(status, 200)
    t.deepEqual(body as Record<string, unknown>, {
      wallet: trader(99),
      window: '1y',
      total_trades: 0,
      win_count: 0,
      covered_sell_count: 0,
      win_rate: 0,
      total_volume_sol: 0,
      best_trade_pnl_sol: 0,
      best_trade_mint: null,
      worst_trade_pnl_sol: 0,
      worst_trade_mint: null,
    })
  }
})

test('bad parameters are 400, a request without a key 401', async (t) => {
  const refused: [string, RegExp][] = [
    [`/wallets/${trader(1)}/stats?window=7d`, /window "7d": use one of 30d 90d 1y all/],
    [`/wallets/${trader(1)}/stats?window=30D`, /window "30D"/],
    [`/wallets/${trader(1)}/stats?dex=99`, /dex "99": use 1 to \d+, venue_1 to venue_\d+/],
    [`/wallets/${trader(1)}/stats?dex=Venue_1`, /dex "Venue_1"/],
    [`/wallets/nobody/stats`, /w "nobody": expected an address/],
  ]
  for (const [path, text] of refused) {
    const { status, body } = await under().get(path)
    t.is(status, 400, path)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } }, path)
    t.regex((body.error as { message: string }).message, text)
  }
  const { status, body } = await under().call(`/wallets/${trader(1)}/stats`)
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})
