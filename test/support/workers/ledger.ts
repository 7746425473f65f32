/**
 * The ledger of an installation for a test: has every wallet lane caught up, and do its tables equal the naive model.
 */
import type { ExecutionContext } from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Db } from '../../../sql/db.ts'
import { ensureTopology, feedHead } from '../../../streams/nats/topology.ts'
import { rebuildLedger } from '../../../workers/rebuild/ledger.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { storedSwaps } from '../../simulation/model.ts'
import { hourOf, hoursOf, positionsOf } from '../../simulation/models/ledger-model.ts'
import { lagOf, type Pipeline, readSwap, until } from './pipeline.ts'

const LEDGER_TABLES = [
  'position',
  'position_hour',
  'lot_chunk',
  'position_snapshot',
  'position_refold',
] as const

/** Everything that was published is in the pools' tables, the feed and the ledger. */
export async function untilLedgerCaughtUp(pipeline: Pipeline, boundMs = 60_000): Promise<void> {
  let lag = 'unknown'
  const isCaughtUp = async (): Promise<boolean> => {
    lag = await ledgerLagOf(pipeline).catch((error: Error) => `unknown: ${error.message}`)
    return lag === ''
  }
  await until('the ledger caught up', boundMs, isCaughtUp).catch((cause: Error) => {
    const said = pipeline.recording.lines.slice(-12).join('\n')
    throw new Error(`${cause.message}; left: ${lag}; the log's end:\n${said}`, { cause })
  })
}

type Progress = { lane: number; stream_epoch: string | null; sequence: number }

/** Remaining work of the pools, the feed or the ledger; empty: none. */
export async function ledgerLagOf(pipeline: Pipeline): Promise<string> {
  const pools = await lagOf(pipeline)
  if (pools !== '') return pools
  const { db, jetStream, laneCount, prefix } = pipeline
  const topology = await ensureTopology(jetStream, { prefix, laneCount })
  const { rows } = await db.query<Progress>(
    "select lane, stream_epoch, sequence from checkpoint where actor = 'ledger'",
  )
  const left: string[] = []
  for (let lane = 0; lane < laneCount; lane++) {
    const head = await feedHead(jetStream, topology, lane)
    const row = rows.find((each) => each.lane === lane)
    const reached = row?.stream_epoch === topology.feed.epoch ? row.sequence : 0
    if (reached < head) left.push(`ledger lane ${lane} is at ${reached} of ${head}`)
  }
  for (const table of ['position_refold', 'ledger_audit']) {
    const waiting = await db.query(`select from ${table}`)
    if (waiting.rowCount !== 0) left.push(`${waiting.rowCount} rows of ${table}`)
  }
  return left.join('; ')
}

/** Asserts that positions, lots and hours are those of the model, and that verify agrees. */
export async function assertLedger(
  t: ExecutionContext,
  pipeline: Pipeline,
  { hint = '' }: { hint?: string } = {},
): Promise<void> {
  const swaps = await acceptedSwaps(pipeline)
  t.deepEqual(await storedPositions(pipeline.db), modelPositions(swaps), hint)
  t.deepEqual(await storedHours(pipeline.db), modelHours(swaps), hint)
  const report = await verify(pipeline.db, { log: pipeline.recording.log })
  t.deepEqual(
    report.tables.flatMap((table) => table.differences),
    [],
    hint,
  )
  t.true(report.clean)
}

/** The swaps of SWAP, each once. */
export async function acceptedSwaps(pipeline: Pipeline): Promise<Swap[]> {
  return storedSwaps(await readSwap(pipeline))
}

type Figures = Record<string, string>

/** By wallet and mint, every figure as text. */
function modelPositions(swaps: readonly Swap[]): Figures {
  const figures: Figures = {}
  for (const [wallet, own] of Map.groupBy(swaps, (swap) => swap.user)) {
    for (const [mint, position] of positionsOf(own)) {
      const transactions = transactionsOf(own.filter((swap) => swap.tokenAddress === mint))
      figures[`${wallet} ${mint}`] = [
        position.buyCount,
        position.sellCount,
        position.coveredSellCount,
        position.winCount,
        transactions.length,
        transactions.filter(isArbitrage).length,
        position.balance,
        position.basis,
        position.lots.reduce((sum, lot) => sum + lot.cost, 0n),
        position.realized.strict,
        position.realized.adjusted,
        position.bought,
        position.sold,
        position.uncoveredQty,
        position.uncoveredSol,
        position.largestBuy,
        position.largestSell,
        position.fastestFlipMs,
        position.longestHoldMs,
        position.firstTradeMs,
        position.lastTradeMs,
        position.decimals,
      ].join(' ')
    }
  }
  return sorted(figures)
}

