/**
 * A small history for answers as of a slot, by seed: swaps of a few tokens, one of them a dollar mint, in two pools each, and of a
 * few wallets, attacks in two pools of their own, pool events, token lines, and a block that leaves the chain. Some swaps have the slot of
 * another, and some times go back. A token and a wallet begin in the middle. Some transactions buy and sell, and some swaps are dust,
 * of an agent, without indexes, or state fees of transfers, other decimals, prices and reserves.
 */
import type { Event, MarketEvent } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { USDC } from '../../../../domain/quote-mint.ts'
import { DAY_MS } from '../../../../domain/time/time-bucket.ts'
import { AGENT_TRADE, type DexId, venueOf } from '../../../../domain/venue.ts'
import type { Prng } from '../../../../streams/simulator/prng.ts'
import { poolOf } from '../../events/sample-event.ts'
import { FormulaPool } from '../../market/formula-pool.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../market/sample-swap.ts'

const FROM_MS = Date.parse('2026-07-20T10:00:00Z')
const FIRST_SLOT = 1_000
const TOKENS = 3
/** The token that is a dollar mint. */
const DOLLAR = 2
const WALLETS = 4
/** Venues of pools: with each reference of a price impact. The second pool of a token is of the next one. */
const POOL_VENUES: readonly DexId[] = [1, 2, 3, 4, 8, 10]
/** Less than any slot of a swap. */
const MIGRATED_SLOT = 990
const FORKED = poolOf(900_002)
const ATTACKED = 300
/** The slots of a scene of attacks, and of the time in which it may still change. */
export const SCENE_SLOTS = 36
const SOL = 1_000_000_000n

/** `events`: those that stay; `block`: those of the block that leaves; `retraction` follows them. */
type AsOfHistory = {
  events: MarketEvent[]
  block: MarketEvent[]
  retraction: Event
  lastSlot: number
  /** First slots of the scenes of attacks. */
  sceneSlots: number[]
}

export function asOfHistory(prng: Prng, count: number): AsOfHistory {
  const slotOf = (n: number): number => FIRST_SLOT + 40 * Math.floor(n / 2)
  // Within an hour, or over days.
  const stepMs = prng.chance(0.5) ? 47_000 : 4_700_000
  const timeOf = (n: number): number => FROM_MS + n * stepMs - prng.below(3) * 60_000
  const poolAt = poolsBy(prng)
  const swapOf = swapsBy(prng, { count, slotOf, timeOf, poolAt })
  const swaps = withTransactions(
    prng,
    Array.from({ length: count }, (_, n) => swapOf(n)),
  )
  const lastSlot = slotOf(count - 1)
  const scenes = Array.from({ length: Math.ceil(count / 8) }, (_, n) => 8 * n)
  const sceneSlots = scenes.map((n) => slotOf(n) + 1 + prng.below(3))
  const attacks = attacksOf(prng, sceneSlots, (scene) => timeOf(scenes[scene] ?? 0))
  const forkedSlot = slotOf(Math.floor(count / 2)) + 1
  const gone = { slot: forkedSlot, blockhash: FORKED, timestamp: timeOf(count) + 3_600_000 }
  const block = [
    ...[
      swapOf(count + 1, { ...gone, user: trader(50) }),
      swapOf(count + 2, { ...gone, ...poolAt(1), user: trader(1) }),
      swapOf(count + 4, { ...gone, pairAddress: pair(ATTACKED), tokenAddress: mint(0) }),
    ].map((swap): MarketEvent => ({ kind: 'swap', swap })),
    eventOf(count + 3, { ...gone, event: 'created', ...poolAt(50), creator: trader(50) }),
  ]
  const poolEvents = Array.from({ length: Math.ceil(count / 4) }, (_, n) => {
    const at = 4 * n
    const event =
      n < TOKENS ? 'created' : prng.chance(0.5) ? 'liquidity_added' : 'liquidity_removed'
    const amounts = n < TOKENS ? {} : { solAmount: 1_000 + n, tokenAmount: 2_000 + n }
    const times = { slot: slotOf(at), timestamp: timeOf(at) }
    const creator = trader(n % WALLETS)
    return eventOf(count + 10 + n, { ...times, event, ...poolAt(n % TOKENS), ...amounts, creator })
  })
  const tokens = tokenLines(prng, () => slotOf(prng.below(count)))
  const retraction = {
    kind: 'retract',
    retraction: { slot: forkedSlot, blockhash: FORKED },
  } as const
  const traded = [...swaps, ...attacks].map((swap): MarketEvent => ({ kind: 'swap', swap }))
  const events = [...tokens, ...migrationsOf(poolAt), ...poolEvents, ...traded]
  return { events, block, retraction, lastSlot, sceneSlots }
}

