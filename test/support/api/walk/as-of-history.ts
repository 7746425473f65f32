/**
 * A small history for answers as of a slot, by seed: swaps of a few tokens, one of them a dollar mint, in two pools each, and of a
 * few wallets, attacks in two pools of their own, pool events, token lines, and a block that leaves the chain. Some swaps have the slot of
 * another, and some times go back.
 */
import type { Event, MarketEvent } from '../../../../domain/events/event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { USDC } from '../../../../domain/quote-mint.ts'
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
  const scenes = Array.from({ length: Math.ceil(count / 8) }, (_, n) => 8 * n)
  const sceneSlots = scenes.map((n) => slotOf(n) + 1 + prng.below(3))
  const attacks = attacksOf(prng, sceneSlots, (scene) => timeOf(scenes[scene] ?? 0))
  const forkedSlot = slotOf(Math.floor(count / 2)) + 1
  const gone = { slot: forkedSlot, blockhash: FORKED, timestamp: timeOf(count) + 3_600_000 }
  const block = [
    swapOf(count + 1, { ...gone, user: trader(50) }),
    swapOf(count + 2, { ...gone, ...ofPool(1), user: trader(1) }),
    swapOf(count + 4, { ...gone, pairAddress: pair(ATTACKED), tokenAddress: mint(0) }),
    eventOf(count + 3, { ...gone, event: 'created', ...ofPool(50), creator: trader(50) }),
  ]
  const poolEvents = Array.from({ length: Math.ceil(count / 4) }, (_, n) => {
    const at = 4 * n
    const event =
      n < TOKENS ? 'created' : prng.chance(0.5) ? 'liquidity_added' : 'liquidity_removed'
    const amounts = n < TOKENS ? {} : { solAmount: 1_000 + n, tokenAmount: 2_000 + n }
    const times = { slot: slotOf(at), timestamp: timeOf(at) }
    const creator = trader(n % WALLETS)
    return eventOf(count + 10 + n, { ...times, event, ...ofPool(n % TOKENS), ...amounts, creator })
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
  const events = [...tokens, ...poolEvents, ...swaps, ...attacks]
  return { events, block, retraction, lastSlot, sceneSlots }
}

/** Some wallets attack, flip, and trade one quantity, within few slots: in one slot, over several, and one after the other. */
function attacksOf(
  prng: Prng,
  sceneSlots: readonly number[],
  timeOf: (scene: number) => number,
): MarketEvent[] {
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
  return found.map((swap): MarketEvent => ({ kind: 'swap', swap }))
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
