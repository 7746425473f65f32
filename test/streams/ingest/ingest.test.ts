/** Ingest end to end up to the publisher: reports, refusals with their lines, flat memory. */
import { Buffer } from 'node:buffer'
import { createReadStream, existsSync } from 'node:fs'
import test from 'ava'
import type { Batch } from '../../../streams/ingest/batcher.ts'
import { type IngestDeps, type IngestProgress, ingest } from '../../../streams/ingest/ingest.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import type { Refusal } from '../../../streams/ingest/refusal.ts'
import { MINT, NOW_MS, poolOf, swapEvent } from '../../support/events/sample-event.ts'

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

/** Everything that an ingest tells, kept. */
function recorder() {
  const batches: Batch[] = []
  const refusals: [line: number, refusal: Refusal][] = []
  const progress: IngestProgress[] = []
  const deps: IngestDeps = {
    publish: async (batch) => {
      batches.push(batch)
      return 'stored'
    },
    laneCount: 4,
    prefix: 'test.',
    lingerMs: Infinity,
    now: () => NOW_MS,
    onRefusal: (line, refusal) => refusals.push([line, refusal]),
    onProgress: (at) => progress.push(at),
  }
  return { batches, refusals, progress, deps }
}

const GOOD = printEvent(swapEvent())
const TOKEN = `{"kind":"token","token_address":"${MINT}"}`

test('good lines go in and bad ones are refused with line, field, value and reason', async (t) => {
  const { batches, refusals, progress, deps } = recorder()
  // Cut in the middle of a line; line 2 is blank, line 4 breaks two rules, the last has no line feed.
  const text = `${GOOD}\n\nnot JSON\n{"kind":"token","token_address":"x","decimals":19}\n${TOKEN}\n${GOOD}`
  const report = await ingest(chunks(text.slice(0, 1000), text.slice(1000)), deps)
  t.deepEqual(report, {
    stored: { swaps: 2, poolEvents: 0, tokens: 1 },
    duplicates: { swaps: 0, poolEvents: 0, tokens: 0 },
    batches: 2,
    lines: 5,
    bytes: text.length,
    refusedLines: 2,
    refusals: 3,
    warnings: 0,
  })
  t.deepEqual(refusals, [
    [3, { field: 'line', value: '"not JSON"', reason: 'expected a JSON object' }],
    [
      4,
      { field: 'token_address', value: '"x"', reason: 'expected an address: base58 of 32 bytes' },
    ],
    [4, { field: 'decimals', value: '19', reason: 'expected an integer of 0 to 18' }],
  ])
  t.true(batches.every(({ subject }) => subject.startsWith('test.swap.')))
  t.deepEqual(progress.at(-1), { lines: 5, bytes: text.length, published: 3, refused: 2 })
})

test('a line that cannot be read as text is refused by its number', async (t) => {
  const { refusals, deps } = recorder()
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${GOOD}\n`)
    yield Buffer.from([0x7b, 0xff, 0x0a])
    yield Buffer.alloc(2 ** 20 + 1, 'x')
  }
  const report = await ingest(input(), deps)
  t.is(report.stored.swaps, 1)
  t.deepEqual(refusals, [
    [2, { field: 'line', value: '"{\ufffd"', reason: 'expected UTF-8' }],
    [
      3,
      { field: 'line', value: `"${'x'.repeat(80)}"`, reason: 'expected a line of at most 1 MiB' },
    ],
  ])
})

test('the clock that judges a timestamp is the one given', async (t) => {
  const line = printEvent(swapEvent({ timestamp: NOW_MS + 600_001 }))
  const early = recorder()
  t.is((await ingest(chunks(line), early.deps)).refusedLines, 1)
  const later = recorder()
  t.is((await ingest(chunks(line), { ...later.deps, now: () => NOW_MS + 1 })).refusedLines, 0)
})

test('a long input goes by in flat memory, a full stream stops it, and nothing is lost', async (t) => {
  const { refusals, deps } = recorder()
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
  const report = await ingest(long(), {
    ...deps,
    maxInFlight: 8,
    publish: async (batch) => {
      await new Promise((resolve) => setImmediate(resolve))
      answered += batch.events.length
      return 'stored'
    },
  })
  t.is(report.stored.swaps, blocks * blockLines)
  t.is(refusals.length, 0)
  // 8 batches in flight, one open in each of 4 subjects, one more block than was asked for.
  t.true(mostAhead <= 8 * 200 + 4 * 200 + 2 * blockLines, `${mostAhead} events were held`)
})

const REAL_FILE = new URL('../../../../shared/data/venue_1_2025-09.ndjson', import.meta.url)
const isHere = existsSync(REAL_FILE)
const REAL = 'a real file makes the same batches each time it is read'
const run = isHere ? test : test.skip
run(isHere ? REAL : `${REAL} (skipped: ../shared/data is absent)`, async (t) => {
  const first = recorder()
  const report = await ingest(createReadStream(REAL_FILE), first.deps)
  t.deepEqual(report.stored, { swaps: 1498, poolEvents: 0, tokens: 3 })
  t.is(report.refusals, 0)
  const again = recorder()
  await ingest(createReadStream(REAL_FILE, { highWaterMark: 999 }), {
    ...again.deps,
    maxInFlight: 1,
  })
  t.deepEqual(again.batches, first.batches)
})
