/**
 * The ranking of an installation for a test: has it caught up, and do its buckets equal a naive count of the swaps.
 */
import type { ExecutionContext } from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Db } from '../../../sql/db.ts'
import { feedStreamSubject } from '../../../streams/nats/subject.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { acceptedSwaps } from '../workers/ledger.ts'
import { feedEnd, lagOf, type Pipeline, until } from '../workers/pipeline.ts'

/** Everything that was published is in the pools' tables, the feed and the ranking. */
export async function untilRankingCaughtUp(pipeline: Pipeline, boundMs = 60_000): Promise<void> {
  let lag = 'unknown'
  const isCaughtUp = async (): Promise<boolean> => {
    lag = await rankingLagOf(pipeline).catch((error: Error) => `unknown: ${error.message}`)
    return lag === ''
  }
  await until('the ranking caught up', boundMs, isCaughtUp).catch((cause: Error) => {
    const said = pipeline.recording.lines.slice(-12).join('\n')
    throw new Error(`${cause.message}; left: ${lag}; the log's end:\n${said}`, { cause })
  })
}

type Progress = { stream_epoch: string | null; sequence: number }

/** Remaining work of the pools, the feed or the ranking; empty: none. */
export async function rankingLagOf(pipeline: Pipeline): Promise<string> {
  const pools = await lagOf(pipeline)
  if (pools !== '') return pools
  const { db, jetStream, laneCount, prefix } = pipeline
  const topology = await ensureTopology(jetStream, { prefix, laneCount })
  const { rows } = await db.query<Progress>(
    "select stream_epoch, sequence from checkpoint where actor = 'ranking'",
  )
  const last = await jetStream.lastOfSubject(topology.feed.stream, feedStreamSubject(prefix))
  const head = last?.sequence ?? 0
  const reached = rows[0]?.stream_epoch === topology.feed.epoch ? rows[0].sequence : 0
  if (reached < head) return `the ranking is at ${reached} of ${head}`
  const waiting = await db.query('select from ranking_recount')
  return waiting.rowCount === 0 ? '' : 'tokens are being counted'
}

/** The rankings are of all that was published. */
export async function untilRankingRefreshed(pipeline: Pipeline, boundMs: number): Promise<void> {
  const end = await feedEnd(pipeline)
  await until('the rankings are refreshed', boundMs, async () => {
    const { rows } = await pipeline.db.query<{ is_done: boolean }>(
      `select feed_sequence >= $1 and not exists (select from token_change) as is_done
       from ranking_roll`,
      [end],
    )
    return rows[0]?.is_done === true
  })
}

type Figures = Record<string, unknown[]>

/** Asserts that minutes, hours and starts are those of a naive count. */
export async function assertTraders(
  t: ExecutionContext,
  pipeline: Pipeline,
  hint = '',
): Promise<void> {
  const swaps = await acceptedSwaps(pipeline)
  for (const [table, widthMs] of [
    ['trader_minute', 60_000],
    ['trader_hour', 3_600_000],
  ] as const) {
    t.deepEqual(
      await storedBuckets(pipeline.db, table),
      countedBuckets(swaps, widthMs),
      `${table} ${hint}`,
    )
  }
  const { rows } = await pipeline.db.query<{ mint: string; first_ms: number }>(
    'select token.address as mint, first_ms from token_start join token on token.id = token_id',
  )
  const first = Map.groupBy(swaps, (swap) => swap.tokenAddress)
  t.deepEqual(
    sorted(Object.fromEntries(rows.map((row) => [row.mint, [row.first_ms]]))),
    sorted(
      Object.fromEntries(
        [...first].map(([mint, own]) => [mint, [Math.min(...own.map((swap) => swap.timestamp))]]),
      ),
    ),
    `token_start ${hint}`,
  )
  const report = await verify(pipeline.db, { log: pipeline.recording.log })
  t.deepEqual(
    report.tables.flatMap((table) => table.differences),
    [],
    hint,
  )
  t.true(report.tables.some(({ name, rows }) => name === 'trader_minute' && rows > 0))
}

function countedBuckets(swaps: readonly Swap[], widthMs: number): Figures {
  const buckets = Map.groupBy(
    swaps,
    (swap) => `${swap.tokenAddress} ${swap.timestamp - (swap.timestamp % widthMs)}`,
  )
  return sorted(
    Object.fromEntries(
      [...buckets].map(([key, own]) => {
        const buys = own.filter((swap) => swap.isBuy)
        const sells = own.filter((swap) => !swap.isBuy)
        const usersOf = (some: Swap[]) => [...new Set(some.map((swap) => swap.user))].sort()
        return [key, [buys.length, sells.length, usersOf(buys), usersOf(sells)]]
      }),
    ),
  )
}

/** Wallets are found by the mixing that the database does, not by that of the actor. */
async function storedBuckets(db: Db, table: string): Promise<Figures> {
  const users = (column: string) =>
    `(select coalesce(array_agg(wallet.address order by wallet.address), '{}')
      from unnest(${column}) as mixed join wallet on mixed_wallet(wallet.id) = mixed)`
  const { rows } = await db.query<{ key: string; figures: unknown[] }>(
    `select token.address || ' ' || bucket_ms as key,
       jsonb_build_array(buy_count, sell_count, ${users('buyers')}, ${users('sellers')}) as figures
     from ${table} join token on token.id = token_id`,
  )
  return sorted(Object.fromEntries(rows.map(({ key, figures }) => [key, figures])))
}

const sorted = (figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1)))
