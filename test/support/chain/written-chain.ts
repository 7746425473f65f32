/**
 * The simulated market as a chain for test servers: blocks are encoded when they are requested, so that a chain of a
 * million swaps needs the memory of its events only. The same options make the same chain.
 */

import { type EventSlot, encodeBlock } from '../../../chain/encode-block.ts'
import { slotsOf } from '../../../chain/encode-slots.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { freshSeed, sizeOf } from '../seed.ts'
import type { ServedBlock, ServedChain } from './served-chain.ts'
import { encodeSlot } from './stated-events.ts'

type WrittenChainOptions = {
  seed: number
  swaps: number
  /** Default 80. */
  swapsPerSlot?: number
  /** Share of slots without a block. */
  skipShare?: number
}

/** From here on every line of the market has the indexes of its transaction. */
const FROM_MS = Date.UTC(2026, 9, 1)
const FROM_SLOT = 400_000_000

export class WrittenChain implements ServedChain {
  readonly from: number
  readonly to: number
  readonly blocks: Map<number, ServedBlock>
  readonly slots: readonly EventSlot[]

  constructor({ seed, swaps, swapsPerSlot = 80, skipShare = 0.05 }: WrittenChainOptions) {
    const market = simulate({ seed, swaps, swapsPerSlot, fromMs: FROM_MS, fromSlot: FROM_SLOT })
    this.slots = [...withSkippedSlots(slotsOf(market), new Prng([seed, 3]), skipShare)]
    this.from = this.slots[0]?.slot ?? FROM_SLOT
    this.to = this.slots.at(-1)?.slot ?? FROM_SLOT
    this.blocks = new LazyBlocks(this.slots)
  }

  /** The events that must be decoded, slot by slot. */
  *stated(): Generator<{ slot: number; events: MarketEvent[] }> {
    for (const slot of this.slots) yield { slot: slot.slot, events: encodeSlot(slot).stated }
  }
}

function* withSkippedSlots(
  slots: Iterable<EventSlot>,
  prng: Prng,
  skipShare: number,
): Generator<EventSlot> {
  let skipped = 0
  let parentSlot = FROM_SLOT - 1
  for (const each of slots) {
    if (parentSlot >= FROM_SLOT && prng.unit() < skipShare) skipped++
    const slot = each.slot + skipped
    yield { ...each, slot, parentSlot, events: each.events.map((event) => movedTo(event, slot)) }
    parentSlot = slot
  }
}

function movedTo(event: MarketEvent, slot: number): MarketEvent {
  if (event.kind === 'swap') return { kind: 'swap', swap: { ...event.swap, slot } }
  if (event.kind === 'token') return { kind: 'token', token: { ...event.token, slot } }
  return { kind: 'pool_event', poolEvent: { ...event.poolEvent, slot } }
}

/** Every value is made when it is read. */
class LazyBlocks extends Map<number, ServedBlock> {
  readonly #slots: ReadonlyMap<number, EventSlot>

  constructor(slots: readonly EventSlot[]) {
    super()
    this.#slots = new Map(slots.map((each) => [each.slot, each]))
  }

  override get size(): number {
    return this.#slots.size
  }

  override get(slot: number): ServedBlock | undefined {
    const found = this.#slots.get(slot)
    return found === undefined ? undefined : encodeBlock(found)
  }

  override has(slot: number): boolean {
    return this.#slots.has(slot)
  }

  override keys(): MapIterator<number> {
    return this.#slots.keys() as MapIterator<number>
  }

  override *entries(): MapIterator<[number, ServedBlock]> {
    for (const slot of this.#slots.keys()) yield [slot, this.get(slot) as ServedBlock]
  }

  override [Symbol.iterator](): MapIterator<[number, ServedBlock]> {
    return this.entries()
  }
}

/** Each run has faults of every kind. */
const SWAPS = { daily: 4_000, long: 8_000 }

/** How large the run over all parts is; larger by the environment, by hand. A new seed each run: many runs add up. */
export function sizeOfRun(): { swaps: number; faults: number; seed: number } {
  const [swaps, fresh] = [String(sizeOf(SWAPS)), String(freshSeed())]
  const { CHAIN_SWAPS = swaps, CHAIN_FAULTS = '20', CHAIN_SEED = fresh } = process.env
  return { swaps: Number(CHAIN_SWAPS), faults: Number(CHAIN_FAULTS), seed: Number(CHAIN_SEED) }
}
