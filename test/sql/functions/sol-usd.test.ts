/**
 * sol_usd() is robust against single trades: against the naive model, and as a property over random minutes and one
 * swap of any size; and it reads few rows, however many minutes are stored.
 */
import test from 'ava'
import { INT64_MAX } from '../../../domain/amount.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { USDC, USDT } from '../../../domain/quote-mint.ts'
import { connect, type Db } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { naiveSolUsd } from '../../simulation/models/price-model.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { pair, sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

const MINUTE_MS = 60_000
const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const NEWEST_MINUTE_MS = NEWEST_MS - (NEWEST_MS % MINUTE_MS)
const TABLES = `swap, swap_signature, slot_span, pool, token, wallet, pool_event,
  candle_1m, candle_15m, candle_4h, pool_trader, dollar_minute`
const SOL = 1_000_000_000

let db: Db
let asApi: Db
let drop: () => Promise<void>

test.before(async () => {
  const database = await testDatabase()
  db = database.db
  const url = new URL(database.databaseUrl)
  url.searchParams.set('options', '-c enable_seqscan=off -c enable_bitmapscan=off')
  asApi = connect(url.href, { max: 1 })
  drop = database.drop
})

test.after.always(async () => {
  await asApi?.end()
  await drop?.()
})

let signatures = 0

/** A trade so many minutes before the newest; legs in lamports and in base units of a dollar mint. */
function dollarTrade(age: number, changes: Partial<Swap>): Swap {
  signatures += 1
  return sampleSwap({
    signature: signatureOf(signatures),
    slot: 100_000 - age * 150,
    timestamp: NEWEST_MINUTE_MS - age * MINUTE_MS + (signatures % 1_000),
    tokenAddress: USDC,
    pairAddress: pair(1),
    quoteDecimals: 6,
    agentTrade: 0,
    ...changes,
  })
}

/** A trade of so many lamports at so many dollars a SOL. */
function tradeAt(age: number, rate: number, lamports: number, changes: Partial<Swap> = {}): Swap {
  const tokenAmount = Math.round((lamports / SOL) * rate * 1e6)
  return dollarTrade(age, { solAmount: lamports, tokenAmount, ...changes })
}

async function rateOf(swaps: readonly Swap[]): Promise<number | null> {
  await db.query(`truncate ${TABLES} restart identity cascade`)
  await insertSwaps(db, swaps, { hasPrices: true })
  const { rows } = await asApi.query('select sol_usd() as rate')
  return rows[0].rate
}

const sixMinutes = (): Swap[] => [0, 1, 2, 3, 4, 5].map((age) => tradeAt(age, 155, 2 * SOL))

/** Swaps alongside six minutes at 155 (or other minutes), and the resulting rate. */
const CASES: [what: string, swaps: () => Swap[], rate: number | null][] = [
  [
    'dust of SOL for a million dollars',
    () => [...sixMinutes(), dollarTrade(0, { solAmount: 10_000, tokenAmount: 1e12 })],
    155,
  ],
  [
    'one SOL for a billion dollars, in a minute of its own',
    () => [...sixMinutes().slice(1), dollarTrade(0, { solAmount: SOL, tokenAmount: 1e15 })],
    155,
  ],
  [
    'even minutes give the lower of two middles',
    () => [150, 151, 152, 153].map((rate, age) => tradeAt(age, rate, SOL)),
    151,
  ],
  [
    'both mints make a minute of one SOL together',
    () => [
      ...[1, 2].flatMap((age) => [
        tradeAt(age, 150, SOL / 2),
        tradeAt(age, 160, SOL / 2, { tokenAddress: USDT, pairAddress: pair(2) }),
      ]),
      tradeAt(0, 140, SOL),
      tradeAt(5, 1, SOL - 1),
    ],
    155,
  ],
  [
    'the newest fifteen of one SOL count, small ones between them do not',
    () => [
      ...Array.from({ length: 15 }, (_, n) => tradeAt(2 * n, 150 + n, SOL)),
      ...Array.from({ length: 14 }, (_, n) => tradeAt(2 * n + 1, 9, SOL / 2)),
      ...Array.from({ length: 30 }, (_, n) => tradeAt(30 + n, 1_000, SOL)),
    ],
    157,
  ],
  [
    'with two of one SOL, small minutes count as well',
    () => [tradeAt(0, 100, SOL / 10), tradeAt(1, 110, SOL), tradeAt(2, 90, SOL)],
    100,
  ],
  ['a single small minute is what there is', () => [tradeAt(3, 123, 10_000_000)], 123],
  [
    'dust and trades of the agent never count',
    () => [
      tradeAt(0, 155, SOL, { agentTrade: 2 }),
      dollarTrade(1, { solAmount: 9_999, tokenAmount: 1e9 }),
      dollarTrade(2, { solAmount: SOL, tokenAmount: 9_999 }),
    ],
    null,
  ],
]

