/** Events let out at their time. */
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { dueByRate, dueByTimestamp, paced, unpaced } from '../../../streams/sources/pace.ts'

const FROM_MS = Date.UTC(2026, 5, 1)
const EVENTS = [...simulate({ seed: 7, swaps: 300, fromMs: FROM_MS })]

async function collected(runs: AsyncIterable<Event[]>): Promise<Event[]> {
  const all: Event[] = []
  for await (const run of runs) all.push(...run)
  return all
}

test('pacing changes neither the events nor their order', async (t) => {
  const { signal } = new AbortController()
  t.deepEqual(await collected(paced(EVENTS, dueByRate(10_000), signal)), EVENTS)
  t.deepEqual(await collected(unpaced(EVENTS, signal)), EVENTS)
})

test('the rate is exact: 300 swaps at 1,000 a second take 300 ms', async (t) => {
  const startedAt = performance.now()
  await collected(paced(EVENTS, dueByRate(1000), new AbortController().signal))
  // The last of 300 is due after 299 ms; timers may be a millisecond early.
  t.true(performance.now() - startedAt >= 297)
})

test('an event goes by its own clock where it has one', (t) => {
  const due = dueByTimestamp(FROM_MS)
  for (const event of EVENTS) {
    const ms = due(event)
    if (event.kind === 'swap') t.is(ms, event.swap.timestamp - FROM_MS)
  }
})

test('it ends with its signal, whatever is still to come', async (t) => {
  const end = new AbortController()
  const runs = paced(EVENTS, dueByRate(1), end.signal)
  const first = await runs.next()
  t.false(first.done)
  const next = runs.next()
  end.abort()
  t.true((await next).done)
})
