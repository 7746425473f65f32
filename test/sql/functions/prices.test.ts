/**
 * token_prices(), sol_usd() and newest_swap_ms() against a naive model over random markets of few tokens:
 * several pools that do not agree about decimals, ties of volume and of trades, pools that fell silent at times that do
 * not determine the last one, dust and trades of the agent.
 */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import { USDC, USDT } from '../../../domain/quote-mint.ts'
import { connect, type Db } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { naiveDecimals, naiveSolUsd, naiveTokenPrice } from '../../simulation/models/price-model.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
const TABLES = `swap, swap_signature, slot_span, pool, token, wallet, pool_event,
  candle_1m, candle_15m, candle_4h, pool_trader, dollar_minute`
/** The setting of the API's connections. */
const API_SETTINGS = '-c enable_seqscan=off -c enable_bitmapscan=off'

let db: Db
/** With plans made for the values of each call, and with cached plans. */
let asApi: Db
let asStored: Db
let drop: () => Promise<void>

test.before(async () => {
  const database = await testDatabase()
  db = database.db
  const connectWith = (mode: string): Db => {
    const url = new URL(database.databaseUrl)
    const plans = `-c plan_cache_mode=${mode} -c swaptide.sol_usd_fallback=151.5`
    url.searchParams.set('options', `${API_SETTINGS} ${plans}`)
    return connect(url.href, { max: 2 })
  }
  asApi = connectWith('force_custom_plan')
  asStored = connectWith('force_generic_plan')
  drop = database.drop
})

test.after.always(async () => {
  await asApi?.end()
  await asStored?.end()
  await drop?.()
})

/** Minutes before the newest at which swaps are placed: at both edges of the day, of a quarter, of four hours. */
const AGES = [0, 0, 1, 7, 8, 60, 400, 1_430, 1_438, DAY_MINUTES - 1, DAY_MINUTES, 1_500, 9_000]
/** Ages as on the chain: some slots of a second, all of a day that is over. */
const OLD_AGES = [1_500, 1_500, 9_000]

function marketOf(seed: number): Swap[] {
  const prng = new Prng([seed])
  const one = <Value>(values: readonly Value[]): Value => values[prng.below(values.length)]!
  const mints = [mint(1), mint(2), mint(3), USDC, USDT]
  const count = one([3, 12, 60])
  const swaps = Array.from({ length: count }, (_, n) => {
    const token = prng.below(mints.length)
    const age = token === 0 ? one(OLD_AGES) : one(AGES)
    return sampleSwap({
      signature: signatureOf(n),
      slot: 100_000 - age * 150 + prng.below(3),
      blockTxIndex: prng.below(2),
      ixIndex: prng.below(2),
      dex: one([1, 2]),
      timestamp: NEWEST_MS - age * MINUTE_MS - prng.below(2) * 1_000,
      tokenAddress: mints[token]!,
      pairAddress: pair(token * 3 + prng.below(3)),
      solAmount: one([1, 9_999, 10_000, 30_000, 600_000_000, 2n ** 62n]),
      tokenAmount: one([9_999, 10_000, 70_001]),
      quoteDecimals: token < 3 ? one([6, 6, 6, 9]) : one([6, 6, 0]),
      agentTrade: one([0, 0, 0, 2]),
      isBuy: prng.chance(0.5),
    })
  })
  // The newest is where the windows end, and often sets no price.
  return [
    ...swaps,
    sampleSwap({ ...swaps[0]!, signature: signatureOf(count), timestamp: NEWEST_MS }),
  ]
}

type PriceRow = { mint: string; pair: string; price: number; price_ms: number; decimals: number }

async function pricesOf(database: Db): Promise<PriceRow[]> {
  const { rows } = await database.query<PriceRow>(
    `select token.address as mint, pool.pair_address as pair, price, price_ms, priced.decimals
     from token_prices(array(select id from token)) as priced
     join token on token.id = priced.token_id
     join pool on pool.id = priced.pool_id
     order by 1`,
  )
  return rows
}

/** Prices that each token gets by itself, requested twice. */
async function pricesOneByOne(database: Db): Promise<PriceRow[]> {
  const { rows } = await database.query<PriceRow>(
    `select token.address as mint, pool.pair_address as pair, price, price_ms, priced.decimals
     from token
     cross join lateral token_prices(array[token.id, token.id]) as priced
     join pool on pool.id = priced.pool_id
     order by 1`,
  )
  return rows
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed + 1)

