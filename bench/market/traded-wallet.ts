/**
 * A market of two weeks with one wallet of 10,000 swaps in the 200 mints that have the most pools, and other wallets' swaps in the
 * same pools in between, up to the last.
 */
import type { Event } from '../../domain/events/event.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import { simulate } from '../../streams/simulator/simulate.ts'
import { SLOT_MS } from '../../streams/simulator/tape/slot-clock.ts'
import { trader } from '../test-support.ts'
import { poolsByMint } from './pools.ts'

export const TRADED_WALLET = trader(10_000)
export const WALLET_SWAPS = 10_000

const SEED = 20_260_601
const SWAPS = 30_000
const SPAN_MS = 14 * DAY_MS
const MINTS = 200
/** The market's last swaps are of others. */
const OTHERS_LAST = 200

/** Every third swap is the wallet's, two buys to a sell. `endMs`: about when the last one is. */
export function tradedWalletMarket(endMs: number): Event[] {
  const swapsPerSlot = (SWAPS * SLOT_MS) / SPAN_MS
  const events = [
    ...simulate({ seed: SEED, swaps: SWAPS + OTHERS_LAST, fromMs: endMs - SPAN_MS, swapsPerSlot }),
  ]
  const pools = poolsByMint(events).slice(0, MINTS).flat()
  let count = 0
  return events.map((event) => {
    if (event.kind !== 'swap') return event
    const own = count++ / 3
    if (!Number.isInteger(own) || own >= WALLET_SWAPS) return event
    const pool = pools[(own * 31) % pools.length]!
    return {
      kind: 'swap',
      swap: { ...event.swap, ...pool, user: TRADED_WALLET, isBuy: own % 3 < 2 },
    }
  })
}
