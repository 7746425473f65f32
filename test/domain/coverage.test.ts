/** Coverage as sets of slots: what is missing and where gaps are, against counting slot by slot. */
import test from 'ava'
import fc from 'fast-check'
import {
  ALL_VENUE_BITS,
  boundGaps,
  type Coverage,
  completeSince,
  type Gap,
  gapsByVenues,
  gapsOf,
  missingParts,
  slotCount,
  venueBits,
  venuesOfBits,
} from '../../domain/coverage.ts'
import { VENUES } from '../../domain/venue.ts'

const range = (from: number, to: number, venues: number): Coverage => ({
  ...{ from, to, venues, decoderVersion: 1, source: 'backfill', commitment: 'confirmed', swaps: 0 },
})

test('venues are bits and back', (t) => {
  t.is(venueBits([1, 3]), 0b1010)
  t.deepEqual(venuesOfBits(0b1010), [1, 3])
  t.deepEqual(
    venuesOfBits(ALL_VENUE_BITS),
    VENUES.map(({ dex }) => dex),
  )
})

test('a range that is covered in part lacks the rest, venue by venue', (t) => {
  const covered = [range(10, 19, 0b110), range(20, 29, 0b010), range(40, 49, 0b110)]
  t.deepEqual(missingParts(covered, { from: 5, to: 45 }, 0b110), [
    { from: 5, to: 9, venues: 0b110 },
    { from: 20, to: 29, venues: 0b100 },
    { from: 30, to: 39, venues: 0b110 },
  ])
  t.deepEqual(missingParts(covered, { from: 10, to: 29 }, 0b010), [])
  t.deepEqual(missingParts([], { from: 7, to: 7 }, 0b010), [{ from: 7, to: 7, venues: 0b010 }])
  t.is(slotCount({ from: 7, to: 9 }), 3)
})

test('gaps lie between the first and the last slot of a venue', (t) => {
  const covered = [range(10, 19, 0b110), range(25, 29, 0b010), range(15, 26, 0b1000)]
  t.deepEqual(gapsOf(covered, 1), [{ from: 20, to: 24 }])
  t.deepEqual(gapsOf(covered, 2), [])
  t.deepEqual(gapsOf(covered, 3), [])
  t.deepEqual(gapsOf(covered, 4), [])
})

const anyRange = fc
  .tuple(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 1, max: 7 }),
  )
  .map(([from, length, bits]) => range(from, from + length, bits << 1))

test('parts that are missing are those that counting slot by slot finds, merged', (t) => {
  fc.assert(
    fc.property(fc.array(anyRange, { maxLength: 8 }), anyRange, (covered, { from, to, venues }) => {
      const parts = missingParts(covered, { from, to }, venues)
      for (let slot = from; slot <= to; slot++) {
        let lacking = venues
        for (const each of covered) {
          if (each.from <= slot && each.to >= slot) lacking &= ~each.venues
        }
        const own = parts.filter((part) => part.from <= slot && part.to >= slot)
        t.is(own.length, lacking === 0 ? 0 : 1)
        t.is(own[0]?.venues ?? 0, lacking)
      }
      for (const [index, part] of parts.slice(1).entries()) {
        const before = parts[index]
        t.true(part.from > (before?.to ?? 0))
        t.false(part.from === (before?.to ?? 0) + 1 && part.venues === before?.venues)
      }
    }),
  )
})

test('the oldest of too many gaps become one, and no slot is left out', (t) => {
  const isIn = (gaps: readonly Gap[], slot: number, dex: number): boolean =>
    gaps.some(
      ({ from, to, venues }) => from <= slot && to >= slot && venues.some((each) => each === dex),
    )
  fc.assert(
    fc.property(
      fc.array(anyRange, { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      (covered, max) => {
        const gaps = gapsByVenues(covered)
        const bounded = boundGaps(gaps, max)
        t.true(bounded.length <= max)
        if (gaps.length <= max) t.deepEqual(bounded, gaps)
        for (let slot = 0; slot <= 60; slot++) {
          for (const dex of [1, 2, 3]) {
            if (isIn(gaps, slot, dex)) t.true(isIn(bounded, slot, dex))
          }
        }
      },
    ),
  )
})

test('history is complete since the last gap of any venue, each up to its own newest slot', (t) => {
  const cases: [number | undefined, Coverage[]][] = [
    [undefined, []],
    [10, [range(10, 19, 0b110)]],
    [0, [range(0, 19, 0b110)]],
    [40, [range(10, 19, 0b110), range(40, 49, 0b110)]],
    // Neighbours, and ranges of several sources that overlap, leave no gap.
    [10, [range(10, 19, 0b110), range(20, 29, 0b110)]],
    [10, [range(15, 49, 0b110), range(10, 20, 0b110)]],
    // A venue with a gap, and one that is read since later, decide for all.
    [30, [range(10, 49, 0b010), range(10, 19, 0b100), range(30, 49, 0b100)]],
    [45, [range(10, 49, 0b010), range(45, 49, 0b100)]],
    // One that lags, or is read no more, has no gap after its newest slot.
    [10, [range(10, 49, 0b010), range(10, 47, 0b100)]],
  ]
  for (const [expected, covered] of cases) {
    t.is(completeSince(covered), expected)
    t.is(completeSince(covered.toReversed()), expected)
  }
})

test('history is complete since the slot that counting slot by slot finds', (t) => {
  const ranges = fc.array(
    fc
      .tuple(fc.nat(30), fc.nat(10), fc.constantFrom(0b010, 0b100, 0b110))
      .map(([from, length, venues]) => range(from, from + length, venues)),
    { minLength: 1, maxLength: 8 },
  )
  fc.assert(
    fc.property(ranges, (covered) => {
      const sinceOf = (bit: number): number => {
        const isRead = (slot: number) =>
          covered.some(({ from, to, venues }) => from <= slot && slot <= to && (venues & bit) !== 0)
        let slot = 50
        while (slot >= 0 && !isRead(slot)) slot--
        while (slot >= 0 && isRead(slot)) slot--
        return slot + 1
      }
      const read = [0b010, 0b100].filter((bit) => covered.some(({ venues }) => venues & bit))
      t.is(completeSince(covered), Math.max(...read.map(sinceOf)))
    }),
  )
})
