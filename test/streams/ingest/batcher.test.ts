/** Batches: their contents, their order, the bound of unacknowledged ones, and the effect of a failure. */
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import fc from 'fast-check'
import { compareEvents, type Event, sumOfEvents } from '../../../domain/events/event.ts'
import type { DexId } from '../../../domain/venue.ts'
import {
  BATCH_BYTES_MAX,
  BATCH_EVENTS_MAX,
  type Batch,
  type BatcherDeps,
  type BlockEvents,
  type PublishOutcome,
  publishEvents,
} from '../../../streams/ingest/batcher.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { laneOfSubject, swapSubjects } from '../../../streams/nats/subject.ts'
import {
  anyEvent,
  anyRetraction,
  MINT,
  poolOf,
  swapEvent,
} from '../../support/events/sample-event.ts'

const LANES = 4
/** Longer than the test may last. */
const LONG_LINGER_MS = 600_000

/** A publish that records its batches and acknowledges at once. */
function recorder(outcome: PublishOutcome = 'stored') {
  const batches: Batch[] = []
  const deps: BatcherDeps = {
    publish: async (batch) => {
      batches.push(batch)
      return outcome
    },
    laneCount: LANES,
    prefix: '',
    lingerMs: Infinity,
  }
  return { batches, deps }
}

/** A publish that acknowledges on command, and a way to wait for a number of calls. */
function latch() {
  const waiting: {
    batch: Batch
    resolve: (outcome: PublishOutcome) => void
    reject: (cause: Error) => void
  }[] = []
  const calls: Batch[] = []
  let notify = () => {}
  const publish = (batch: Batch) =>
    new Promise<PublishOutcome>((resolve, reject) => {
      calls.push(batch)
      waiting.push({ batch, resolve, reject })
      notify()
    })
  async function untilCalls(count: number): Promise<void> {
    while (calls.length < count) {
      await new Promise<void>((resolve) => {
        notify = resolve
      })
    }
  }
  return { publish, waiting, calls, untilCalls }
}

async function* stream<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values
}

/** `count` swaps of one pool, slots ascending from `from`. */
const swapsOf = (count: number, from = 0, dex: DexId = 1): Event[] =>
  Array.from({ length: count }, (_, at) => swapEvent({ slot: from + at, dex }))

const slotsOf = (batch: Batch | undefined) =>
  batch?.events.map((event) => (event.kind === 'swap' ? event.swap.slot : -1)) ?? []

test('publishes a batch at 200 events, and the remainder at the end', async (t) => {
  const { batches, deps } = recorder()
  const report = await publishEvents(stream(swapsOf(450)), deps)
  t.deepEqual(
    batches.map(({ events }) => events.length),
    [BATCH_EVENTS_MAX, BATCH_EVENTS_MAX, 50],
  )
  t.deepEqual(report, {
    stored: { swaps: 450, poolEvents: 0, tokens: 0, retractions: 0 },
    duplicates: { swaps: 0, poolEvents: 0, tokens: 0, retractions: 0 },
    batches: 3,
  })
})

test('counts events that the stream already holds as duplicates, by kind', async (t) => {
  const { deps } = recorder('duplicate')
  const token: Event = { kind: 'token', token: { tokenAddress: MINT, slot: 0 } }
  const report = await publishEvents(stream([...swapsOf(2), token]), deps)
  t.deepEqual(report.stored, { swaps: 0, poolEvents: 0, tokens: 0, retractions: 0 })
  t.deepEqual(report.duplicates, { swaps: 2, poolEvents: 0, tokens: 1, retractions: 0 })
})

test('no input, no batch', async (t) => {
  const { batches, deps } = recorder()
  t.is((await publishEvents(stream<Event>([]), deps)).batches, 0)
  t.is(batches.length, 0)
})

