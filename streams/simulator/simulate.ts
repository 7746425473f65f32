/**
 * A simulated market of all venues: events as their decoders would send them, in chain order per
 * venue. Deterministic: the same options give the same events, byte for byte; there is no clock
 * and no chance but the seed's. The start is part of the seed, so that a market begun at another time has other
 * addresses and signatures, and never repeats an identity. A longer run begins with the events of a shorter one; the
 * caller paces it and ends it when it likes.
 */
import type { MarketEvent } from '../../domain/events/event.ts'
import { drawAddress } from './base58-draw.ts'
import { type BotAct, Bots } from './bots.ts'
import type { Wallet } from './cast/wallets.ts'
import { Market } from './market.ts'
import { Prng } from './prng.ts'
import { type Past, SLOT_MS, SlotClock } from './tape/slot-clock.ts'
import { Tape } from './tape/tape.ts'

export type SimulateOptions = {
  readonly seed: number
  /** Ends after that many swaps; Infinity: never. */
  readonly swaps: number
  /** Unix ms of the first slot, but for those of the past. */
  readonly fromMs: number
  /** Default: the slot that the chain would have at fromMs. */
  readonly fromSlot?: number
  /** Mean number of swaps in a slot of 400 ms, default 80. */
  readonly swapsPerSlot?: number
  /** Sandwich bots, volume bots and early buyers among the crowd, and what is called with each of their acts. Absent: none. */
  readonly bots?: { readonly onAct?: (act: BotAct) => void }
  /** The market's history before fromMs; its swaps count among `swaps`. Absent: none. */
  readonly past?: Past
}

/** About when slot 0 was. */
const SLOT_0_MS = Date.UTC(2020, 2, 16, 14, 29)
const SWAPS_PER_SLOT = 80
const BOTS = 1

export function* simulate(options: SimulateOptions): Generator<MarketEvent, void, undefined> {
  const { seed, swaps, fromMs, past } = options
  const fromSlot = options.fromSlot ?? Math.max(0, Math.floor((fromMs - SLOT_0_MS) / SLOT_MS))
  const swapsPerSlot = options.swapsPerSlot ?? SWAPS_PER_SLOT
  for (const [name, value] of Object.entries({ seed, fromMs, fromSlot })) {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${name} "${value}": use an integer`)
  }
  if (!(swapsPerSlot > 0)) {
    throw new RangeError(`swapsPerSlot "${swapsPerSlot}": use a number above 0`)
  }
  const prng = new Prng([seed, fromMs, fromSlot])
  const clock = new SlotClock({ fromSlot, fromMs, swapsPerSlot, ...(past && { past }) })
  const tape = new Tape(prng, clock)
  const market = new Market(prng, tape, clock, options.bots && botsOf(options, tape))
  let left = swaps
  while (left > 0) {
    market.step()
    for (const event of tape.take()) {
      yield event
      if (event.kind === 'swap') left -= 1
      if (left <= 0) return
    }
  }
}

/** Bots with a generator of their own. */
function botsOf({ seed, fromMs, bots }: SimulateOptions, tape: Tape): Bots {
  const prng = new Prng([seed, fromMs, BOTS])
  const fresh = (): Wallet => ({ walletAddress: drawAddress(prng), character: 'holder' })
  return new Bots({ prng, tape, fresh, onAct: bots?.onAct ?? (() => {}) })
}
