/**
 * token_traders() against a naive model over random trades: windows that end within an hour and with one, sets
 * of traders that were cut to the few least, tokens without a trade in the narrower windows.
 */
import test from 'ava'
import { connect, type Db } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { testDatabase } from '../../support/servers/database.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const TOKENS = [1, 2, 3]
/** Wallets that a bucket stores; 1,024 in the product. */
const STORED = 5
const WIDTHS = [1_440, 1, 2, 7, 15, 60, 61, 240, 719]
const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1)
const PLANNINGS = ['force_custom_plan', 'force_generic_plan']

type Trade = { token: number; minute: number; wallet: number; isBuy: boolean }
type Bucket = { ms: number; trades: Trade[] }

let db: Db
let requested: Db[] = []
let drop: () => Promise<void>

test.before(async () => {
  const database = await testDatabase()
  db = database.db
  requested = PLANNINGS.map((mode) => {
    const url = new URL(database.databaseUrl)
    url.searchParams.set('options', `-c plan_cache_mode=${mode}`)
    return connect(url.href, { max: 1 })
  })
  drop = database.drop
})

test.after.always(async () => {
  await Promise.all(requested.map((each) => each.end()))
  await drop?.()
})

test.serial(
  'traders of windows are those of the naive model, whatever sets left out',
  async (t) => {
    let cut = 0
    for (const seed of SEEDS) {
      const prng = new Prng([seed])
      const newestMs =
        Date.UTC(2026, 6, 20, 13) + [0, 7, 59, 60 * 24 - 1][prng.below(4)]! * MINUTE_MS + 250
      const trades = tradesOf(prng)
      await store(newestMs, trades)
      const expected = WIDTHS.flatMap((width) =>
        TOKENS.flatMap((token) => expectedOf(trades, newestMs, token, width) ?? []),
      )
      cut += expected.filter(({ isCut }) => isCut).length
      for (const database of requested) {
        t.deepEqual(
          await tradersOf(database),
          expected.map(({ row }) => row).sort(),
          `seed ${seed}`,
        )
      }
    }
    t.true(cut > 100, 'the trades have what is to be tested')
  },
)

/** `minute`: how many before the newest. */
function tradesOf(prng: Prng): Trade[] {
  return Array.from({ length: [5, 60, 400][prng.below(3)]! }, () => ({
    token: TOKENS[prng.below(TOKENS.length)]!,
    minute: prng.chance(0.5) ? prng.below(90) : prng.below(1_600),
    wallet: (prng.below(40) - 20) * 100_000_000,
    isBuy: prng.chance(0.6),
  }))
}

const minuteOf = (newestMs: number, { minute }: Trade): number =>
  Math.floor(newestMs / MINUTE_MS) * MINUTE_MS - minute * MINUTE_MS

function bucketsOf(trades: readonly Trade[], newestMs: number, widthMs: number): Bucket[] {
  const positionOf = (trade: Trade): number =>
    Math.floor(minuteOf(newestMs, trade) / widthMs) * widthMs
  return Array.from(Map.groupBy(trades, positionOf), ([ms, own]) => ({ ms, trades: own }))
}

/** The least wallets of a side, ascending, and the least that is left out. */
function storedOf(
  trades: readonly Trade[],
  isBuy: boolean,
): { stored: number[]; below: number | null } {
  const own = trades.filter((trade) => trade.isBuy === isBuy)
  const wallets = [...new Set(own.map(({ wallet }) => wallet))].sort((a, b) => a - b)
  return { stored: wallets.slice(0, STORED), below: wallets[STORED] ?? null }
}

async function store(newestMs: number, trades: readonly Trade[]): Promise<void> {
  await db.query('truncate trader_minute, trader_hour, slot_span')
  await db.query('insert into slot_span values (0, 1000000000, 0, $1, $1)', [newestMs])
  for (const [table, widthMs] of [
    ['trader_minute', MINUTE_MS],
    ['trader_hour', HOUR_MS],
  ] as const) {
    const rows = TOKENS.flatMap((token) => {
      const own = trades.filter((trade) => trade.token === token)
      return bucketsOf(own, newestMs, widthMs).map((bucket) => {
        const [bought, sold] = [storedOf(bucket.trades, true), storedOf(bucket.trades, false)]
        const buys = bucket.trades.filter(({ isBuy }) => isBuy).length
        return {
          token_id: token,
          bucket_ms: bucket.ms,
          buy_count: buys,
          sell_count: bucket.trades.length - buys,
          buyers_below: bought.below,
          sellers_below: sold.below,
          buyers: bought.stored,
          sellers: sold.stored,
        }
      })
    })
    await db.query(
      `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    )
  }
}

/** By the trades of the window themselves; of its buckets only the omitted wallets. */
function expectedOf(
  trades: readonly Trade[],
  newestMs: number,
  token: number,
  width: number,
): { row: string; isCut: boolean } | undefined {
  const endMs = Math.floor(newestMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS
  const fromMs = endMs - width * MINUTE_MS
  const own = trades.filter((trade) => trade.token === token && minuteOf(newestMs, trade) >= fromMs)
  if (own.length === 0) return undefined
  const firstHourMs = Math.ceil(fromMs / HOUR_MS) * HOUR_MS
  const lastHourMs = Math.floor(endMs / HOUR_MS) * HOUR_MS
  const isInHour = (trade: Trade): boolean =>
    minuteOf(newestMs, trade) >= firstHourMs && minuteOf(newestMs, trade) < lastHourMs
  const buckets = [
    ...bucketsOf(own.filter(isInHour), newestMs, HOUR_MS),
    ...bucketsOf(
      own.filter((trade) => !isInHour(trade)),
      newestMs,
      MINUTE_MS,
    ),
  ]
  const countOf = (isBuy: boolean): { count: number; isCut: boolean } => {
    const bounds = buckets.flatMap((bucket) => storedOf(bucket.trades, isBuy).below ?? [])
    const below = Math.min(...bounds, Number.POSITIVE_INFINITY)
    const side = own.filter((trade) => trade.isBuy === isBuy)
    const found = new Set(side.map(({ wallet }) => wallet).filter((wallet) => wallet < below)).size
    if (bounds.length === 0) return { count: found, isCut: false }
    return { count: roundedEven(found * (2 ** 32 / (below + 2 ** 31))), isCut: true }
  }
  const [buyers, sellers] = [countOf(true), countOf(false)]
  const buys = own.filter(({ isBuy }) => isBuy).length
  const counts = [buys, own.length - buys, buyers.count, sellers.count]
  return { row: [token, width, ...counts].join(), isCut: buyers.isCut || sellers.isCut }
}

/** Rounds as PostgreSQL rounds doubles. */
function roundedEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

async function tradersOf(database: Db): Promise<string[]> {
  const { rows } = await database.query({
    name: 'traders',
    text: 'select * from token_traders($1, $2)',
    values: [TOKENS, WIDTHS],
  })
  return rows
    .map((row) =>
      [
        row.token_id,
        row.window_minutes,
        row.buy_count,
        row.sell_count,
        row.buyer_count,
        row.seller_count,
      ].join(),
    )
    .sort()
}
