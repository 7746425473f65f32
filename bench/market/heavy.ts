/**
 * The market with one wallet that is in a single token all the time: every second swap is by that wallet, in the pools
 * of the mint with the most pools, three buys to a sell. So of 200,000 swaps it has 100,000 in one position, by way of
 * several pool lanes, which publish independently of each other.
 */
import type { Event } from '../../domain/events/event.ts'
import { poolsByMint } from './pools.ts'

const HEAVY_WALLET = 'Heavy111111111111111111111111111111111111111'

export function withHeavyWallet(events: readonly Event[]): Event[] {
  const [pools] = poolsByMint(events)
  if (pools === undefined) throw new Error('a market without a swap has no mint')
  let count = 0
  return events.map((event) => {
    if (event.kind !== 'swap' || count++ % 2 === 0) return event
    const own = (count - 2) / 2
    const pool = pools[own % pools.length]!
    const swap = { ...event.swap, ...pool, user: HEAVY_WALLET, isBuy: own % 4 !== 3 }
    return { kind: 'swap', swap }
  })
}