test('200 token lines with the longest texts go out in batches of at most 512 KiB', async (t) => {
  const { batches, deps } = recorder()
  // 600 code points of 4 bytes each: 2,400 bytes a line, 480,000 in 200 lines.
  const longest = '😀'.repeat(200)
  const token = { tokenAddress: MINT, slot: 0, symbol: longest, name: longest, sector: longest }
  const events = Array.from({ length: 400 }, (): Event => ({ kind: 'token', token }))
  await publishEvents(stream(events), deps)
  t.is(
    batches.reduce((sum, batch) => sum + batch.events.length, 0),
    400,
  )
  for (const batch of batches) {
    const bytes = batch.events.reduce((sum, event) => sum + Buffer.byteLength(printEvent(event)), 0)
    t.true(bytes <= BATCH_BYTES_MAX, `${bytes} bytes`)
  }
})

test('publishes the batch of a rare venue after 10,000 later events, not at the end', async (t) => {
  const { batches, deps } = recorder()
  const events = [...swapsOf(1, 7, 9), ...swapsOf(10_000, 0, 1), ...swapsOf(1000, 0, 1)]
  await publishEvents(stream([events]), deps)
  const index = batches.findIndex(({ subject }) => subject.startsWith('swap.venue_9.'))
  // 49 batches of 200 came before the event that made it old enough.
  t.is(index, 49)
  t.deepEqual(slotsOf(batches[index]), [7])
})

const shuffledEvents = fc.array(
  fc.oneof(
    anyEvent,
    anyRetraction,
    fc
      .record({
        slot: fc.nat(20),
        ixIndex: fc.nat(3),
        pool: fc.nat(6),
        dex: fc.constantFrom<DexId>(1, 2),
      })
      .map(({ slot, ixIndex, pool, dex }) =>
        swapEvent({ slot, ixIndex, dex, pairAddress: poolOf(pool) }),
      ),
  ),
  { maxLength: 600 },
)

test('any events come out once on each of their subjects, in canonical order within a batch', async (t) => {
  await fc.assert(
    fc.asyncProperty(shuffledEvents, async (events) => {
      const { batches, deps } = recorder()
      const { stored } = await publishEvents(stream<Event>(events), deps)
      t.is(sumOfEvents(stored), events.length)
      for (const { subject, events: batch } of batches) {
        t.true(batch.length >= 1 && batch.length <= BATCH_EVENTS_MAX)
        t.true(batch.every((event) => swapSubjects('', event, LANES).includes(subject)))
      }
      const bySubject = (subject: string) => (event: Event) =>
        swapSubjects('', event, LANES).includes(subject)
      for (const subject of new Set(batches.map((batch) => batch.subject))) {
        // The k-th batch of a subject holds the k-th 200 of its events: order is preserved across batches.
        const arrived = events.filter(bySubject(subject))
        const published = batches.filter((batch) => batch.subject === subject)
        t.deepEqual(
          published.map((batch) => batch.events),
          published.map((_, at) =>
            arrived
              .slice(at * BATCH_EVENTS_MAX, (at + 1) * BATCH_EVENTS_MAX)
              .toSorted(compareEvents),
          ),
        )
      }
      t.is(
        batches.reduce((sum, batch) => sum + batch.events.length, 0),
        events.flatMap((event) => swapSubjects('', event, LANES)).length,
      )
    }),
    { numRuns: 60 },
  )
})

test('the same events make the same batches however they come: one by one, in runs, with waits', async (t) => {
  const events = Array.from({ length: 3000 }, (_, at) =>
    swapEvent({ slot: at, pairAddress: poolOf(at % 13), dex: ((at % 10) + 1) as DexId }),
  )
  const oneByOne = recorder()
  await publishEvents(stream(events), oneByOne.deps)
  const inRuns = recorder()
  async function* runs(): AsyncGenerator<Event[]> {
    for (let start = 0; start < events.length; start += 77) {
      await new Promise((resolve) => setImmediate(resolve))
      yield events.slice(start, start + 77)
    }
  }
  await publishEvents(runs(), { ...inRuns.deps, maxInFlight: 2 })
  t.deepEqual(inRuns.batches, oneByOne.batches)
})

