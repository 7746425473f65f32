/**
 * The market of the benchmark: the simulator's, with its power laws; about one swap in twenty has a
 * wallet that was never seen. The same for every measurement and every program.
 */
import type { Event } from '../../domain/events/event.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import { applyPoolEvent, applySwap } from '../../workers/pool/pool.ts'
import { type AcceptedSwap, emptyPool, type PoolState } from '../../workers/pool/pool-state.ts'
import { poolKey } from '../../workers/pool/store.ts'

const SEED = 20_260_601
/**
 * A time whose swaps carry their index in the block: before 2026-06-10 swaps of a slot are ordered only by their
 * signatures, and half of a live feed's would be late.
 */
const FROM_MS = Date.UTC(2026, 8, 1)

export function marketEvents(swaps: number): Event[] {
  return [...simulate({ seed: SEED, swaps, fromMs: FROM_MS })]
}

type MarketRows = { accepted: AcceptedSwap[]; walletIds: Map<string, number> }

/** Rows that the pool actor makes of the events, for a raw COPY. */
export function marketRows(events: readonly Event[]): MarketRows {
  const pools = new Map<string, PoolState>()
  const walletIds = new Map<string, number>()
  const accepted: AcceptedSwap[] = []
  const stateOf = ({
    pairAddress,
    tokenAddress,
  }: {
    pairAddress: string
    tokenAddress: string
  }) => {
    const key = poolKey(pairAddress, tokenAddress)
    let state = pools.get(key)
    if (state === undefined) {
      state = emptyPool(pools.size + 1, pairAddress, tokenAddress)
      pools.set(key, state)
    }
    return state
  }
  for (const event of events) {
    if (event.kind === 'pool_event') applyPoolEvent(stateOf(event.poolEvent), event.poolEvent)
    if (event.kind !== 'swap') continue
    const { swap } = event
    if (!walletIds.has(swap.user)) walletIds.set(swap.user, walletIds.size + 1)
    accepted.push(applySwap(stateOf(swap), swap))
  }
  return { accepted, walletIds }
}

export function swapCount(events: readonly Event[]): number {
  return events.reduce((count, { kind }) => count + (kind === 'swap' ? 1 : 0), 0)
}
