/**
 * Hostile events that the contract allows, deterministic by seed: few pools, many ties of position, one signature at
 * several positions, dust, agents, impossible reserves, unpublished prices, late migrations, contradicting
 * redeliveries, second versions of forks, int64 ends.
 */
import { INT64_MAX, type Int64, int64 } from '../../domain/amount.ts'
import type { MarketEvent } from '../../domain/events/event.ts'
import { POOL_EVENT_KINDS, type PoolEvent } from '../../domain/events/pool-event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import type { Token } from '../../domain/events/token.ts'
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import type { DexId } from '../../domain/venue.ts'
import type { Prng } from '../../streams/simulator/prng.ts'

const SLOT = 380_000_090
const TIMES_MS = [
  Date.parse('2026-05-29T23:59:59.999Z'),
  Date.parse('2026-05-30T00:00:00.000Z'),
  Date.parse('2026-07-14T23:59:59.999Z'),
  Date.parse('2026-07-15T00:00:00.000Z'),
  Date.parse('2026-08-01T12:00:00.000Z'),
]
/** By a swap's number, so that other draws do not change: within a quarter, over its end, and further. */
const LATER_MINUTES = [0, 0, 0, 1, 2, 14, 15, 16, 239, 240, 1_440]
/** Venues by pool; several of venue 2, because migrations are theirs. */
const POOL_VENUES: readonly DexId[] = [1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 7, 8, 9, 9, 10]
/** Compared as bytes, the last is the greatest; as units of UTF-16, the one before it. */
/** One is padded as on chain, one has a NUL within, which costs the field. */
const NAMES = ['A', 'a', '\0Zebra \0\0', '9', '1\u00000', '\u{1F600}', '\uFFFD', 'Ä']

type Adversary = { prng: Prng; run: number }

function named(run: number, kind: number, number: number, length: number): string {
  const bytes = new Uint8Array(length).fill(kind)
  const view = new DataView(bytes.buffer)
  view.setUint32(8, run)
  view.setUint32(length - 4, number)
  return encodeBase58(bytes)
}

/** So many swaps and, among them, pool events and token lines. */
export function adversarialEvents({ prng, run }: Adversary, swapCount: number): MarketEvent[] {
  const events: MarketEvent[] = []
  const position = positionDraw(prng)
  for (let number = 0; number < swapCount; number++) {
    events.push({ kind: 'swap', swap: drawSwap(prng, run, position, number) })
    if (prng.chance(0.08)) {
      events.push({ kind: 'pool_event', poolEvent: drawPoolEvent(prng, run, position, number) })
    }
    if (prng.chance(0.04)) events.push({ kind: 'token', token: drawToken(prng, run) })
  }
  return events
}

/** The same event again, or one of the same identity with other fields. */
export function redelivered(prng: Prng, event: MarketEvent): MarketEvent {
  if (event.kind !== 'swap' || prng.chance(0.6)) return event
  const { swap } = event
  // By an amount, so that other draws do not change: half of those of another slot are of a fork.
  const isFork = BigInt(swap.tokenAmount) % 2n === 0n
  const changes: Partial<Swap>[] = [
    { slot: swap.slot + 1, ...(isFork && { tokenAmount: int64(BigInt(swap.tokenAmount) + 1n) }) },
    { timestamp: swap.timestamp + 1 },
    { blockTxIndex: swap.blockTxIndex + 1 },
    { fee: 77 },
    { realSolReserves: INT64_MAX },
    { agentTrade: 1 - Math.min(swap.agentTrade, 1) },
    { priceAfter: 0.125 },
    { poolPrice: 12.5 },
    { virtualQuoteReserves: 5 },
    { quoteDecimals: swap.quoteDecimals === 6 ? 5 : 6 },
  ]
  return { kind: 'swap', swap: { ...swap, ...oneOf(prng, changes) } }
}

type PositionDraw = () => { slot: number; blockTxIndex: number; ixIndex: number }

/** Few positions, so that many are shared. */
function positionDraw(prng: Prng): PositionDraw {
  return () => ({
    slot: SLOT + prng.below(24),
    blockTxIndex: prng.below(3),
    ixIndex: prng.below(2),
  })
}

function poolNumbered(run: number, number: number) {
  return {
    pairAddress: named(run, 3, number, 32),
    tokenAddress: named(run, 4, number % 5, 32),
    dex: POOL_VENUES[number]!,
  }
}

