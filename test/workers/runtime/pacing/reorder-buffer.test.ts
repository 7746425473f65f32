/**
 * Swaps that a lane holds back: each is released once, in the order of slots as far as the buffer reaches, with crashes
 * at any time.
 */
import test from 'ava'
import fc from 'fast-check'
import type { Name } from '../../../../streams/codec/address-table.ts'
import type { DecodedSwap } from '../../../../streams/codec/ledger-decoder.ts'
import { type Ahead, ReorderBuffer } from '../../../../workers/runtime/pacing/reorder-buffer.ts'
import { buy } from '../../../domain/ledger/histories.ts'

const NOBODY: Name = { text: '', id: 0 }

const received = (slot: number, poolLane = 0): DecodedSwap => ({
  swap: buy(slot, 1, 1, { slot }),
  user: NOBODY,
  mint: NOBODY,
  mark: { poolLane, commitNumber: 1, part: 0, isRetraction: false },
})
const slotsOf = (swaps: readonly DecodedSwap[]): number[] => swaps.map(({ swap }) => swap.slot)

test('holds back the newest by slot, of a slot all or none', (t) => {
  const buffer = new ReorderBuffer()
  buffer.add(
    5,
    [10, 12, 14].map((slot) => received(slot)),
  )
  buffer.add(
    7,
    [11, 13, 13].map((slot) => received(slot)),
  )
  const { swaps, readTo, ahead } = buffer.release(2)
  // Two are to be held back, and slot 13 has two.
  t.deepEqual(slotsOf(swaps), [10, 12, 11, 13, 13])
  t.is(readTo, 4)
  t.deepEqual(ahead, { sequence: 7, slot: 13 })
  t.deepEqual(slotsOf(buffer.drain().swaps), [14])
  t.true(buffer.isEmpty)
})

test('releases late swaps at once, and holds back no fewer than the depth', (t) => {
  const buffer = new ReorderBuffer()
  buffer.add(1, [received(10), received(20), received(30)])
  t.deepEqual(buffer.release(5), { swaps: [], readTo: 0, ahead: { sequence: 1, slot: -1 } })
  t.deepEqual(slotsOf(buffer.release(2).swaps), [10])
  buffer.add(2, [received(3)])
  t.deepEqual(slotsOf(buffer.release(2).swaps), [3])
})

test('a slot far ahead does not hold its message for ever', (t) => {
  const buffer = new ReorderBuffer()
  buffer.add(1, [received(2 ** 50)])
  let sequence = 1
  let stored = 0
  while (!buffer.isEmpty) {
    sequence += 1
    stored += 1
    buffer.add(sequence, [received(sequence), received(sequence)])
    buffer.release(4)
  }
  t.true(stored > 10 && stored < 20, `${stored} messages`)
})

test('releases every slot except those in progress', (t) => {
  const buffer = new ReorderBuffer()
  buffer.add(1, [received(10), received(11)])
  t.deepEqual(slotsOf(buffer.releaseTo(10).swaps), [10])
  buffer.add(2, [received(10), received(12)])
  const { swaps, readTo, ahead } = buffer.releaseTo(11)
  t.deepEqual(slotsOf(swaps), [11, 10])
  t.is(readTo, 1)
  t.deepEqual(ahead, { sequence: 2, slot: 11 })
  t.deepEqual(slotsOf(buffer.releaseTo(Number.POSITIVE_INFINITY).swaps), [12])
  t.true(buffer.isEmpty)
})

test('holds back slots from the newest one of the pool lane that lags most', (t) => {
  const buffer = new ReorderBuffer()
  let sequence = 0
  const add = (poolLane: number, slots: number[], atMs: number): void =>
    buffer.add(
      ++sequence,
      slots.map((slot) => received(slot, poolLane)),
      { atMs },
    )
  const settled = (nowMs: number): number[] => slotsOf(buffer.releaseSettled(nowMs).swaps)
  add(0, [7, 9, 8], 0)
  t.deepEqual(settled(0), [7, 8])
  add(1, [4], 0)
  t.deepEqual(settled(0), [4], 'a slot below those that were released is late')
  add(1, [3], 0)
  t.deepEqual(settled(0), [3], 'a late swap does not set the lane back')
  add(1, [], 0)
  add(0, [12], 400)
  t.deepEqual(settled(400), [], 'lane 1 may publish more of slots from 4 on')
  t.deepEqual(settled(600), [9], 'a quiet lane is not waited for')
  t.deepEqual(settled(2_000), [12])
  t.true(buffer.isEmpty)
})

test('does not hold back swaps that a rebuild covers, and goes by their slots', (t) => {
  const buffer = new ReorderBuffer()
  buffer.add(1, [received(5, 1)], { atMs: 0, isCovered: true })
  t.true(buffer.isEmpty)
  buffer.add(2, [received(4), received(6)], { atMs: 0 })
  t.deepEqual(slotsOf(buffer.releaseSettled(0).swaps), [4])
})

/**
 * Messages by slots, how many of them a batch has, how many or which are held back, and whether it dies after its
 * commit.
 */
const runs = fc.record({
  messages: fc.array(fc.array(fc.nat(30), { maxLength: 5 }), { maxLength: 40 }),
  batches: fc.array(
    fc.record({
      count: fc.integer({ min: 1, max: 6 }),
      depth: fc.nat(12),
      upTo: fc.option(fc.nat(30), { nil: undefined }),
      fate: fc.constantFrom('lives', 'dies before its commit', 'dies behind its commit'),
    }),
    { minLength: 1, maxLength: 60 },
  ),
})

test('applies each swap once when a lane dies and resumes from its stored mark', (t) => {
  fc.assert(
    fc.property(runs, ({ messages, batches }) => {
      const taken: DecodedSwap[] = []
      let ahead: Ahead | undefined
      let readTo = 0
      let at = 0
      let buffer = new ReorderBuffer()
      const stored = messages.map((slots) => slots.map((slot) => received(slot)))
      for (const { count, depth, upTo, fate } of batches) {
        if (at === stored.length) break
        for (const end = Math.min(at + count, stored.length); at < end; at++) {
          buffer.add(at + 1, stored[at]!)
        }
        const released =
          upTo !== undefined
            ? buffer.releaseTo(upTo)
            : depth === 0
              ? buffer.drain()
              : buffer.release(depth)
        if (fate !== 'dies before its commit') {
          taken.push(...released.swaps)
          readTo = released.readTo
          ahead = released.ahead ?? ahead
        }
        if (fate === 'lives') continue
        buffer = new ReorderBuffer(ahead)
        at = readTo
      }
      for (; at < stored.length; at++) buffer.add(at + 1, stored[at]!)
      taken.push(...buffer.drain().swaps)
      t.is(new Set(taken).size, taken.length)
      t.is(taken.length, stored.flat().length)
    }),
    { numRuns: 2_000 },
  )
})