/** Lines of every slot, and in half of the histories later ones, whose facts are not stored as of earlier slots. */
function tokenLines(prng: Prng, anySlot: () => number): MarketEvent[] {
  const line = (token: object): MarketEvent => ({ kind: 'token', token: token as never })
  const lines = Array.from({ length: TOKENS - 1 }, (_, n) => {
    const facts = { decimals: 6, symbol: `SYM${n}`, name: `Name ${n}` }
    return line({ tokenAddress: mint(n), slot: 0, ...facts })
  })
  if (prng.chance(0.5)) return lines
  const later = [{ symbol: 'LATER' }, { supply: 10 ** 12 }, { creator: trader(2) }, { decimals: 9 }]
  return [
    ...lines,
    ...later.map((facts, n) => line({ tokenAddress: mint(n % TOKENS), slot: anySlot(), ...facts })),
  ]
}

type PoolAt = (token: number, ofToken?: number) => ReturnType<ReturnType<typeof poolsBy>>

/** The pools of tokens, each of a venue. */
function poolsBy(prng: Prng) {
  const first = prng.below(POOL_VENUES.length)
  return (token: number, ofToken = 0) => ({
    tokenAddress: token === DOLLAR ? USDC : mint(token),
    pairAddress: pair(token + 100 * ofToken),
    dex: POOL_VENUES[(first + 2 * token + ofToken) % POOL_VENUES.length]!,
  })
}

type Market = {
  count: number
  slotOf: (n: number) => number
  timeOf: (n: number) => number
  poolAt: PoolAt
}

/** From the middle on there are a token and a wallet more. */
function swapsBy(prng: Prng, { count, slotOf, timeOf, poolAt }: Market) {
  const below = (bound: number, n: number): number => prng.below(n < count / 2 ? bound : bound + 1)
  const isRestated = prng.chance(0.3)
  return (n: number, changes: object = {}): Swap =>
    sampleSwap({
      ...{ signature: signatureOf(n), slot: slotOf(n), timestamp: timeOf(n), blockTxIndex: n },
      ...poolAt(below(TOKENS, n), prng.below(2)),
      ...{ user: trader(below(WALLETS, n)), isBuy: prng.chance(0.6) },
      ...{ solAmount: 10_000_000 + prng.below(20_000_000_000) },
      ...{ tokenAmount: 1_000_000 + prng.below(90_000_000), realSolReserves: 40_000_000_000 },
      ...{ realTokenReserves: 3_000_000_000 },
      ...traitsOf(prng),
      ...(isRestated && prng.chance(0.1) ? { quoteDecimals: prng.pick([0, 6, 9]) } : {}),
      ...changes,
    })
}

/** Dust, trades of an agent, swaps without indexes, fees of transfers, prices and reserves of venues, each of some swaps. */
function traitsOf(prng: Prng): Partial<Swap> {
  const some = <Traits>(share: number, traits: () => Traits): Traits | object =>
    prng.chance(share) ? traits() : {}
  return {
    ...some(0.06, () => ({ solAmount: prng.below(10_000) })),
    ...some(0.06, () => ({ tokenAmount: 1 + prng.below(10_000) })),
    ...some(0.05, () => ({ agentTrade: AGENT_TRADE })),
    ...some(0.1, () => ({ transferFeeIn: prng.below(100_000) })),
    ...some(0.1, () => ({ transferFeeOut: prng.below(100_000) })),
    ...some(0.1, () => ({ blockTxIndex: 0, ixIndex: 0 })),
    ...some(0.2, () => ({ priceBefore: 1 + prng.unit(), priceAfter: 1 + prng.unit() })),
    ...some(0.1, () => ({ poolPrice: 1 + prng.unit() })),
    ...some(0.1, () => ({ virtualQuoteReserves: prng.below(30_000_000_000) })),
  }
}

