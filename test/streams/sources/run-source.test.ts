/** A source end to end up to the publisher: reports, notices, acknowledged cursors, retries, flat memory. */
import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import type { Batch } from '../../../streams/ingest/batcher.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { fileSource } from '../../../streams/sources/file.ts'
import {
  type RunDeps,
  runSource,
  type SourceProgress,
} from '../../../streams/sources/run-source.ts'
import {
  type Source,
  type SourceBatch,
  SourceError,
  type SourceNotice,
} from '../../../streams/sources/source.ts'
import { standardInputSource } from '../../../streams/sources/standard-input.ts'
import { MINT, NOW_MS, poolOf, swapEvent } from '../../support/events/sample-event.ts'

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

/** Lines in the batches of a file: none is published before it is full. */
const linesOf = (bytes: AsyncIterable<Uint8Array>, now = () => NOW_MS): Source => ({
  ...standardInputSource({ stdin: Readable.from(bytes), now }),
  isLive: false,
})

/** Everything that a run reports. */
function recorder() {
  const batches: Batch[] = []
  const notices: SourceNotice[] = []
  const progress: SourceProgress[] = []
  const deps: RunDeps = {
    publish: async (batch) => {
      batches.push(batch)
      return 'stored'
    },
    laneCount: 4,
    prefix: 'test.',
    signal: new AbortController().signal,
    onNotice: (notice) => notices.push(notice),
    onProgress: (far) => progress.push({ ...far }),
  }
  return { batches, notices, progress, deps }
}

const GOOD = printEvent(swapEvent())
const TOKEN = `{"kind":"token","token_address":"${MINT}"}`

test('publishes good lines and reports bad ones with line, field, value and reason', async (t) => {
  const { batches, notices, progress, deps } = recorder()
  // Cut in the middle of a line; line 2 is blank, line 4 breaks two rules, the last has no line feed.
  const text = `${GOOD}\n\nnot JSON\n{"kind":"token","token_address":"x","decimals":19}\n${TOKEN}\n${GOOD}`
  const source = linesOf(chunks(text.slice(0, 1000), text.slice(1000)))
  const far: SourceProgress = {
    units: 5,
    events: 3,
    refused: 2,
    leftOut: 0,
    share: undefined,
    newest: { slot: 400, timestampMs: NOW_MS },
    acknowledged: `${text.length}:6`,
  }
  t.deepEqual(await runSource(source, deps), {
    stored: { swaps: 2, poolEvents: 0, tokens: 1, retractions: 0 },
    duplicates: { swaps: 0, poolEvents: 0, tokens: 0, retractions: 0 },
    batches: 2,
    hasEnded: true,
    ...far,
  })
  t.deepEqual(notices, [
    {
      kind: 'refused',
      at: '-:3',
      reasons: [{ field: 'line', value: '"not JSON"', reason: 'expected a JSON object' }],
    },
    {
      kind: 'refused',
      at: '-:4',
      reasons: [
        { field: 'token_address', value: '"x"', reason: 'expected an address: base58 of 32 bytes' },
        { field: 'decimals', value: '19', reason: 'expected an integer of 0 to 18' },
      ],
    },
  ])
  t.true(batches.every(({ subject }) => subject.startsWith('test.swap.')))
  t.deepEqual(progress.at(-1), far)
})

