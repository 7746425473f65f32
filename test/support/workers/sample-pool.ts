/** Pools, swaps and pool events for the tests of the pool's fold. */
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { ChainPosition, Swap } from '../../../domain/events/swap.ts'
import { emptyPool as emptyPoolOf, type PoolState } from '../../../workers/pool/pool-state.ts'
import { MINT, NOW_MS, POOL, SIGNATURE, SWAP } from '../events/sample-event.ts'

/** A pool without any event. */
export const emptyPool = (): PoolState => emptyPoolOf(1, POOL, MINT)

/** A buy, one a slot, of 1,000,000 units of a token of 9 decimals at 1 SOL a token, in a pool of venue 7. */
export function swapAt(slot: number, changes: Partial<Swap> = {}): Swap {
  return {
    ...SWAP,
    dex: 7,
    slot,
    signature: `signature ${slot}`,
    solAmount: 1_000_000,
    tokenAmount: 1_000_000,
    quoteDecimals: 9,
    ...changes,
  }
}

export const positionAt = (slot: number, blockTxIndex = 0, ixIndex = 0): ChainPosition => ({
  slot,
  blockTxIndex,
  ixIndex,
})

/** A change of liquidity in a pool of venue 7. */
export function liquidityAt(slot: number, changes: Partial<PoolEvent> = {}): PoolEvent {
  return {
    event: 'liquidity_added',
    signature: SIGNATURE,
    slot,
    timestamp: NOW_MS,
    pairAddress: POOL,
    tokenAddress: MINT,
    dex: 7,
    blockTxIndex: 0,
    ixIndex: 0,
    ...changes,
  }
}
