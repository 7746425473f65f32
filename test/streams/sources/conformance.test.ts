/**
 * Every source of SOURCES and CHAIN_SOURCES obeys the contract of source.ts. A source without a case in cases.ts does not compile; one
 * without a row in docs/sources.md fails the last test.
 */
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { CHAIN_SOURCES } from '../../../chain/sources/table.ts'
import type { Event } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { type RunDeps, runSource } from '../../../streams/sources/run-source.ts'
import {
  SOURCE_BATCH_EVENTS_MAX,
  type Source,
  type SourceBatch,
  SourceError,
} from '../../../streams/sources/source.ts'
import { SOURCES } from '../../../streams/sources/table.ts'

import { CASES, type SourceName } from './cases.ts'

const NAMES = Object.keys({ ...SOURCES, ...CHAIN_SOURCES }) as SourceName[]
const NEVER = new AbortController().signal

const tick = () => new Promise((resolve) => setImmediate(resolve))

async function readAll(source: Source, after?: string): Promise<SourceBatch[]> {
  const batches: SourceBatch[] = []
  for await (const batch of source.open(after, NEVER)) batches.push(batch)
  return batches
}

/** Joined to one text: a difference of lists this long takes longer to find than the events to read. */
const printed = (events: readonly Event[]): string => events.map(printEvent).join('\n')
const eventsOf = (batches: readonly SourceBatch[]): string =>
  printed(batches.flatMap(({ events }) => events))

function depsOf(changes: Partial<RunDeps>): RunDeps {
  return {
    publish: async () => 'stored',
    laneCount: 1,
    prefix: 'test.',
    signal: NEVER,
    onNotice: () => {},
    ...changes,
  }
}

for (const name of NAMES) {
  const source = CASES[name]
  test.serial(`${name} yields all events in order, in bounded batches`, async (t) => {
    const batches = await readAll(await source.whole(t))
    t.true(eventsOf(batches) === printed(source.events))
    t.true(batches.length > 2, `${batches.length} batches`)
    t.true(batches.every(({ events }) => events.length <= SOURCE_BATCH_EVENTS_MAX))
  })

  test.serial(
    `${name} reports progress: units, share where its end is known, and the highest slot`,
    async (t) => {
      const batches = await readAll(await source.whole(t))
      t.is(
        batches.reduce((sum, { units }) => sum + units, 0),
        source.units,
      )
      t.is(batches.at(-1)?.share, source.knowsItsEnd ? 1 : undefined)
      const shares = batches.map(({ share }) => share ?? 0)
      t.deepEqual(
        shares,
        shares.toSorted((a, b) => a - b),
      )
      const last = source.events.findLast((event) => event.kind === 'swap')
      t.is(batches.at(-1)?.newest?.slot, last?.kind === 'swap' ? last.swap.slot : 0)
    },
  )

  test.serial(`${name} resumes after each cursor without a loss or a duplicate`, async (t) => {
    const batches = await readAll(await source.whole(t))
    for (const at of [0, Math.floor(batches.length / 2), batches.length - 1]) {
      const after = batches[at]?.cursor
      const rest = await readAll(await source.whole(t), after)
      t.true(eventsOf(rest) === eventsOf(batches.slice(at + 1)), `after ${after}`)
    }
  })

  test.serial(`${name} refuses a cursor that is not its own`, async (t) => {
    const error = await t.throwsAsync(readAll(await source.whole(t), 'another cursor'), {
      instanceOf: SourceError,
      message: /^cursor "another cursor" of .+: expected /,
    })
    t.false(error?.isRetryable)
  })

  test.serial(
    `${name} ends at once and without an error when it is aborted while it waits`,
    async (t) => {
      const end = new AbortController()
      const iterator = (await source.waiting(t)).open(undefined, end.signal)[Symbol.asyncIterator]()
      t.false((await iterator.next()).done)
      const next = iterator.next()
      end.abort()
      t.true((await next).done)
    },
  )

  test.serial(`${name} yields nothing more once it is aborted between two batches`, async (t) => {
    const end = new AbortController()
    const iterator = (await source.whole(t)).open(undefined, end.signal)[Symbol.asyncIterator]()
    t.false((await iterator.next()).done)
    end.abort()
    t.true((await iterator.next()).done)
  })

  test.serial(`${name} is not read while the publisher has no room`, async (t) => {
    const whole = await source.whole(t)
    let read = 0
    const counted: Source = {
      isLive: whole.isLive,
      async *open(after, signal) {
        for await (const batch of whole.open(after, signal)) {
          read++
          yield batch
        }
      },
    }
    const answers: (() => void)[] = []
    let isOpen = false
    const running = runSource(
      counted,
      depsOf({
        maxInFlight: 1,
        publish: () =>
          new Promise((resolve) => {
            if (isOpen) resolve('stored')
            else answers.push(() => resolve('stored'))
          }),
      }),
    )
    // The first message is in flight without an answer: the loop has no room and must stay where it is.
    while (answers.length === 0) await tick()
    const readWhenFull = read
    for (let ticks = 0; ticks < 2_000; ticks++) await tick()
    const readWhileFull = read
    isOpen = true
    for (const answer of answers) answer()
    const report = await running
    // One batch may have been requested before, and a busy machine answers late.
    t.true(readWhileFull <= readWhenFull + 1, `${readWhileFull} and ${readWhenFull} batches`)
    t.true(read > readWhileFull)
    t.is(report.events, source.events.length)
    const { swaps, poolEvents, tokens } = report.stored
    t.is(swaps + poolEvents + tokens, source.events.length)
  })

  test.serial(`${name} acknowledges its last cursor when all is stored`, async (t) => {
    const batches = await readAll(await source.whole(t))
    const report = await runSource(await source.whole(t), depsOf({}))
    t.true(report.hasEnded)
    t.is(report.acknowledged, batches.at(-1)?.cursor)
  })

  test.serial(
    `${name} reports what it cannot use with its place and yields the rest`,
    async (t) => {
      const { broken } = source
      if (broken === undefined) {
        t.regex(name, /^simulat/, 'only the simulated market has no input')
        return
      }
      const batches = await readAll(await broken.open(t))
      t.true(eventsOf(batches) === printed(source.events))
      const notices = batches.flatMap((batch) => batch.notices)
      t.deepEqual(
        notices.map(({ kind, at }) => [kind, at.replace(/^.*\//, '')]),
        broken.notices,
      )
      t.true(notices.every(({ reasons }) => reasons.length > 0))
    },
  )

  test.serial(`${name} has its row in docs/sources.md`, async (t) => {
    const page = await readFile(new URL('../../../docs/sources.md', import.meta.url), 'utf8')
    t.regex(page, new RegExp(`^\\| \`${name}\` \\|`, 'm'))
  })
}

test('a file that is shorter than the cursor is refused as replaced', async (t) => {
  await t.throwsAsync(readAll(await CASES.file.whole(t), '999999999:5'), {
    instanceOf: SourceError,
    message: /expected at least 999999999 bytes.*the file was replaced or truncated/,
  })
})