/** The same swaps; the second one of a slot may be of the transaction and the token of the first, mostly on the other side. */
function withTransactions(prng: Prng, swaps: readonly Swap[]): Swap[] {
  return swaps.map((swap, n) => {
    const first = swaps[n - 1]
    if (first === undefined || n % 2 === 0 || !prng.chance(0.25)) return swap
    const { signature, slot, user, blockTxIndex, timestamp, tokenAddress, pairAddress, dex } = first
    const stamp = { signature, slot, user, blockTxIndex, timestamp, ixIndex: first.ixIndex + 1 }
    const pool = prng.chance(0.7) ? { tokenAddress, pairAddress, dex } : {}
    return { ...swap, ...stamp, ...pool, isBuy: prng.chance(0.8) ? !first.isBuy : first.isBuy }
  })
}

/** Pools of venues that hold SOL which they do not report come from a curve, before the first swap. */
function migrationsOf(poolAt: PoolAt): MarketEvent[] {
  const pools = Array.from({ length: 2 * (TOKENS + 1) }, (_, n) => poolAt(Math.floor(n / 2), n % 2))
  return pools
    .filter(({ dex }) => venueOf(dex).unreportedSol !== undefined)
    .map((pool, n) => {
      const at = { slot: MIGRATED_SLOT, timestamp: FROM_MS - DAY_MS, event: 'migrated' }
      return eventOf(9_000 + n, { ...at, ...pool, fromPair: pair(200 + n) })
    })
}

/** Some wallets attack, flip, and trade one quantity, within few slots: in one slot, over several, and one after the other. */
function attacksOf(
  prng: Prng,
  sceneSlots: readonly number[],
  timeOf: (scene: number) => number,
): Swap[] {
  const reserves = { sol: 500n * SOL, tokens: 10n ** 15n }
  const dex = prng.chance(0.5) ? 3 : 4
  const pools = [0, 1].map((n) => new FormulaPool({ ...reserves, dex, pair: ATTACKED + n }))
  let pool = pools[0]!
  const found: Swap[] = []
  const trade = (wallet: number, tokens: bigint | undefined, slot: number, scene: number) => {
    const n = found.length
    const user = trader(wallet)
    const stamp = { slot, user, timestamp: timeOf(scene), tokenAddress: mint(0) }
    const changes = { ...stamp, signature: signatureOf(5_000 + n), blockTxIndex: n }
    const swap =
      tokens === undefined
        ? pool.buy(SOL * BigInt(1 + prng.below(20)), changes)
        : pool.sell(tokens, changes)
    found.push(swap)
    return BigInt(swap.tokenAmount)
  }
  for (const [scene, first] of sceneSlots.entries()) {
    const end = first + prng.below(SCENE_SLOTS / 2)
    for (let slot = first; slot <= end; slot += prng.below(4)) {
      const attacker = prng.below(WALLETS)
      pool = pools[prng.below(pools.length)]!
      const quantity = trade(attacker, undefined, slot, scene)
      slot += prng.below(3)
      trade((attacker + 1 + prng.below(2)) % WALLETS, undefined, slot, scene)
      slot += prng.below(3)
      const other = prng.chance(0.3) ? (attacker + 3) % WALLETS : attacker
      if (prng.chance(0.8)) trade(other, quantity, slot, scene)
      if (prng.chance(0.3)) break
    }
  }
  return found
}

function eventOf(n: number, changes: object): MarketEvent {
  const own = { signature: signatureOf(n), blockTxIndex: 0, ixIndex: 0, creator: trader(0) }
  return { kind: 'pool_event', poolEvent: { ...own, ...changes } as never }
}

/** The events up to a slot; a token line of slot 0 is of every slot. */
export function upTo(events: readonly MarketEvent[], slot: number): MarketEvent[] {
  return events.filter((event) => slotOfEvent(event) <= slot)
}

function slotOfEvent(event: MarketEvent): number {
  if (event.kind === 'swap') return event.swap.slot
  return event.kind === 'pool_event' ? event.poolEvent.slot : event.token.slot
}

/** In another order, one in six twice. */
export function disordered<Each>(prng: Prng, events: readonly Each[]): Each[] {
  return events
    .flatMap((event) => (prng.chance(0.15) ? [event, event] : [event]))
    .map((event) => ({ event, at: prng.unit() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event)
}