test.serial('prices and the rate are those of the naive model, in any market', async (t) => {
  let priced = 0
  let stale = 0
  for (const seed of SEEDS) {
    await db.query(`truncate ${TABLES} restart identity cascade`)
    const swaps = marketOf(seed)
    await insertSwaps(db, swaps, { hasPrices: true })
    const expected = [mint(1), mint(2), mint(3), USDC, USDT].flatMap((each) => {
      const found = naiveTokenPrice(swaps, each)
      return found === undefined ? [] : [{ ...found, decimals: naiveDecimals(swaps, each)! }]
    })
    expected.sort((a, b) => (a.mint < b.mint ? -1 : 1))
    priced += expected.length
    stale += expected.filter(({ price_ms }) => price_ms < NEWEST_MS - 86_400_000).length
    for (const database of [db, asApi, asStored]) {
      t.deepEqual(await pricesOf(database), expected, `seed ${seed}`)
    }
    for (const database of [asApi, asStored]) {
      t.deepEqual(await pricesOneByOne(database), expected, `seed ${seed}, one by one`)
    }
    const rates = await Promise.all([db, asApi, asStored].map(rateOf))
    const rate = naiveSolUsd(swaps)
    if (rate === null) t.deepEqual(rates, [null, 151.5, 151.5], `seed ${seed}`)
    else for (const found of rates) t.true(Math.abs(found! / rate - 1) < 1e-14, `seed ${seed}`)
    const newest = await db.query('select newest_swap_ms() as ms')
    t.is(newest.rows[0].ms, NEWEST_MS)
  }
  t.true(priced > 100 && stale > 5, 'the markets have what is to be tested')
})

async function rateOf(database: Db): Promise<number | null> {
  const { rows } = await database.query('select sol_usd() as rate')
  return rows[0].rate
}

/** Two swaps that differ only in the field that makes the first the later one, although the second is a sell. */
const LATER: [rule: string, later: Partial<Swap>, earlier: Partial<Swap>][] = [
  ['slot', { slot: 1_001 }, { isBuy: false }],
  ['block_tx_index', { blockTxIndex: 1 }, { isBuy: false }],
  ['ix_index', { ixIndex: 1 }, { isBuy: false }],
  ['dex', { dex: 2 }, { isBuy: false }],
  ['buys before sells', { isBuy: false, signature: signatureOf(0) }, {}],
  ['signature', { signature: signatureOf(2) }, {}],
]

test.serial(
  'takes the price of the silent pool whose last swap is last in canonical order',
  async (t) => {
    const isTop = async (
      n: number,
      later: Partial<Swap>,
      other: number,
      earlier: Partial<Swap>,
    ) => {
      await db.query(`truncate ${TABLES} restart identity cascade`)
      const timestamp = NEWEST_MS - 2 * DAY_MINUTES * MINUTE_MS
      const same = { slot: 1_000, signature: signatureOf(1), tokenAddress: mint(1), timestamp }
      const pairs = [pair(n), pair(other)]
      const swaps = [later, earlier].map((position, index) =>
        sampleSwap({ ...same, isBuy: true, pairAddress: pairs[index]!, ...position }),
      )
      const newest = sampleSwap({ slot: 2_000, timestamp: NEWEST_MS, pairAddress: pair(9) })
      await insertSwaps(db, [...swaps, newest], { hasPrices: true })
      const found = await pricesOf(asApi)
      return found.find(({ mint: of }) => of === mint(1))?.pair === pairs[0]
    }
    for (const [rule, later, earlier] of LATER) {
      t.true(await isTop(7, later, 8, earlier), rule)
      t.true(await isTop(8, later, 7, earlier), rule)
    }
    t.true(await isTop(8, {}, 7, {}), 'pair')
  },
)

test.serial('before the first swap there is no price, no rate and no newest', async (t) => {
  await db.query(`truncate ${TABLES} restart identity cascade`)
  const { rows } = await db.query('select sol_usd() as rate, newest_swap_ms() as ms')
  t.deepEqual(rows, [{ rate: null, ms: null }])
  t.is(await rateOf(asApi), 151.5)
  t.deepEqual(await pricesOf(db), [])
  const absent = await db.query('select * from token_prices(null)')
  t.is(absent.rowCount, 0)
})
