/**
 * The market over and over: each lap has other signatures, later slots, and new wallets where the market had a new one,
 * so that a long run grows like a real one and no swap occurs twice.
 */
import type { Event } from '../../domain/events/event.ts'

/** Alongside each event, whether its wallet is used for the first time. */
type MarkedMarket = { events: readonly Event[]; isFresh: Uint8Array; slots: number }

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Far from the first characters, which decide how many bytes a text encodes. */
const MARK_AT = 20
/** So long that no text of the market has a lap's mark by chance. */
const MARK_LENGTH = 8
const SLOT_MS = 400
/** Some of each of so many laps are looked up. */
const LOOK_UP_LAPS = 50
const LOOK_UPS_A_LAP = 1_000
/** A prime far from the market's rhythms: the looked-up swaps are spread all over it. */
const SAMPLE_STRIDE = 100_003

export function withFirstUses(events: readonly Event[]): MarkedMarket {
  const isFresh = new Uint8Array(events.length)
  const seen = new Set<string>()
  let least = Infinity
  let greatest = 0
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'swap') continue
    const { user, slot } = event.swap
    if (!seen.has(user)) isFresh[index] = 1
    seen.add(user)
    least = Math.min(least, slot)
    greatest = Math.max(greatest, slot)
  }
  return { events, isFresh, slots: greatest - least + 1 }
}

/** Events `from` to `to` of the market as the given lap has them; lap 0 has them unchanged. */
export function relap(market: MarkedMarket, from: number, to: number, lap: number): Event[] {
  const { events, isFresh, slots } = market
  if (lap === 0) return events.slice(from, to)
  const mark = markOf(lap)
  const later = slots * lap
  return events.slice(from, to).flatMap((event, index): Event[] => {
    if (event.kind !== 'swap') return []
    const { swap } = event
    return [
      {
        kind: 'swap',
        swap: {
          ...swap,
          signature: marked(swap.signature, mark),
          user: isFresh[from + index] === 1 ? marked(swap.user, mark) : swap.user,
          slot: swap.slot + later,
          timestamp: swap.timestamp + later * SLOT_MS,
        },
      },
    ]
  })
}

function markOf(lap: number): string {
  let mark = ''
  for (let rest = lap; mark.length < MARK_LENGTH; rest = Math.floor(rest / BASE58.length)) {
    mark += BASE58[rest % BASE58.length]
  }
  return mark
}

const marked = (text: string, mark: string): string =>
  text.slice(0, MARK_AT) + mark + text.slice(MARK_AT + MARK_LENGTH)

/** Signatures of swaps of the first, the last and other laps. */
export function signaturesOfLaps(events: readonly Event[], laps: number): string[] {
  const market = withFirstUses(events)
  const step = Math.max(1, Math.floor(laps / LOOK_UP_LAPS))
  const signatures: string[] = []
  for (let lap = 0; lap < laps; lap += step) {
    const from = (lap * SAMPLE_STRIDE) % events.length
    for (const event of relap(market, from, from + LOOK_UPS_A_LAP, lap)) {
      if (event.kind === 'swap') signatures.push(event.swap.signature)
    }
  }
  return signatures
}
