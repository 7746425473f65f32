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

export const ALL_VENUES = venueBits(VENUES.map(({ dex }) => dex))

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

/** Slots between the first and the last covered one that lack a venue. */
export function gapsOf(covered: readonly Coverage[], dex: DexId): SlotRange[] {
  const bit = venueBits([dex])
  const own = covered.filter(({ venues }) => (venues & bit) !== 0)
  const [first] = own
  if (first === undefined) return []
  const from = own.reduce((least, part) => Math.min(least, part.from), first.from)
  const to = own.reduce((most, part) => Math.max(most, part.to), first.to)
  return missingParts(own, { from, to }, bit).map((part) => ({ from: part.from, to: part.to }))
}