test('at most maxInFlight batches are unanswered, and reading waits while they are', async (t) => {
  const { publish, waiting, calls, untilCalls } = latch()
  let read = 0
  async function* source(): AsyncGenerator<Event> {
    for (const event of swapsOf(2000)) {
      read++
      yield event
    }
  }
  const done = publishEvents(source(), { publish, laneCount: LANES, prefix: '', maxInFlight: 3 })
  for (let answered = 0; answered < 10; answered++) {
    await untilCalls(Math.min(10, answered + 3))
    // All pending promises have settled by now.
    await new Promise((resolve) => setImmediate(resolve))
    t.is(calls.length, Math.min(10, answered + 3))
    t.is(read, calls.length * BATCH_EVENTS_MAX)
    waiting.shift()?.resolve('stored')
  }
  t.is((await done).stored.swaps, 2000)
  t.deepEqual(
    calls.flatMap(slotsOf),
    Array.from({ length: 2000 }, (_, at) => at),
  )
})

test('the bound holds where the end closes many batches at once', async (t) => {
  let inFlight = 0
  let most = 0
  const publish = async (): Promise<PublishOutcome> => {
    most = Math.max(most, ++inFlight)
    await new Promise((resolve) => setImmediate(resolve))
    inFlight--
    return 'stored'
  }
  const events = Array.from({ length: 40 }, (_, at) =>
    swapEvent({ pairAddress: poolOf(at), dex: ((at % 10) + 1) as DexId }),
  )
  const report = await publishEvents(stream(events), {
    publish,
    laneCount: LANES,
    prefix: '',
    maxInFlight: 2,
  })
  t.true(report.batches > 10)
  t.is(most, 2)
})

test('publishes a partial batch when a live input pauses', async (t) => {
  const { publish, waiting, calls, untilCalls } = latch()
  const end = Promise.withResolvers<void>()
  async function* live(): AsyncGenerator<Event> {
    yield* swapsOf(3)
    await end.promise
  }
  const done = publishEvents(live(), { publish, laneCount: LANES, prefix: '' })
  await untilCalls(1)
  t.deepEqual(slotsOf(calls[0]), [0, 1, 2])
  waiting.shift()?.resolve('stored')
  end.resolve()
  t.is((await done).batches, 1)
})

for (const moreLingerMs of [0, 3_600_000]) {
  const does = moreLingerMs > 0 ? 'waits for what comes meanwhile' : 'goes at once'
  const when = moreLingerMs > 0 ? 'while lanes gather longer' : 'while lanes are at ease'
  test(`${when}, an event of a live input ${does}`, async (t) => {
    const { batches, deps } = recorder()
    const first = Promise.withResolvers<void>()
    const publish: BatcherDeps['publish'] = async (batch) => {
      first.resolve()
      return deps.publish(batch)
    }
    async function* live(): AsyncGenerator<Event> {
      yield* swapsOf(1)
      if (moreLingerMs > 0) await new Promise((resolve) => setTimeout(resolve, 50))
      else await first.promise
      yield* swapsOf(1, 1)
    }
    const { laneCount, prefix } = deps
    await publishEvents(live(), { publish, laneCount, prefix, moreLingerMs: () => moreLingerMs })
    t.deepEqual(batches.map(slotsOf), moreLingerMs > 0 ? [[0, 1]] : [[0], [1]])
  })
}

test('a publish that fails for good ends it at once, even while the input waits', async (t) => {
  const { publish, waiting, untilCalls } = latch()
  async function* live(): AsyncGenerator<Event> {
    yield* swapsOf(200)
    await new Promise(() => {})
  }
  const done = publishEvents(live(), { publish, laneCount: LANES, prefix: '' })
  await untilCalls(1)
  const cause = new Error('the connection is gone')
  waiting.shift()?.reject(cause)
  t.is(await t.throwsAsync(done), cause)
})