for (const [what, swapsOf, expected] of CASES) {
  test.serial(`the rate: ${what}`, async (t) => {
    const swaps = swapsOf()
    const rate = await rateOf(swaps)
    t.is(rate, expected)
    const naive = naiveSolUsd(swaps)
    t.true(naive === rate || Math.abs(naive! / rate! - 1) < 1e-14)
  })
}

test.serial(
  'one swap of any size in one minute moves the rate no further than other minutes',
  async (t) => {
    let moved = 0
    for (let seed = 1; seed <= 40; seed++) {
      const prng = new Prng([seed, 27])
      const full = 3 + prng.below(20)
      const rates = Array.from({ length: full }, () => 140 + prng.below(3_000) / 100)
      const others = rates.map((rate, n) => tradeAt(2 * n + 1, rate, SOL + prng.below(9 * SOL)))
      const small = Array.from({ length: prng.below(6) }, (_, n) =>
        tradeAt(2 * n + 2, 1 + prng.below(900), 10_000 + prng.below(SOL - 10_000)),
      )
      const before = await rateOf([...others, ...small])
      const attack = dollarTrade(prng.chance(0.5) ? 0 : 1 + 2 * prng.below(full), {
        solAmount: prng.chance(0.1) ? INT64_MAX : Math.floor(prng.spread(10_000, 1e15)),
        tokenAmount: prng.chance(0.1) ? INT64_MAX : Math.floor(prng.spread(10_000, 1e15)),
      })
      const minuteOf = ({ timestamp }: Swap): number => Math.floor(timestamp / MINUTE_MS)
      const left = rates.filter((_, n) => minuteOf(others[n]!) !== minuteOf(attack))
      const after = (await rateOf([...others, ...small, attack]))!
      const [least, greatest] = [Math.min(...left), Math.max(...left)]
      // Amounts of a trade are whole base units.
      const isWithin = after > least * (1 - 1e-6) && after < greatest * (1 + 1e-6)
      t.true(
        isWithin || left.length < 2,
        `seed ${seed}: ${after} is not in ${least} to ${greatest}`,
      )
      if (after !== before) moved += 1
    }
    t.true(moved > 3, 'some attacks move the median by a place')
  },
)

test.serial('few rows are read, however many minutes are stored', async (t) => {
  await rateOf(sixMinutes())
  await db.query(
    `insert into dollar_minute (bucket_ms, pool_id, decimals, volume_lamports, volume_units)
     select $1::bigint - n * 60000, pool, 6, $2::numeric, 155000000
     from generate_series(10, 20000) as n, generate_series(2, 4) as pool`,
    [NEWEST_MINUTE_MS, SOL],
  )
  await db.query('analyze dollar_minute')
  const read = await rowsRead()
  t.true(read > 0 && read < 200, `${read}`)
  // A market in which hardly any minute has one SOL.
  await db.query('update dollar_minute set volume_lamports = 20000000')
  const readOfSmall = await rowsRead()
  t.true(readOfSmall >= 20_000 && readOfSmall < 25_000, `${readOfSmall}`)
})

/**
 * Rows that one `sol_usd()` reads. The counters also include recent reads of the connection: up to a second remains.
 */
async function rowsRead(): Promise<number> {
  const connection = await asApi.connect()
  const count = async (): Promise<number> => {
    const { rows } = await connection.query(
      `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
       from pg_stat_xact_user_tables where relname = 'dollar_minute'`,
    )
    return Number(rows[0].rows)
  }
  try {
    await connection.query('begin')
    const before = await count()
    await connection.query('select sol_usd()')
    const read = (await count()) - before
    await connection.query('commit')
    return read
  } finally {
    connection.release()
  }
}
