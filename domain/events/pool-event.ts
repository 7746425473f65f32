/**
 * A pool event: a pool was created, migrated from a curve, or its liquidity changed.
 * Identity: (signature, event, pair_address, ix_index).
 */
import type { Int64 } from '../amount.ts'
import type { DexId } from '../venue.ts'

export const POOL_EVENT_KINDS = [
  'created',
  'migrated',
  'liquidity_added',
  'liquidity_removed',
] as const
export type PoolEventKind = (typeof POOL_EVENT_KINDS)[number]

export type PoolEvent = {
  event: PoolEventKind
  signature: string
  slot: number
  /** Unix ms. */
  timestamp: number
  pairAddress: string
  tokenAddress: string
  dex: DexId
  blockTxIndex: number
  ixIndex: number
  /** Wallet that created the pool or changed its liquidity. */
  creator?: string
  /** The bonding curve that the pool migrated from (event `migrated`). */
  fromPair?: string
  /** Lamports and base units that were added or removed, where the decoder has them. */
  solAmount?: Int64
  tokenAmount?: Int64
  /** Base58 of 32 bytes: the block that it happened in, where its source states it. */
  blockhash?: string | undefined
}

/** The de-duplication key, as one text. */
export function poolEventIdentity(event: PoolEvent): string {
  return `${event.signature}|${event.event}|${event.pairAddress}|${event.ixIndex}`
}

/** Whether the event moves the price or the depth that the next swap starts from. */
export function changesLiquidity({ event }: Pick<PoolEvent, 'event'>): boolean {
  return event === 'liquidity_added' || event === 'liquidity_removed'
}
