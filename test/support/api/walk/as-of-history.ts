/**
 * A small history for answers as of a slot, by seed: swaps of a few tokens, one of them a dollar mint, in two pools each, and of a
 * few wallets, pool events, token lines, and a block that leaves the chain. Some swaps have the slot of another, and some times go
 * back.
 */
import type { Event, MarketEvent } from '../../../../domain/events/event.ts'
import { USDC } from '../../../../domain/quote-mint.ts'
import type { Prng } from '../../../../streams/simulator/prng.ts'
import { poolOf } from '../../events/sample-event.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../market/sample-swap.ts'

const FROM_MS = Date.parse('2026-07-20T10:00:00Z')
const FIRST_SLOT = 1_000
const TOKENS = 3
/** The token that is a dollar mint. */
const DOLLAR = 2
const WALLETS = 4
const FORKED = poolOf(900_002)

/** `events`: those that stay; `block`: those of the block that leaves; `retraction` follows them. */
type AsOfHistory = {
  events: MarketEvent[]
  block: MarketEvent[]
  retraction: Event
  lastSlot: number
}

export function asOfHistory(prng: Prng, count: number): AsOfHistory {
  const slotOf = (n: number): number => FIRST_SLOT + 40 * Math.floor(n / 2)
  // Within an hour, or over days.
  const stepMs = prng.chance(0.5) ? 47_000 : 4_700_000
  const timeOf = (n: number): number => FROM_MS + n * stepMs - prng.below(3) * 60_000
  const swapOf = (n: number, changes: object = {}): MarketEvent => ({
    kind: 'swap',
    swap: sampleSwap({
      ...{ signature: signatureOf(n), slot: slotOf(n), timestamp: timeOf(n), blockTxIndex: n },
      ...ofPool(prng.below(TOKENS), prng.below(2)),
      ...{ user: trader(prng.below(WALLETS)), isBuy: prng.chance(0.6) },
      ...{ solAmount: 10_000_000 + prng.below(20_000_000_000) },
      ...{ tokenAmount: 1_000_000 + prng.below(90_000_000), realSolReserves: 40_000_000_000 },
      ...{ realTokenReserves: 3_000_000_000 },
      ...changes,
    }),
  })
  const swaps = Array.from({ length: count }, (_, n) => swapOf(n))
  const lastSlot = slotOf(count - 1)
  const forkedSlot = slotOf(Math.floor(count / 2)) + 1
  const gone = { slot: forkedSlot, blockhash: FORKED, timestamp: timeOf(count) + 3_600_000 }
  const block = [
    swapOf(count + 1, { ...gone, user: trader(50) }),
    swapOf(count + 2, { ...gone, ...ofPool(1), user: trader(1) }),
    eventOf(count + 3, { ...gone, event: 'created', ...ofPool(50), creator: trader(50) }),
  ]
  const poolEvents = Array.from({ length: Math.ceil(count / 4) }, (_, n) => {
    const at = 4 * n
    const event =
      n < TOKENS ? 'created' : prng.chance(0.5) ? 'liquidity_added' : 'liquidity_removed'
    const amounts = n < TOKENS ? {} : { solAmount: 1_000 + n, tokenAmount: 2_000 + n }
    const times = { slot: slotOf(at), timestamp: timeOf(at) }
    return eventOf(count + 10 + n, { ...times, event, ...ofPool(n % TOKENS), ...amounts })
  })
  const tokens = Array.from(
    { length: TOKENS - 1 },
    (_, n): MarketEvent => ({
      kind: 'token',
      token: { tokenAddress: mint(n), slot: 0, decimals: 6, symbol: `SYM${n}`, name: `Name ${n}` },
    }),
  )
  const retraction = {
    kind: 'retract',
    retraction: { slot: forkedSlot, blockhash: FORKED },
  } as const
  return { events: [...tokens, ...poolEvents, ...swaps], block, retraction, lastSlot }
}

const ofPool = (n: number, ofToken = 0) => ({
  tokenAddress: n === DOLLAR ? USDC : mint(n),
  pairAddress: pair(n + 100 * ofToken),
})

function eventOf(n: number, changes: object): MarketEvent {
  const own = { signature: signatureOf(n), blockTxIndex: 0, ixIndex: 0, dex: 1, creator: trader(0) }
  return { kind: 'pool_event', poolEvent: { ...own, ...changes } as never }
}

/** The events up to a slot; a token line without a slot is of every slot. */
export function upTo(events: readonly MarketEvent[], slot: number): MarketEvent[] {
  return events.filter((event) => slotOfEvent(event) <= slot)
}

function slotOfEvent(event: MarketEvent): number {
  if (event.kind === 'swap') return event.swap.slot
  return event.kind === 'pool_event' ? event.poolEvent.slot : 0
}

/** In another order, one in six twice. */
export function disordered<Each>(prng: Prng, events: readonly Each[]): Each[] {
  return events
    .flatMap((event) => (prng.chance(0.15) ? [event, event] : [event]))
    .map((event) => ({ event, at: prng.unit() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event)
}
