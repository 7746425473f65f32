/**
 * Events out of the tables, for who begins at a slot that FEED no longer holds: in pages of whole slots,
 * in canonical order, each with the commits that its snapshot held.
 */
import { query } from '../../sql/query.ts'
import type { LaneCommits } from '../../streams/cursor.ts'
import type { FeedEvent } from '../../streams/event-wire.ts'
import type { PoolEvent } from '../../streams/pool-event.ts'
import type { Reader } from '../reader.ts'
import { type SwapRow, sortRows } from '../swaps/swap-key.ts'
import type { EventChannel } from './schema.ts'
import { slotOf } from './subscription.ts'
import { Turns } from './turns.ts'

type CommitRow = { lane: number; commit_number: number; is_settled: boolean }
type PoolEventRow = {
  event: PoolEvent['event']
  signature: string
  slot: number
  timestamp: number
  pair_address: string
  token_address: string
  dex: PoolEvent['dex']
  block_tx_index: number
  ix_index: number
  creator: string | null
  from_pair: string | null
  sol_amount: number | bigint | null
  token_amount: number | bigint | null
}

const listCommits = query<CommitRow>('feed/list_commits')
/** With the stamp that only the feeds read: as bits, null for none. */
type StampedRow = SwapRow & { wallet_tags: number | null }

const listSwaps = query<StampedRow>('feed/list_swaps')
const listPoolEvents = query<PoolEventRow>('feed/list_pool_events')

export type StoredPage = {
  events: readonly FeedEvent[]
  /** Where the next page begins; infinite: there is none. */
  slotEnd: number
  commits: LaneCommits
}

export type StoredEvents = {
  /** Throws LineIsFull where too many wait. */
  page(channel: EventChannel, fromSlot: number, signal: AbortSignal): Promise<StoredPage>
  /** Whether all of these commits have been announced. */
  areAnnounced(commits: LaneCommits, signal: AbortSignal): Promise<boolean>
}

const PAGE_ROWS = 500
/** Pages that are read at once, and that wait: connections are wanted for requests. */
const READERS_MAX = 2
const LINE_MAX = 500

export function storedEvents(reader: Reader): StoredEvents {
  const turns = new Turns(READERS_MAX, LINE_MAX)
  return {
    async page(channel, fromSlot, signal) {
      const end = await turns.take()
      try {
        return await reader.run(signal, async (db) => {
          await db.query('begin isolation level repeatable read read only')
          try {
            const rows = await listCommits(db)
            const commits = new Map(rows.map((row) => [row.lane, row.commit_number]))
            const events =
              channel === 'swaps'
                ? sortRows(await listSwaps(db, [fromSlot, PAGE_ROWS]), 'asc').map(eventOfSwap)
                : (await listPoolEvents(db, [fromSlot, PAGE_ROWS])).map(eventOfPoolEvent)
            const last = events.at(-1)
            const isLast = last === undefined || events.length < PAGE_ROWS
            return {
              events,
              commits,
              slotEnd: isLast ? Number.POSITIVE_INFINITY : slotOf(last) + 1,
            }
          } finally {
            await db.query('commit')
          }
        })
      } finally {
        end()
      }
    },
    async areAnnounced(commits, signal) {
      const rows = await reader.run(signal, (db) => listCommits(db))
      // A commit begins when the one before it stands in FEED.
      return rows.every((row) => row.is_settled || row.commit_number > (commits.get(row.lane) ?? 0))
    },
  }
}

function eventOfSwap(row: StampedRow): FeedEvent {
  return {
    kind: 'swap',
    bytes: undefined,
    poolPrice: row.pool_price,
    priceImpactBps: row.price_impact_bps,
    walletTags: row.wallet_tags ?? 0,
    swap: {
      signature: row.signature,
      slot: row.slot,
      timestamp: row.timestamp,
      tokenAddress: row.token_address,
      pairAddress: row.pair_address,
      user: row.user,
      isBuy: row.is_buy,
      dex: row.dex,
      solAmount: row.sol_amount,
      tokenAmount: row.token_amount,
      fee: row.fee,
      feeBps: row.fee_bps,
      creatorFee: row.creator_fee,
      creatorFeeBps: row.creator_fee_bps,
      quoteDecimals: row.quote_decimals,
      virtualSolReserves: row.virtual_sol_reserves,
      virtualTokenReserves: row.virtual_token_reserves,
      realSolReserves: row.real_sol_reserves,
      realTokenReserves: row.real_token_reserves,
      transferFeeIn: row.transfer_fee_in,
      transferFeeOut: row.transfer_fee_out,
      cashback: row.cashback,
      cashbackBps: row.cashback_bps,
      blockTxIndex: row.block_tx_index,
      ixIndex: row.ix_index,
      timeSource: row.time_source,
      agentTrade: row.agent_trade,
    },
  }
}

function eventOfPoolEvent(row: PoolEventRow): FeedEvent {
  return {
    kind: 'pool_event',
    bytes: undefined,
    poolEvent: {
      event: row.event,
      signature: row.signature,
      slot: row.slot,
      timestamp: row.timestamp,
      pairAddress: row.pair_address,
      tokenAddress: row.token_address,
      dex: row.dex,
      blockTxIndex: row.block_tx_index,
      ixIndex: row.ix_index,
      ...(row.creator === null ? {} : { creator: row.creator }),
      ...(row.from_pair === null ? {} : { fromPair: row.from_pair }),
      ...(row.sol_amount === null ? {} : { solAmount: row.sol_amount }),
      ...(row.token_amount === null ? {} : { tokenAmount: row.token_amount }),
    },
  }
}