test('a publish that fails while the bound is reached ends it and starts no other', async (t) => {
  const { publish, waiting, calls, untilCalls } = latch()
  const done = publishEvents(stream(swapsOf(2000)), {
    publish,
    laneCount: LANES,
    prefix: '',
    maxInFlight: 2,
  })
  await untilCalls(2)
  waiting[0]?.reject(new Error('the connection is gone'))
  await t.throwsAsync(done, { message: 'the connection is gone' })
  t.is(calls.length, 2)
})

test('a publish that throws instead of rejecting ends it too', async (t) => {
  const publish = (): Promise<PublishOutcome> => {
    throw new Error('not connected')
  }
  const done = publishEvents(stream(swapsOf(10)), { publish, laneCount: LANES, prefix: '' })
  await t.throwsAsync(done, { message: 'not connected' })
})

test('rejects for a broken input, after publishing the events before it', async (t) => {
  const { batches, deps } = recorder()
  async function* broken(): AsyncGenerator<Event> {
    yield* swapsOf(250)
    throw new Error('read failed')
  }
  await t.throwsAsync(publishEvents(broken(), deps), { message: 'read failed' })
  t.deepEqual(
    batches.flatMap(slotsOf),
    Array.from({ length: 250 }, (_, at) => at),
  )
})

test('a bound below 1 is refused', async (t) => {
  const { deps } = recorder()
  await t.throwsAsync(publishEvents(stream<Event>([]), { ...deps, maxInFlight: 0 }), {
    instanceOf: RangeError,
  })
})

/** A live input of blocks: each comes when so many batches were published in all. */
async function* blocksOf(
  blocks: readonly Event[][],
  batches: readonly Batch[],
  published: (block: number) => number,
): AsyncGenerator<BlockEvents> {
  for (const [at, events] of blocks.entries()) {
    yield { endsSlot: at, events }
    while (batches.length < published(at)) await turn()
  }
}

test('publishes a block at its end, each batch with the number that its lane gets', async (t) => {
  const { batches, deps } = recorder()
  const dexes = [1, 2, 9] as const
  const blocks = [0, 1].map((slot) =>
    dexes.flatMap((dex) =>
      [0, 1, 2, 3, 4, 5].map((pool) => swapEvent({ slot, dex, pairAddress: poolOf(pool) })),
    ),
  )
  const subjects = new Set(blocks[0]!.flatMap((event) => swapSubjects('', event, LANES)))
  const input = blocksOf(blocks, batches, (at) => (at + 1) * subjects.size)
  await publishEvents(input, { ...deps, lingerMs: LONG_LINGER_MS })
  t.is(batches.length, 2 * subjects.size)
  t.true(new Set([...subjects].map(laneOfSubject)).size > 1)
  for (const [at, { subject, events, block }] of batches.entries()) {
    const slot = at < subjects.size ? 0 : 1
    const ofLane = [...subjects].filter((each) => laneOfSubject(each) === laneOfSubject(subject))
    t.deepEqual(block, { slot, messages: ofLane.length })
    t.true(events.every((event) => event.kind === 'swap' && event.swap.slot === slot))
  }
})

test('a block with more events than a batch counts what is left at its end', async (t) => {
  const { batches, deps } = recorder()
  const input = blocksOf([swapsOf(BATCH_EVENTS_MAX + 1)], batches, () => 2)
  await publishEvents(input, { ...deps, lingerMs: LONG_LINGER_MS })
  t.deepEqual(
    batches.map(({ events, block }) => [events.length, block?.messages]),
    [
      [BATCH_EVENTS_MAX, undefined],
      [1, 1],
    ],
  )
})

test('blocks that are ready, and those of files, fill batches without a mark', async (t) => {
  for (const lingerMs of [LONG_LINGER_MS, Infinity]) {
    const { batches, deps } = recorder()
    await publishEvents(
      blocksOf([swapsOf(1, 0), swapsOf(1, 1)], batches, () => 0),
      { ...deps, lingerMs },
    )
    t.deepEqual(batches.map(slotsOf), [[0, 1]])
    t.is(batches[0]?.block, undefined)
  }
})