function drawSwap(prng: Prng, run: number, position: PositionDraw, number: number): Swap {
  const pool = poolNumbered(run, prng.below(POOL_VENUES.length))
  const isFree = prng.chance(0.3)
  const quoteDecimals = oneOf(prng, [0, 5, 6, 6, 6, 9, 18])
  const swap: Swap = {
    // One in three shares its transaction with earlier swaps.
    signature: named(run, 7, prng.chance(0.3) ? prng.below(number + 1) : number, 64),
    ...position(),
    timestamp:
      oneOf(prng, TIMES_MS) +
      prng.below(2) +
      60_000 * LATER_MINUTES[number % LATER_MINUTES.length]!,
    ...pool,
    user: named(run, 5, prng.below(7), 32),
    isBuy: prng.chance(0.5),
    solAmount: drawLeg(prng, 0),
    tokenAmount: drawLeg(prng, 1),
    fee: isFree ? 0 : prng.below(3),
    feeBps: isFree ? 0 : prng.below(3),
    creatorFee: 0,
    creatorFeeBps: isFree ? 0 : prng.below(2),
    quoteDecimals,
    virtualSolReserves: drawReserve(prng),
    virtualTokenReserves: drawReserve(prng),
    realSolReserves: drawReserve(prng),
    realTokenReserves: drawReserve(prng),
    transferFeeIn: prng.below(2) * 5,
    transferFeeOut: prng.below(2) * 7,
    cashback: prng.below(2),
    cashbackBps: prng.below(2),
    timeSource: prng.below(3),
    agentTrade: oneOf(prng, [0, 0, 0, 1, 2]),
    poolPrice: undefined,
    priceBefore: undefined,
    priceAfter: undefined,
    virtualQuoteReserves: undefined,
    outsideProtocolBps: undefined,
    outsideCreatorBps: undefined,
    blockhash: undefined,
  }
  swap.virtualQuoteReserves = statedReserves(swap)
  if (prng.chance(0.2)) swap.poolPrice = drawPrice(prng, swap)
  if (prng.chance(0.25)) swap.priceBefore = drawPrice(prng, swap)
  if (prng.chance(0.7)) swap.priceAfter = drawPrice(prng, swap)
  return swap
}

/** By an amount, so that other draws do not change. */
function statedReserves({ solAmount }: Swap): Int64 | undefined {
  const kind = BigInt(solAmount) % 6n
  if (kind === 0n) return 0
  if (kind === 1n) return 17_584_025_564
  return kind === 2n ? int64(2n ** 62n + 1n) : undefined
}

function drawLeg(prng: Prng, least: number): Int64 {
  const kind = prng.below(20)
  if (kind === 0) return least
  if (kind === 1) return oneOf<Int64>(prng, [9_999, 10_000, 10_001])
  if (kind === 2) return oneOf(prng, [INT64_MAX, int64(2n ** 53n), int64(2n ** 62n + 3n)])
  return Math.floor(prng.spread(10_000, 1e12))
}

function drawReserve(prng: Prng): Int64 {
  const kind = prng.below(20)
  if (kind === 0) return 0
  if (kind === 1) return oneOf(prng, [INT64_MAX, int64(2n ** 60n + 1n)])
  return Math.floor(prng.spread(1e6, 1e15))
}

/** About the paid price, exactly that, or absurd. */
function drawPrice(prng: Prng, swap: Swap): number {
  const paid =
    (Number(swap.solAmount) / Number(swap.tokenAmount)) * Number(`1e${swap.quoteDecimals - 9}`)
  const kind = prng.below(12)
  if (kind === 0) return 0
  if (kind === 1) return oneOf(prng, [1e-12, 3e20])
  if (kind < 4) return paid
  if (kind < 6) return paid * (1 + (prng.unit() - 0.5) * 1e-5)
  return paid * (0.8 + prng.unit() * 0.4)
}

function drawPoolEvent(prng: Prng, run: number, position: PositionDraw, number: number): PoolEvent {
  const pool = poolNumbered(run, prng.below(POOL_VENUES.length))
  const event = oneOf(prng, POOL_EVENT_KINDS)
  const drawn: PoolEvent = {
    event,
    signature: named(run, 8, prng.chance(0.1) ? prng.below(number + 1) : number, 64),
    ...position(),
    timestamp: oneOf(prng, TIMES_MS),
    ...pool,
  }
  if (prng.chance(0.5)) drawn.creator = named(run, 5, prng.below(7), 32)
  if (event === 'migrated') drawn.fromPair = named(run, 3, prng.below(2), 32)
  if (prng.chance(0.5)) drawn.solAmount = drawLeg(prng, 0)
  return drawn
}

function drawToken(prng: Prng, run: number): Token {
  const token: Token = { tokenAddress: named(run, 4, prng.below(6), 32), slot: prng.below(3) }
  if (prng.chance(0.5)) token.creator = named(run, 5, prng.below(7), 32)
  if (prng.chance(0.5)) token.decimals = prng.below(19)
  if (prng.chance(0.5)) token.symbol = oneOf(prng, NAMES)
  if (prng.chance(0.5)) token.name = oneOf(prng, NAMES)
  if (prng.chance(0.5)) token.supply = drawLeg(prng, 0)
  if (prng.chance(0.5)) token.sector = oneOf(prng, NAMES)
  if (prng.chance(0.5)) token.uri = oneOf(prng, NAMES)
  return token
}

export function oneOf<Value>(prng: Prng, values: readonly Value[]): Value {
  return values[prng.below(values.length)]!
}
