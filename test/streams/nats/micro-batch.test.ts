// How long a reader waits for more, with arrivals that are made up, and when it has all messages of a block.
import test from 'ava'
import { BlockMarks, fillBatch, writeBlockMark } from '../../../streams/nats/micro-batch.ts'

const LATER_MS = 3_600_000

/** The buffered bytes at each call for the deadline; `arrivals` arrive one a wait. */
async function requestedWith(arrivals: readonly number[], enough: number): Promise<number[]> {
  const coming = arrivals.values()
  const requested: number[] = []
  let bytes = 1
  const isWaiting = () => bytes < enough
  const wait = async () => {
    bytes += coming.next().value ?? 0
  }
  await fillBatch({ isWaiting, atHand: () => ({ newestMs: 0, bytes }), wait }, (held) => {
    requested.push(held.bytes)
    return performance.now() + LATER_MS
  })
  return requested
}

test('calls for the deadline again while more messages arrived before it', async (t) => {
  t.deepEqual(await requestedWith([2, 3, 0, 4], 100), [1, 3, 6])
})

test('stops waiting once the batch is full', async (t) => {
  t.deepEqual(await requestedWith([2, 3, 4], 6), [1, 3])
})

const mark = (slot: number, messages: number): string => writeBlockMark({ slot, messages })

test('a block is complete with as many messages as its marks state', (t) => {
  const marks = new BlockMarks()
  t.true(marks.note(mark(7, 3), 100))
  t.is(marks.openSinceMs(), 100)
  marks.note(mark(7, 3), 110)
  t.is(marks.openSinceMs(), 100)
  marks.note(mark(7, 3), 120)
  t.is(marks.openSinceMs(), undefined)
  marks.note(mark(8, 1), 130)
  t.is(marks.openSinceMs(), undefined, 'a block of one message')
})

test('blocks whose messages alternate are each complete by themselves', (t) => {
  const marks = new BlockMarks()
  marks.note(mark(7, 2), 100)
  marks.note(mark(8, 2), 105)
  t.is(marks.openSinceMs(), 105, 'a wait begins with the newest block')
  marks.note(mark(8, 2), 110)
  t.is(marks.openSinceMs(), 100)
  marks.note(mark(7, 2), 115)
  t.is(marks.openSinceMs(), undefined)
})

test('a block whose messages do not come is forgotten', (t) => {
  const marks = new BlockMarks()
  marks.note(mark(7, 2), 100)
  marks.note(mark(8, 1), 900)
  t.is(marks.openSinceMs(), 100)
  marks.note(mark(9, 1), 1_100)
  t.is(marks.openSinceMs(), undefined)
})

test('a block whose own messages come late is complete with the last of them', (t) => {
  const marks = new BlockMarks()
  marks.note(mark(7, 3), 100)
  marks.note(mark(7, 3), 1_200)
  t.is(marks.openSinceMs(), 100)
  marks.note(mark(7, 3), 2_300)
  t.is(marks.openSinceMs(), undefined)
})

test('a mark that cannot be read is none', (t) => {
  const marks = new BlockMarks()
  for (const text of [undefined, '', '7', '7 0', '7 -1', 'x 3', '7 3 1', '7 1e9', '7  3']) {
    t.false(marks.note(text, 0), String(text))
  }
  t.is(marks.openSinceMs(), undefined)
})