test('refuses a line that is no text by its number', async (t) => {
  const { notices, deps } = recorder()
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${GOOD}\n`)
    yield Buffer.from([0x7b, 0xff, 0x0a])
    yield Buffer.alloc(2 ** 20 + 1, 'x')
  }
  const report = await runSource(linesOf(input()), deps)
  t.is(report.stored.swaps, 1)
  t.deepEqual(
    notices.map(({ at, reasons }) => [at, ...reasons]),
    [
      ['-:2', { field: 'line', value: '"{\ufffd"', reason: 'expected UTF-8' }],
      [
        '-:3',
        { field: 'line', value: `"${'x'.repeat(80)}"`, reason: 'expected a line of at most 1 MiB' },
      ],
    ],
  )
})

test('judges timestamps by the clock that the source was given', async (t) => {
  const line = printEvent(swapEvent({ timestamp: NOW_MS + 600_001 }))
  const { deps } = recorder()
  t.is((await runSource(linesOf(chunks(line)), deps)).refused, 1)
  const later = linesOf(chunks(line), () => NOW_MS + 1)
  t.is((await runSource(later, recorder().deps)).refused, 0)
})

test('acknowledges a cursor when every event up to it is stored, whatever the order of answers', async (t) => {
  const { deps } = recorder()
  const answers: (() => void)[] = []
  const acknowledged: string[] = []
  // A line a chunk, each of another venue: a message each, all in flight at once.
  const lines = [1, 2, 3].map((dex) => `${printEvent(swapEvent({ dex: dex as 1 | 2 | 3 }))}\n`)
  const running = runSource(linesOf(chunks(...lines)), {
    ...deps,
    publish: () => new Promise((resolve) => answers.push(() => resolve('stored'))),
    onAcknowledged: (cursor) => acknowledged.push(cursor),
  })
  while (answers.length < 3) await tick()
  answers[1]?.()
  answers[2]?.()
  await tick()
  t.deepEqual(acknowledged, [])
  answers[0]?.()
  const bytes = lines.join('').length
  t.is((await running).acknowledged, `${bytes}:3`)
  t.deepEqual(acknowledged, [`${bytes}:3`])
})

test('opens a source after its last cursor when it fails for a while, and ends at a final error', async (t) => {
  const opened: (string | undefined)[] = []
  const batch = (at: number): SourceBatch => ({
    events: [swapEvent({ ixIndex: at })],
    cursor: String(at),
    units: 1,
    newest: undefined,
    notices: [],
  })
  const failing: Source = {
    isLive: true,
    async *open(after) {
      opened.push(after)
      const at = Number(after ?? 0)
      yield batch(at + 1)
      throw new SourceError('the peer is gone', { isRetryable: at < 2 })
    },
  }
  const { batches, deps } = recorder()
  const retries: string[] = []
  await t.throwsAsync(
    runSource(failing, { ...deps, onRetry: ({ message }) => retries.push(message) }),
    { instanceOf: SourceError, message: 'the peer is gone' },
  )
  t.deepEqual(opened, [undefined, '1', '2'])
  t.is(retries.length, 2)
  // Events before the final error are published.
  t.is(batches.flatMap(({ events }) => events).length, 3)
})

test('reads a long input in flat memory, waits while the stream is full, and loses nothing', async (t) => {
  const { notices, deps } = recorder()
  const blockLines = 1000
  const blocks = 80
  const block = Buffer.from(
    Array.from(
      { length: blockLines },
      (_, at) => `${printEvent(swapEvent({ pairAddress: poolOf(at) }))}\n`,
    ).join(''),
  )
  let sent = 0
  let answered = 0
  let mostAhead = 0
  async function* long(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < blocks; count++) {
      sent += blockLines
      mostAhead = Math.max(mostAhead, sent - answered)
      yield block
    }
  }
  const report = await runSource(linesOf(long()), {
    ...deps,
    maxInFlight: 8,
    publish: async (batch) => {
      await new Promise((resolve) => setImmediate(resolve))
      answered += batch.events.length
      return 'stored'
    },
  })
  t.is(report.stored.swaps, blocks * blockLines)
  t.is(notices.length, 0)
  // 8 batches in flight, one open in each of 4 subjects, one more block than was requested.
  t.true(mostAhead <= 8 * 200 + 4 * 200 + 2 * blockLines, `${mostAhead} events were held`)
})

const REAL_FILE = new URL('../../data/venue_1_2025-09.ndjson', import.meta.url)
test('makes the same batches of a real file each time it is read', async (t) => {
  const first = recorder()
  const source = fileSource({ path: fileURLToPath(REAL_FILE), now: () => NOW_MS })
  const report = await runSource(source, first.deps)
  t.deepEqual(report.stored, { swaps: 1498, poolEvents: 0, tokens: 3, retractions: 0 })
  t.is(report.refused, 0)
  const again = recorder()
  await runSource(source, { ...again.deps, maxInFlight: 1 })
  t.deepEqual(again.batches, first.batches)
})
