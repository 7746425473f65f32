/**
 * One producer whose clock is fast: swaps stamped up to ten minutes ahead of the wall clock change no window of other
 * tokens, pools and wallets, in any answer. Every read is made before and after such swaps are stored, within one
 * minute of the wall clock.
 */
import test from 'ava'
import { readMarket, readVenues } from '../../api/resources/markets/read.ts'
import { readMovers } from '../../api/resources/movers/read.ts'
import { readTokenPairs } from '../../api/resources/pairs/read.ts'
import { readTokenStats } from '../../api/resources/token-stats/read.ts'
import { readTrending, type TrendingEntry } from '../../api/resources/trending/read.ts'
import { readStats } from '../../api/resources/wallets/read.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { USDC } from '../../domain/quote-mint.ts'
import { TREND_WINDOWS } from '../../domain/ranking.ts'
import { MOVER_TIMEFRAMES, WINDOW_MINUTES } from '../../domain/time/trade-window.ts'
import type { DexId } from '../../domain/venue.ts'
import { LEADERBOARD_PERIODS, rankedHours } from '../../domain/wallet/leaderboard.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { recountMarket } from '../../workers/ranking/market-traders.ts'
import { modelOf } from '../simulation/model.ts'
import { naiveSolUsd, naiveTokenPrice } from '../simulation/models/price-model.ts'
import { naiveTrending } from '../simulation/models/ranking-model.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'
import { refreshOnce } from '../support/ranking/refresh.ts'
import { testDatabase } from '../support/servers/database.ts'

const MINUTE_MS = 60_000
/** How far ahead of the wall clock a swap is accepted. */
const AHEAD_MS_MAX = 600_000
const TOKENS = 5
const ATTEMPTS = 5
const MINTS = [USDC, ...Array.from({ length: TOKENS - 1 }, (_, n) => mint(n + 1))]
/** Minutes before now: edges of minutes, quarters of an hour, hours and days. */
const AGES = [0, 0, 1, 2, 4, 5, 14, 16, 59, 61, 239, 241, 359, 700, 1_438, 1_439, 1_441, 2_000]

const readNewest = query<{ newest_ms: number }>('leaderboard/read_newest')
const listActive = query<{ ids: number[] }>('screener/list_active')

const one = <Value>(prng: Prng, values: readonly Value[]): Value =>
  values[prng.below(values.length)]!

function swapAt(prng: Prng, n: number, nowMs: number, token: number, ageMs: number): Swap {
  const pool = token * 2 + prng.below(2)
  return sampleSwap({
    signature: signatureOf(n),
    slot: 1_000_000 - Math.floor(ageMs / 400),
    blockTxIndex: n,
    timestamp: nowMs - ageMs,
    tokenAddress: token === 0 ? USDC : mint(token),
    pairAddress: pair(pool),
    dex: (1 + (pool % 3)) as DexId,
    user: trader(prng.below(6)),
    // The first pool of a token is always its top pool.
    solAmount: (pool % 2 === 0 ? 9_000_000_000 : 40_000_000) + prng.below(1_000_000),
    tokenAmount: 1_000_000 + prng.below(200_000_000),
    quoteDecimals: 6,
    agentTrade: 0,
    isBuy: prng.chance(0.6),
  })
}

/** Trades of the last two days; each token's first pool and one wallet trade in the minute of `nowMs` as well. */
function marketAt(prng: Prng, nowMs: number): Swap[] {
  const old = Array.from({ length: 150 }, (_, n) => {
    const ageMs = one(prng, AGES) * MINUTE_MS + prng.below(MINUTE_MS)
    return swapAt(prng, n, nowMs, prng.below(TOKENS), ageMs)
  })
  const now = Array.from({ length: TOKENS }, (_, token) => ({
    ...swapAt(prng, 200 + token, nowMs, token, 0),
    pairAddress: pair(token * 2),
    dex: (1 + ((token * 2) % 3)) as DexId,
    solAmount: 9_000_000_000,
  }))
  return [...old, ...now]
}

/**
 * Swaps of a producer whose clock is fast: of a separate token, and of pools of others, by wallets without holdings of
 * them before and after.
 */
function aheadOf(prng: Prng, nowMs: number): Swap[] {
  return Array.from({ length: 1 + prng.below(40) }, (_, n): Swap => {
    const isOwn = prng.chance(0.4)
    const token = isOwn ? TOKENS + 1 + prng.below(2) : prng.below(TOKENS)
    const aheadMs = prng.chance(0.2) ? AHEAD_MS_MAX - 5_000 : prng.below(AHEAD_MS_MAX)
    // Not before the minute that follows.
    const timestamp = Math.max(nowMs - (nowMs % MINUTE_MS) + MINUTE_MS, nowMs + aheadMs)
    return {
      ...swapAt(prng, 1_000 + n, nowMs, token, 0),
      slot: 999_000 + prng.below(500),
      timestamp,
      user: trader(100 + prng.below(4)),
      solAmount: prng.below(3) === 0 ? 10_000 : 900_000_000_000,
      isBuy: isOwn,
      ...(isOwn
        ? {}
        : { pairAddress: pair(token * 2 + 1), dex: (1 + ((token * 2 + 1) % 3)) as DexId }),
    }
  })
}

