/**
 * A market whose answers show the order in which rows are read: sums of many doubles of all sizes, more rows than a
 * statement takes, ties of everything that lists are ordered by. Deterministic by seed; nothing contradicts.
 */
import type { MarketEvent } from '../../domain/events/event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import type { DexId } from '../../domain/venue.ts'
import type { Prng } from '../../streams/simulator/prng.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../support/market/sample-swap.ts'

const FROM_MS = Date.parse('2026-07-28T23:58:30Z')
const FROM_SLOT = 500_000_000
const SLOT_MS = 400

const DAYS = 4
const WALLETS = 5
/** Mints that each of the wallets trades every day. */
const MINTS = 24
/** Pools of the first mint: more than are compared by quarters. */
const RIVALS = 16
const HOLDERS = 400
/** Tokens of one symbol and name: more than a search reads. */
const NAMESAKES = 2_100
/** Accounts that two mints were reported for. */
const TWINS = 8

/** The wallets and mints of interest. */
export const BUSY = {
  symbols: ['SAME'],
  wallets: Array.from({ length: WALLETS }, (_, n) => trader(n)),
  mints: [0, 1, 2, 40, 41].map(mint),
  pairs: [0, 1, 100, ...Array.from({ length: TWINS }, (_, n) => 40 + n)].map(pair),
}

export function crowdedMarket(prng: Prng): MarketEvent[] {
  const swaps = [...portfolios(prng), ...rivals(prng), ...holders(prng), ...twins(prng)]
  const events = swaps.map((swap, n): MarketEvent => {
    return { kind: 'swap', swap: { ...swap, signature: signatureOf(prng.chance(0.2) ? 0 : n) } }
  })
  return [...placed(prng, events), ...namesakes(), ...migrations()]
}

/** Few slots and places in them, so that many are shared. */
function placed(prng: Prng, events: readonly MarketEvent[]): MarketEvent[] {
  return events.map((event) => {
    if (event.kind !== 'swap') return event
    const { timestamp } = event.swap
    const slot = FROM_SLOT + Math.floor((timestamp - FROM_MS) / SLOT_MS / 100)
    const position = { slot, blockTxIndex: prng.below(3), ixIndex: prng.below(2) }
    return { kind: 'swap', swap: { ...event.swap, ...position } }
  })
}

/** Wallets that hold many mints at the end of each day, worth from next to nothing to very much. */
function portfolios(prng: Prng): Swap[] {
  return Array.from({ length: DAYS * WALLETS * MINTS }, (_, n) => {
    const [day, of] = [Math.floor(n / (WALLETS * MINTS)), n % MINTS]
    return trade(prng, {
      timestamp: FROM_MS + day * DAY_MS + prng.below(3 * MINUTE_MS),
      user: trader(Math.floor(n / MINTS) % WALLETS),
      tokenAddress: mint(of),
      pairAddress: pair(of),
      dex: venueOf(of),
      isBuy: prng.chance(0.8),
    })
  })
}

/** Pools of one mint that trade alike. */
function rivals(prng: Prng): Swap[] {
  return Array.from({ length: 2 * RIVALS }, (_, n) =>
    sampleSwap({
      ...{ timestamp: FROM_MS + (n % 2) * MINUTE_MS, user: trader(n % 3), isBuy: true },
      ...{ tokenAddress: mint(0), pairAddress: pair(100 + (n % RIVALS)), dex: venueOf(n % RIVALS) },
      ...{ solAmount: 1_000_000_000, tokenAmount: 10_000_000 + prng.below(1_000_000) },
    }),
  )
}

/** One mint in many hands. */
function holders(prng: Prng): Swap[] {
  return Array.from({ length: HOLDERS }, (_, n) =>
    trade(prng, {
      timestamp: FROM_MS + 3 * DAY_MS + prng.below(2 * MINUTE_MS),
      user: trader(1_000 + n),
      tokenAddress: mint(1),
      pairAddress: pair(1),
      isBuy: true,
    }),
  )
}

/** Pools of two mints in one account, which trade equally often. */
function twins(prng: Prng): Swap[] {
  return Array.from({ length: 4 * TWINS }, (_, n) =>
    trade(prng, {
      timestamp: FROM_MS + 3 * DAY_MS,
      user: trader(n % 2),
      tokenAddress: mint(40 + (n % (2 * TWINS))),
      pairAddress: pair(40 + (n % TWINS)),
      isBuy: true,
    }),
  )
}

/** Two pools of one mint that one transaction migrates. */
function migrations(): MarketEvent[] {
  return [100, 101].map((pool) => ({
    kind: 'pool_event',
    poolEvent: {
      ...{
        event: 'migrated',
        signature: signatureOf(900_000),
        slot: FROM_SLOT,
        timestamp: FROM_MS,
      },
      ...{ blockTxIndex: 1, ixIndex: 1, dex: 2, tokenAddress: mint(0) },
      ...{ pairAddress: pair(pool), fromPair: pair(pool + 100) },
    },
  }))
}

function namesakes(): MarketEvent[] {
  return Array.from({ length: NAMESAKES }, (_, n) => ({
    kind: 'token',
    token: { tokenAddress: mint(5_000 + n), symbol: 'SAME', name: 'Same name', slot: 1 },
  }))
}

/** A trade of a size between dust and a whale's. */
function trade(prng: Prng, swap: Partial<Swap>): Swap {
  return sampleSwap({
    dex: venueOf(1),
    solAmount: Math.floor(prng.spread(20_000, 9e11)),
    tokenAmount: Math.floor(prng.spread(20_000, 9e14)),
    quoteDecimals: 6,
    transferFeeOut: 0,
    ...swap,
  })
}

const venueOf = (n: number): DexId => (1 + (n % 10)) as DexId
