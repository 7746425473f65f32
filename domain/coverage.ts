/**
 * Coverage: which slots of which venues were read from the chain. Pure.
 *
 * Venues are a set of bits, 1 << dex, as the table `coverage` stores them. Ranges include both ends.
 */
import { type DexId, VENUES } from './venue.ts'

export type SlotRange = { readonly from: number; readonly to: number }

/** A run of slots that one source has read completely. */
export type Coverage = SlotRange & {
  readonly venues: number
  readonly decoderVersion: number
  readonly source: string
  readonly commitment: string
  readonly swaps: number
}

export function venueBits(venues: Iterable<DexId>): number {
  let bits = 0
  for (const dex of venues) bits |= 1 << dex
  return bits
}

export const venuesOfBits = (bits: number): DexId[] =>
  VENUES.map(({ dex }) => dex).filter((dex) => (bits & (1 << dex)) !== 0)

export const ALL_VENUE_BITS = venueBits(VENUES.map(({ dex }) => dex))

export const slotCount = ({ from, to }: SlotRange): number => to - from + 1

type Part = SlotRange & { readonly venues: number }

/** The slots of a range that lack one of the venues, ascending, with the venues that they lack. */
export function missingParts(
  covered: readonly Part[],
  { from, to }: SlotRange,
  venues: number,
): Part[] {
  const near = covered.filter((part) => part.to >= from && part.from <= to)
  const starts = near.flatMap((part) => [part.from, part.to + 1])
  const cuts = [...new Set([from, ...starts])].filter((slot) => slot >= from && slot <= to)
  cuts.sort((a, b) => a - b)
  const parts: Part[] = []
  for (const [index, start] of cuts.entries()) {
    const end = (cuts[index + 1] ?? to + 1) - 1
    let lacking = venues
    for (const part of near) if (part.from <= start && part.to >= start) lacking &= ~part.venues
    const before = parts.at(-1)
    if (lacking === 0) continue
    if (before?.to === start - 1 && before.venues === lacking) {
      parts[parts.length - 1] = { ...before, to: end }
    } else parts.push({ from: start, to: end, venues: lacking })
  }
  return parts
}

/** The same slots in parts of at most `slots`, in the order of `parts`. */
export function chunksOf(parts: readonly Part[], slots: number): Part[] {
  return parts.flatMap(({ from, to, venues }) => {
    const count = Math.ceil((to - from + 1) / slots)
    return Array.from({ length: count }, (_, index) => {
      const start = from + index * slots
      return { from: start, to: Math.min(to, start + slots - 1), venues }
    })
  })
}

/** Slots between the first and the last covered one that lack a venue, ascending. */
export function gapsOf(covered: readonly Coverage[], dex: DexId): SlotRange[] {
  const bit = venueBits([dex])
  const own = covered.filter(({ venues }) => (venues & bit) !== 0)
  const gaps: SlotRange[] = []
  let next: number | undefined
  for (const { from, to } of own.toSorted((a, b) => a.from - b.from)) {
    if (next !== undefined && from > next) gaps.push({ from: next, to: from - 1 })
    next = Math.max(next ?? 0, to + 1)
  }
  return gaps
}

/**
 * The lowest slot from which on no slot up to `until` is missing of a venue that is read: each venue up to its own newest slot, as gaps
 * lie before it. Undefined where no slot was read from the chain.
 */
export function completeSince(
  covered: readonly Coverage[],
  until = Number.POSITIVE_INFINITY,
): number | undefined {
  let since: number | undefined
  for (const { dex } of VENUES) {
    const bit = venueBits([dex])
    const own = covered.filter(({ venues }) => (venues & bit) !== 0)
    if (own.length === 0) continue
    const first = Math.min(...own.map(({ from }) => from))
    const before = gapsOf(covered, dex).filter(({ from }) => from <= until)
    const afterGaps = before.map(({ to }) => Math.min(to, until) + 1)
    since = Math.max(since ?? 0, first, ...afterGaps)
  }
  return since
}

/**
 * The slot up to which finalized blocks were read of every venue that is read, gaps aside; undefined where a venue has none, or
 * no slot was read.
 */
export function finalizedUntil(covered: readonly Coverage[]): number | undefined {
  let until: number | undefined
  for (const { dex } of VENUES) {
    const own = covered.filter(({ venues }) => (venues & venueBits([dex])) !== 0)
    if (own.length === 0) continue
    const ends = own.filter(({ commitment }) => commitment === 'finalized').map(({ to }) => to)
    if (ends.length === 0) return undefined
    until = Math.min(until ?? Number.POSITIVE_INFINITY, Math.max(...ends))
  }
  return until
}

/** Slots that lack these venues, each of which has slots before and after them. */
export type Gap = SlotRange & { readonly venues: readonly DexId[] }

/** Ascending; gaps of several venues that are the same are one. */
export function gapsByVenues(covered: readonly Coverage[]): Gap[] {
  const gaps = VENUES.flatMap(({ dex }) => gapsOf(covered, dex).map((gap) => ({ ...gap, dex })))
  const bySlots = Map.groupBy(gaps, ({ from, to }) => `${from}:${to}`)
  return Array.from(bySlots.values(), (same) => ({
    from: same[0]?.from ?? 0,
    to: same[0]?.to ?? 0,
    venues: same.map(({ dex }) => dex),
  })).toSorted((a, b) => a.from - b.from || a.to - b.to)
}

/**
 * At most `max` gaps, ascending: those that end last, and one that spans all others, with the venues of all. So every slot that
 * lacks a venue still lies in a gap of that venue.
 */
export function boundGaps(gaps: readonly Gap[], max: number): Gap[] {
  if (gaps.length <= max) return [...gaps]
  const byEnd = gaps.toSorted((a, b) => a.to - b.to || a.from - b.from)
  const oldest = byEnd.slice(0, byEnd.length - max + 1)
  const spanning: Gap = {
    from: Math.min(...oldest.map(({ from }) => from)),
    to: oldest.at(-1)?.to ?? 0,
    venues: venuesOfBits(oldest.reduce((bits, { venues }) => bits | venueBits(venues), 0)),
  }
  const rest = byEnd.slice(byEnd.length - max + 1)
  return [spanning, ...rest].toSorted((a, b) => a.from - b.from || a.to - b.to)
}