/** A transaction lies in one slot; one signature in two slots is two to the ledger. */
function transactionsOf(swaps: readonly Swap[]): Swap[][] {
  return [...Map.groupBy(swaps, (swap) => `${swap.slot} ${swap.signature}`).values()]
}

const isArbitrage = (swaps: readonly Swap[]): boolean =>
  swaps.some((swap) => swap.isBuy) && swaps.some((swap) => !swap.isBuy)

async function storedPositions(db: Db): Promise<Figures> {
  const { rows } = await db.query<{ key: string; figures: unknown[] }>(
    `select wallet.address || ' ' || token.address as key,
       jsonb_build_array(
         buy_count, sell_count, covered_sell_count, win_count, transaction_count, arbitrage_count,
         balance::text, basis::text, lots_cost::text, realized_strict::text, realized_adjusted::text,
         buys_lamports::text, sells_lamports::text, uncovered_quantity::text,
         uncovered_lamports::text, largest_buy_lamports::text, largest_sell_lamports::text,
         fastest_flip_ms, longest_hold_ms, first_trade_ms, last_trade_ms, position.decimals
       ) as figures
     from position
     join wallet on wallet.id = wallet_id
     join token on token.id = token_id`,
  )
  return sorted(Object.fromEntries(rows.map(({ key, figures }) => [key, figures.join(' ')])))
}

/** By wallet and hour. */
function modelHours(swaps: readonly Swap[]): Figures {
  const figures: Figures = {}
  for (const [wallet, own] of Map.groupBy(swaps, (swap) => swap.user)) {
    for (const [hour, of] of hoursOf(own)) {
      figures[`${wallet} ${hour}`] = [
        of.realized.strict,
        of.realized.adjusted,
        of.realized.raw,
        of.volume,
        of.buyCount,
        of.sellCount,
        of.coveredSellCount,
        of.winCount,
        of.best === null ? '' : `${of.best.adjusted} ${of.best.swap.slot}`,
        of.worst === null ? '' : `${of.worst.adjusted} ${of.worst.swap.slot}`,
      ].join('|')
    }
  }
  return sorted(figures)
}

async function storedHours(db: Db): Promise<Figures> {
  const best = (name: string, order: string) =>
    `coalesce((array_agg(${name}_lamports || ' ' || ${name}_slot
       order by ${name}_lamports ${order}, ${name}_slot, ${name}_block_tx_index, ${name}_ix_index,
         ${name}_dex) filter (where ${name}_lamports is not null))[1], '')`
  const { rows } = await db.query<{ wallet: string; hour_ms: number; figures: string }>(
    `select wallet.address as wallet, hour_ms,
       concat_ws('|', sum(realized_strict), sum(realized_adjusted), sum(realized_raw),
         sum(volume_lamports), sum(buy_count), sum(sell_count), sum(covered_sell_count),
         sum(win_count), ${best('best', 'desc')}, ${best('worst', 'asc')}) as figures
     from position_hour
     join wallet on wallet.id = wallet_id
     group by wallet.address, hour_ms`,
  )
  return sorted(
    Object.fromEntries(
      rows.map(({ wallet, hour_ms, figures }) => [
        `${wallet} ${hourOf({ timestamp: hour_ms })}`,
        figures,
      ]),
    ),
  )
}

/** Every row of the ledger's tables, to compare two ways to the same ledger. */
export async function ledgerRows(db: Db): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {}
  for (const table of LEDGER_TABLES) {
    const { rows } = await db.query<{ row: string }>(
      `select ${table}::text as row from ${table} order by 1`,
    )
    tables[table] = rows.map(({ row }) => row)
  }
  return tables
}

/** Asserts that every row of the ledger's tables is that of a rebuild. */
export async function assertAsRebuilt(
  t: ExecutionContext,
  { db, laneCount, recording }: Pipeline,
  hint = '',
): Promise<void> {
  const made = await ledgerRows(db)
  await rebuildLedger(db, { laneCount, log: recording.log })
  for (const [table, rows] of Object.entries(await ledgerRows(db))) {
    const stored = new Set(made[table])
    const lacking = rows.filter((row) => !stored.has(row))
    t.deepEqual([lacking.slice(0, 2), stored.size], [[], rows.length], `${table} ${hint}`)
  }
}

const sorted = (figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1)))