/** All answers of windows; of facts about tokens, only those of the market's. */
type Answers = Record<string, unknown> & { prices: PriceRow[]; trending: TrendingEntry[] }

async function windowsOf(db: Db): Promise<Answers> {
  const answers: Answers = { prices: await pricesOf(db), trending: [] }
  for (const window of TREND_WINDOWS) {
    const wanted = { window, hasRugged: true, sector: undefined, limit: 200, offset: 0 }
    const found = await readTrending(db, wanted)
    answers[`trending ${window}`] = found
    if (window === '5m') answers.trending = found.tokens.map(({ entry }) => entry)
  }
  for (const timeframe of MOVER_TIMEFRAMES) {
    for (const protocol of [undefined, 1, 2] as const) {
      answers[`movers ${timeframe} ${protocol}`] = await readMovers(db, {
        timeframe,
        protocol,
        limit: 50,
      })
    }
  }
  for (const minutes of [1, 5, 60, WINDOW_MINUTES['6h'], 1_440]) {
    const [active] = await listActive(db, [minutes])
    const screen = await db.query('select * from screened_tokens($1, $2) order by mint', [
      active!.ids,
      minutes,
    ])
    answers[`screener ${minutes}`] = screen.rows
    const traders = await db.query('select market_traders($1) as traders', [minutes])
    answers[`traders ${minutes}`] = traders.rows
  }
  answers['token stats'] = await readTokenStats(db, MINTS)
  answers.market = (await readMarket(db)).totals
  answers.venues = [...(await readVenues(db))].map(([dex, { tradeCount, volumeLamports }]) => [
    dex,
    tradeCount,
    volumeLamports,
  ])
  const pairs = await readTokenPairs(db, MINTS, { limit: 100 })
  answers.pairs = pairs.rows.map((row) => [row.pair_address, row.volume_lamports, row.trade_count])
  for (let n = 0; n < 6; n++) {
    for (const requested of [{ window: '30d' }, { window: 'all', dex: 1 }] as const) {
      answers[`wallet ${n} ${requested.window}`] = await readStats(db, {
        wallet: trader(n),
        ...requested,
      })
    }
  }
  const [newest] = await readNewest(db)
  for (const period of LEADERBOARD_PERIODS) {
    const { fromMs, toMs } = rankedHours(period, newest!.newest_ms).ranked
    const ranks = await db.query(
      `select figures.* from window_wallets($1, $2) as figures
       join wallet on wallet.id = figures.wallet_id where address = any ($3) order by address`,
      [fromMs, toMs, Array.from({ length: 6 }, (_, n) => trader(n))],
    )
    answers[`leaderboard ${period}`] = ranks.rows
  }
  return answers
}

type PriceRow = { mint: string; pair: string; price: number; price_ms: number; rate: number }

async function pricesOf(db: Db): Promise<PriceRow[]> {
  const { rows } = await db.query<PriceRow>(
    `select token.address as mint, pool.pair_address as pair, price, price_ms, sol_usd() as rate
     from token
     join token_prices(array(select id from token)) as priced on priced.token_id = token.id
     join pool on pool.id = priced.pool_id
     where token.address = any ($1)
     order by 1`,
    [MINTS],
  )
  return rows
}

async function store(db: Db, swaps: readonly Swap[]): Promise<void> {
  await insertSwaps(db, swaps, { hasPrices: true })
  await insertLedger(db, [])
  await refreshOnce(db)
  const connection = await db.connect()
  await recountMarket(connection)
  connection.release()
}

const minuteNow = (): number => Math.floor(Date.now() / MINUTE_MS)

for (const seed of [1, 2, 3, 4]) {
  test.serial(`swaps ahead of the wall clock change no other window: market ${seed}`, async (t) => {
    for (let attempt = 1; ; attempt++) {
      const { db, drop } = await testDatabase()
      try {
        const prng = new Prng([seed, 55])
        const minute = minuteNow()
        const nowMs = Date.now()
        const market = marketAt(prng, nowMs)
        await store(db, market)
        const before = await windowsOf(db)
        const ahead = aheadOf(prng, nowMs)
        await store(db, ahead)
        const after = await windowsOf(db)
        const all = [...market, ...ahead]
        const model = modelOf(all.map((swap) => ({ kind: 'swap', swap })))
        // The clock advanced by a minute, and windows with it: repeat.
        if (minuteNow() !== minute && attempt < ATTEMPTS) continue
        t.is(minuteNow(), minute)
        for (const [name, answer] of Object.entries(before)) t.deepEqual(after[name], answer, name)
        t.is((await db.query('select latest_swap_ms() as ms')).rows[0].ms, latestOf(all))
        t.deepEqual(
          after.trending.map((each) => each.mint),
          naiveTrending(model, 5, nowMs).map((each) => each.mint),
        )
        const prices = MINTS.toSorted(inBytes).map((each) => naiveTokenPrice(all, each, nowMs))
        t.deepEqual(
          after.prices.map(({ rate, ...price }) => price),
          prices,
        )
        t.true(Math.abs(after.prices[0]!.rate / naiveSolUsd(all, nowMs)! - 1) < 1e-12)
        return
      } finally {
        await drop()
      }
    }
  })
}

const latestOf = (swaps: readonly Swap[]): number =>
  Math.max(...swaps.map(({ timestamp }) => timestamp))

const inBytes = (a: string, b: string): number => (a < b ? -1 : 1)
