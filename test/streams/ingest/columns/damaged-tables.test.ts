/**
 * Tables that are cut off, damaged or no tables: each is reported as such, costs only itself, and ends within its limits.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Event } from '../../../../domain/events/event.ts'
import { BY_NAME, readMapping } from '../../../../streams/ingest/columns/mapping.ts'
import { SourceError } from '../../../../streams/sources/source.ts'
import { SOURCES } from '../../../../streams/sources/table.ts'
import { csvSource, errorOf, parquetSource, readTable } from '../../../support/events/read-table.ts'
import { RETRACT, retractions, SLOTS, slotsOf } from '../../../support/events/retraction-tables.ts'
import { anyEvent, NOW_MS } from '../../../support/events/sample-event.ts'
import { parquetOfEvents } from '../../../support/events/tables.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'

const NEVER = new AbortController().signal

test('a file that is cut, no Parquet, or a folder is reported as such', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'table.parquet')
  const bytes = retractions('SNAPPY')
  const report = async (content: Uint8Array) => {
    await writeFile(path, content)
    return await errorOf(t, parquetSource(path, RETRACT))
  }
  t.regex(
    await report(bytes.subarray(0, -100)),
    /^expected the file to end with "PAR1": it is truncated/,
  )
  t.regex(
    await report(Buffer.from('slot\n1\n2\n3\n4\n5\n')),
    /^not a Parquet file: expected it to begin with "PAR1"$/,
  )
  t.regex(await report(Buffer.alloc(0)), /^not a Parquet file/)
  t.regex(await report(Buffer.from('PAR1PAR1')), /^not a Parquet file/)
  t.regex(await errorOf(t, parquetSource(folder, RETRACT)), /^a directory, expected a file/)
  t.regex(await errorOf(t, parquetSource(join(folder, 'absent'), RETRACT)), /ENOENT/)
  t.regex(await errorOf(t, csvSource(folder)), /^a directory, expected a file/)
})

test('a row group that is damaged ends the file after the row groups before it', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const bytes = retractions('GZIP', gzipSync)
  // Past the middle of the pages, and well before the footer.
  bytes.fill(0xee, Math.floor(bytes.length * 0.5), Math.floor(bytes.length * 0.55))
  await writeFile(path, bytes)
  const events: Event[] = []
  const error = await t.throwsAsync(
    async () => {
      for await (const batch of parquetSource(path, RETRACT).open(undefined, NEVER)) {
        events.push(...batch.events)
      }
    },
    {
      instanceOf: SourceError,
      message: /^cannot read row group [2345]: .*: is the file damaged\?$/,
    },
  )
  t.truthy(error)
  t.true(events.length >= 1_000 && events.length % 1_000 === 0)
  t.deepEqual(slotsOf(events), SLOTS.slice(0, events.length))
})

for (const codec of ['LZ4_RAW', 'LZ4', 'LZO'] as const) {
  test(`a file with pages of ${codec} is refused by the name of its codec before its first row`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.parquet')
    await writeFile(
      path,
      retractions(codec, (page) => page),
    )
    t.is(
      await errorOf(t, parquetSource(path, RETRACT)),
      `the pages of column "slot" are compressed with ${codec}, which is not read: ` +
        'expected one of UNCOMPRESSED SNAPPY GZIP BROTLI ZSTD: write the file with one of these',
    )
  })
}

test('a column of another codec that is not used does no harm', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  await writeFile(
    path,
    retractions('LZ4_RAW', (page) => page),
  )
  const mapping = readMapping('{"kind":"retract","fields":{"slot":{"value":7}}}')
  const { events } = await readTable(parquetSource(path, mapping))
  t.deepEqual(slotsOf(events), Array(SLOTS.length).fill(7n))
})

test('an encrypted file is refused as such', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  await writeFile(path, Buffer.from('PARE................PARE'))
  t.is(
    await errorOf(t, parquetSource(path, RETRACT)),
    'the file is encrypted: write it without encryption',
  )
})

test('a Parquet file that is cut at any byte is reported as such', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const bytes = parquetOfEvents(fc.sample(anyEvent, { numRuns: 40, seed: 8 }), 10)
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
      await writeFile(path, bytes.subarray(0, length))
      t.regex(await errorOf(t, parquetSource(path)), /truncated|^not a Parquet file/)
    }),
    { numRuns: 25 },
  )
})

const LIMIT_MS = 1_000

test('a page whose counts never end is stopped by the limit of time', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const slots = { name: 'slot', data: SLOTS, type: 'INT64', nullable: true } as const
  const bytes = Buffer.from(parquetWriteBuffer({ columnData: [slots], codec: 'UNCOMPRESSED' }))
  // The run of 1,000 present cells in the first page: twice the count as a varint, then the value.
  const at = bytes.indexOf(Buffer.from([0xd0, 0x0f, 1]))
  t.true(at > 0)
  await writeFile(path, bytes)
  t.is((await readTable(parquetSource(path, RETRACT))).events.length, SLOTS.length)
  bytes.set([0xfe, 0xff, 0xff, 0xff, 0x0f], at)
  await writeFile(path, bytes)
  const source = SOURCES.parquet({ path, mapping: RETRACT, now: () => NOW_MS, limitMs: 5_000 })
  t.is(
    await errorOf(t, source),
    'cannot read the rows after row 0: no result within 5 s: is the file damaged?',
  )
})

test('an end of the run stops a file that is being decoded', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  await writeFile(path, retractions('SNAPPY'))
  const ended = new AbortController()
  const events: Event[] = []
  for await (const batch of parquetSource(path, RETRACT).open(undefined, ended.signal)) {
    events.push(...batch.events)
    ended.abort()
  }
  t.deepEqual(slotsOf(events), SLOTS.slice(0, events.length))
  t.true(events.length < SLOTS.length)
})

test('bytes that are damaged anywhere give rows or an error of the file', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const bytes = parquetOfEvents(fc.sample(anyEvent, { numRuns: 40, seed: 8 }), 10)
  const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(damage, async (offsets) => {
      const damaged = Buffer.from(bytes)
      for (const [at, value] of offsets) damaged[at] = value
      await writeFile(path, damaged)
      const source = SOURCES.parquet({
        path,
        mapping: BY_NAME,
        now: () => NOW_MS,
        limitMs: LIMIT_MS,
      })
      const outcome = await readTable(source).catch((error: unknown) => error)
      if (outcome instanceof Error) t.true(outcome instanceof SourceError, String(outcome))
    }),
    { numRuns: 40 },
  )
})
