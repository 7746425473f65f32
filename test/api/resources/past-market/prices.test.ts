/**
 * Prices and the rate as of a slot against token_prices() and sol_usd_quote() of a database that has only the swaps up to it: over
 * random markets of few tokens with several pools, whose times do not follow their slots, and of which some slots are sealed.
 */
import test, { type ExecutionContext } from 'ava'
import { pastPrices, pastRate } from '../../../../api/resources/past-market/prices.ts'
import type { AsOfReading } from '../../../../api/routing/reading/as-of.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { USDC, USDT } from '../../../../domain/quote-mint.ts'
import { readEarliestTimeAfter } from '../../../../history/swaps/past.ts'
import { findSlotUntil, readLatestTime } from '../../../../history/swaps/slots.ts'
import { connect, type Db } from '../../../../sql/db.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { sealSome } from '../../../support/history/seal-some.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../../support/seed.ts'
import { testDatabase } from '../../../support/servers/database.ts'

const SEED = requestedSeed() ?? freshSeed()
const MARKETS = sizeOf({ daily: 6, long: 40 })
const SLOTS = 8
const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const MINUTE_MS = 60_000
const MINTS = [mint(1), mint(2), mint(3), USDC, USDT]
const SETTINGS = '-c enable_seqscan=off -c enable_bitmapscan=off -c swaptide.sol_usd_fallback=151.5'
const FOLDED_MAX = 200_000

test(`prices as of a slot are those of a database fed up to it, by seed ${SEED}`, async (t) => {
  let [found, refused] = [0, 0]
  for (let n = 0; n < MARKETS; n++) {
    const prng = new Prng([SEED, n])
    const swaps = marketOf(prng)
    const [whole, part] = [await openDatabase(t), await openDatabase(t)]
    await insertSwaps(whole, swaps, { hasPrices: true })
    if (prng.chance(0.7)) await sealSome(whole, prng)
    const all = [...new Set(swaps.map(({ slot }) => slot))].sort((a, b) => a - b)
    const slots = [
      all[0]! - 1,
      ...Array.from({ length: SLOTS }, () => all[prng.below(all.length)]!),
    ]
    let fed = -1
    for (const slot of [...new Set([...slots, all.at(-1)!])].sort((a, b) => a - b)) {
      const own = swaps.filter((swap) => swap.slot > fed && swap.slot <= slot)
      if (own.length > 0) await insertSwaps(part, own, { hasPrices: true })
      fed = slot
      const label = `market ${n}, slot ${slot} (again: SIMULATION_SEED=${SEED})`
      const past = readingOf(whole, slot)
      const expected = await pricesNow(part)
      found += expected.length
      t.deepEqual(await pricesThen(past), expected, label)
      t.deepEqual(await pastRate(past), await rateNow(part), label)
      refused += await refusals({ ...past, foldedSwapsMax: 0 })
    }
  }
  t.true(found > 20 && refused > 0, 'the markets have what is to be tested')
})

/** Ages of swaps in minutes: at the edges of the day, of a quarter and of four hours. */
const AGES = [0, 0, 0, 1, 7, 8, 60, 400, 1_430, 1_438, 1_439, 1_440, 1_500, 9_000]

function marketOf(prng: Prng): Swap[] {
  const one = <Value>(values: readonly Value[]): Value => values[prng.below(values.length)]!
  const count = one([3, 20, 90, 300])
  const perMinute = one([1, 150])
  return Array.from({ length: count }, (_, n) => {
    const token = prng.below(MINTS.length)
    const age = one(AGES)
    // Some come in the slot of another age.
    const ageOfSlot = prng.chance(0.15) ? one(AGES) : age
    return sampleSwap({
      signature: signatureOf(n),
      slot: 2_000_000 - ageOfSlot * perMinute + prng.below(8),
      blockTxIndex: prng.below(2),
      ixIndex: prng.below(2),
      dex: one([1, 2]),
      timestamp: NEWEST_MS - age * MINUTE_MS - prng.below(3) * 29_000,
      tokenAddress: MINTS[token]!,
      pairAddress: pair(token * 3 + prng.below(3)),
      solAmount: one([1, 9_999, 10_000, 30_000, 600_000_000, 2_000_000_000, 2n ** 62n]),
      tokenAmount: one([9_999, 10_000, 70_001]),
      quoteDecimals: token < 3 ? one([6, 6, 6, 9]) : one([6, 6, 0]),
      agentTrade: one([0, 0, 0, 2]),
      isBuy: prng.chance(0.5),
    })
  })
}

async function openDatabase(t: ExecutionContext): Promise<Db> {
  const { databaseUrl, drop } = await testDatabase()
  const url = new URL(databaseUrl)
  url.searchParams.set('options', SETTINGS)
  const db = connect(url.href, { max: 3 })
  t.teardown(async () => {
    await db.end()
    await drop()
  })
  return db
}

const readingOf = (db: Db, slot: number): AsOfReading => ({
  ...{ db, slot, walkMs: 1_000, foldedSwapsMax: FOLDED_MAX },
  latestMs: () => readLatestTime(db, slot),
  earliestLaterMs: () => readEarliestTimeAfter(db, slot),
  lastSwapSlot: () => findSlotUntil(db, slot),
  notePending: () => undefined,
  expectImpacts: async () => {},
  expectLedger: async () => undefined,
  expectRanking: async () => undefined,
})

type Named = { mint: string; pair: string; price: number; price_ms: number; decimals: number }

const PRICE_COLUMNS = `token.address as mint, pool.pair_address as pair, price, price_ms, priced.decimals`
const OF_PRICED = `join token on token.id = priced.token_id join pool on pool.id = priced.pool_id order by 1`

async function pricesNow(db: Db): Promise<Named[]> {
  const { rows } = await db.query<Named>(
    `select ${PRICE_COLUMNS} from token_prices(array(select id from token)) as priced ${OF_PRICED}`,
  )
  return rows
}

/** Prices of all tokens at once. */
async function pricesThen(past: AsOfReading): Promise<Named[]> {
  const tokens = await past.db.query<{ id: number }>('select id from token')
  const found = await pastPrices(
    past,
    tokens.rows.map(({ id }) => id),
  )
  const { rows } = await past.db.query<Named>(
    `select ${PRICE_COLUMNS}
     from jsonb_to_recordset($1) as priced
       (token_id integer, pool_id integer, price double precision, price_ms bigint, decimals smallint) ${OF_PRICED}`,
    [JSON.stringify(found)],
  )
  return rows
}

async function rateNow(db: Db): Promise<Awaited<ReturnType<typeof pastRate>>> {
  const { rows } = await db.query('select * from sol_usd_quote()')
  return rows[0]
}

/** How many of both are refused. */
async function refusals(past: AsOfReading): Promise<number> {
  const outcomes = await Promise.allSettled([pricesThen(past), pastRate(past)])
  return outcomes.filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason.code === 'AS_OF_TOO_COSTLY',
  ).length
}
