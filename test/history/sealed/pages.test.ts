/** Pages of lists of sealed swaps. */
import test from 'ava'
import fc from 'fast-check'
import type { Direction } from '../../../history/sealed/find/postings.ts'
import { matchingSwaps, pagesOf, sealedRuns } from '../../../history/sealed/pages.ts'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'

const ofSlots = (slots: readonly number[]) =>
  slots.map((slot, block_tx_index) => ({ slot, block_tx_index }) as StoredSwap)

/** A list of the same contract as the finders: at least so many, whole slots, and perhaps a part of the next one. */
function listOf(swaps: readonly StoredSwap[], order: Direction, more: number) {
  return async ({ low, high }: { low: number | bigint; high: number | bigint }, rows: number) => {
    const own = swaps
      .filter(({ slot }) => slot >= low && slot <= high)
      .toSorted((a, b) => (order === 'asc' ? a.slot - b.slot : b.slot - a.slot))
    const last = own[rows - 1]?.slot
    const end = own.findLastIndex(({ slot }) => slot === last) + 1
    return last === undefined ? own : own.slice(0, end + more).toReversed()
  }
}

const anyList = fc.record({
  slots: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 30 }),
  order: fc.constantFrom<Direction>('asc', 'desc'),
  rows: fc.integer({ min: 1, max: 6 }),
  more: fc.nat(3),
  low: fc.integer({ min: 0, max: 20 }),
  high: fc.integer({ min: 0, max: 20 }),
})

test('pages hold each swap of the slots once, and their slots follow each other', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyList, async ({ slots, order, rows, more, low, high }) => {
      fc.pre(low <= high)
      const swaps = ofSlots(slots)
      const found: StoredSwap[] = []
      let next = order === 'asc' ? low : high
      for await (const page of pagesOf(listOf(swaps, order, more), { low, high }, order, rows)) {
        const [first, last] = [Number(page.slots.low), Number(page.slots.high)]
        t.is(order === 'asc' ? first : last, next)
        next = order === 'asc' ? last + 1 : first - 1
        t.deepEqual(
          page.swaps.toSorted((a, b) => a.block_tx_index - b.block_tx_index),
          swaps.filter(({ slot }) => slot >= first && slot <= last),
        )
        found.push(...page.swaps)
      }
      t.is(next, order === 'asc' ? high + 1 : low - 1)
      t.is(found.length, slots.filter((slot) => slot >= low && slot <= high).length)
    }),
  )
})

test('a search returns the first swaps that match, in whole slots', async (t) => {
  await fc.assert(
    fc.asyncProperty(anyList, async ({ slots, order, rows, more }) => {
      const swaps = ofSlots(slots)
      const isWanted = ({ slot }: StoredSwap) => slot % 3 === 0
      const all = { low: 0, high: 20 }
      const wanted = { rows, isWanted, pageRows: 2 }
      const found = await matchingSwaps(listOf(swaps, order, more), all, order, wanted)
      const matching = swaps
        .filter(isWanted)
        .toSorted((a, b) => (order === 'asc' ? a.slot - b.slot : b.slot - a.slot))
      const last = matching[rows - 1]?.slot
      const needed = matching.filter(
        ({ slot }) => last === undefined || (order === 'asc' ? slot <= last : slot >= last),
      )
      for (const swap of needed) t.true(found.includes(swap))
      t.true(found.every(isWanted))
    }),
  )
})

test('runs of a pool that overlap are read once, later ones are left out', (t) => {
  const run = (poolId: number, low: number, high: number) => ({ poolId, slots: { low, high } })
  const sealed = { version: 1, lastSlot: 50, segments: [], since: undefined }
  t.deepEqual(
    sealedRuns(sealed, [
      run(1, 30, 40),
      run(2, 5, 9),
      run(1, 10, 30),
      run(1, 41, 60),
      run(2, 51, 52),
    ]),
    [run(1, 10, 40), run(1, 41, 60), run(2, 5, 9)],
  )
})
