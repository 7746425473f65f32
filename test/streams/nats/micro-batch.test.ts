// How long a reader waits for more, with arrivals that are made up.
import test from 'ava'
import { fillBatch } from '../../../streams/nats/micro-batch.ts'

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
