/**
 * The market with one wallet that is in a single token all the time: every second swap is by that wallet, in the pools
 * of the mint with the most pools, three buys to a sell. So of 200,000 swaps it has 100,000 in one position, by way of
 * several pool lanes, which publish independently of each other.
 */
import type { Event } from '../../domain/events/event.ts'
import type { Swap } from '../../domain/events/swap.ts'

const HEAVY_WALLET = 'Heavy111111111111111111111111111111111111111'

type Pool = Pick<Swap, 'tokenAddress' | 'pairAddress' | 'dex' | 'quoteDecimals'>

export function withHeavyWallet(events: readonly Event[]): Event[] {
  const pools = poolsOfWidestMint(events)
  let count = 0
  return events.map((event) => {
    if (event.kind !== 'swap' || count++ % 2 === 0) return event
    const own = (count - 2) / 2
    const pool = pools[own % pools.length]!
    const swap = { ...event.swap, ...pool, user: HEAVY_WALLET, isBuy: own % 4 !== 3 }
    return { kind: 'swap', swap }
  })
}

function poolsOfWidestMint(events: readonly Event[]): Pool[] {
  const pools = new Map<string, Pool>()
  for (const event of events) {
    if (event.kind !== 'swap') continue
    const { tokenAddress, pairAddress, dex, quoteDecimals } = event.swap
    pools.set(pairAddress, { tokenAddress, pairAddress, dex, quoteDecimals })
  }
  const byMint = Map.groupBy(pools.values(), ({ tokenAddress }) => tokenAddress)
  const widest = [...byMint.values()].sort((a, b) => b.length - a.length)[0]
  if (widest === undefined) throw new Error('a market without a swap has no mint')
  return widest
}
