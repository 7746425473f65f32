/**
 * Tables as files: the events of NDJSON lines, of CSV and of Parquet are the same, int64 ends included.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import type { CompressionCodec } from 'hyparquet'
import type { Event } from '../../../../domain/events/event.ts'
import { BY_NAME, readMapping } from '../../../../streams/ingest/columns/mapping.ts'
import { parseEvent } from '../../../../streams/ingest/contract.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { csvSource, parquetSource, readTable } from '../../../support/events/read-table.ts'
import { RETRACT, retractions, SLOTS, slotsOf } from '../../../support/events/retraction-tables.ts'
import {
  anyEvent,
  anyRetraction,
  MINT,
  NOW_MS,
  SIGNATURE,
} from '../../../support/events/sample-event.ts'
import {
  csvOf,
  type ParquetColumn,
  parquetOf,
  parquetOfEvents,
} from '../../../support/events/tables.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'

test('lines, CSV, TSV and Parquet of the same events are the same events', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'table')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 4, arbitrary: anyEvent }, anyRetraction), { minLength: 1 }),
      fc.integer({ min: 1, max: 5 }),
      async (given, rowGroupSize) => {
        // An empty cell is absent: a token's empty text has no other form in a table.
        const events = given.map(withoutEmptyTexts)
        const lines = events.map((event) => parseEvent(printEvent(event), NOW_MS))
        const expected = lines.map((parsed) => ('event' in parsed ? parsed.event : undefined))
        for (const [bytes, source] of [
          [csvOf(events), csvSource(path)],
          [csvOf(events, '\t'), csvSource(path, BY_NAME, '\t')],
          [parquetOfEvents(events, rowGroupSize), parquetSource(path)],
        ] as const) {
          await writeFile(path, bytes)
          const found = await readTable(source)
          t.deepEqual(found.reports, [])
          t.deepEqual(found.events, expected)
        }
      },
    ),
    { numRuns: 15 },
  )
})

function withoutEmptyTexts(event: Event): Event {
  if (event.kind !== 'token') return event
  const stored = Object.entries(event.token).filter(([, value]) => value !== '')
  return { kind: 'token', token: Object.fromEntries(stored) as typeof event.token }
}

const SUPPLY = readMapping(
  '{"kind":"token","fields":{"token_address":"mint","supply":{"column":"supply","decimals":9}}}',
)
const SUPPLIES = ['9223372036.854775807', '0.000000001', '9007199.254740993', '0'] as const
const UNSCALED = [2n ** 63n - 1n, 1n, 9_007_199_254_740_993n, 0n]
const mints = (count: number): ParquetColumn => ({
  name: 'mint',
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  cells: Array(count).fill(MINT),
})
const supplyOf = (event: Event) => (event.kind === 'token' ? event.token.supply : undefined)

const DECIMALS: Record<string, Omit<ParquetColumn, 'name' | 'cells'>> = {
  'an INT64': { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 9 },
  'a FIXED_LEN_BYTE_ARRAY': {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: 9,
  },
  'a BYTE_ARRAY': { type: 'BYTE_ARRAY', converted_type: 'DECIMAL', precision: 38, scale: 9 },
}

for (const [name, element] of Object.entries(DECIMALS)) {
  test(`reads decimals in ${name} to their last digit`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.parquet')
    const column = { name: 'supply', ...element, cells: [...UNSCALED, undefined] }
    await writeFile(path, parquetOf([mints(5), column]))
    const { events, reports } = await readTable(parquetSource(path, SUPPLY))
    t.deepEqual(reports, [])
    t.deepEqual(events.map(supplyOf), [2n ** 63n - 1n, 1, 9_007_199_254_740_993n, 0, undefined])
  })
}

test('reads decimals as texts to their last digit, and refuses a negative one', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const cells = [...SUPPLIES, '-0.5']
  const column = { name: 'supply', type: 'BYTE_ARRAY', converted_type: 'UTF8', cells } as const
  await writeFile(path, parquetOf([mints(5), column]))
  const { events, reports } = await readTable(parquetSource(path, SUPPLY))
  t.deepEqual(events.map(supplyOf), [2n ** 63n - 1n, 1, 9_007_199_254_740_993n, 0, undefined])
  t.deepEqual(reports, [
    'table.parquet:5 supply -500000000: expected an integer of 0 to 2^63-1: the field is left out',
  ])
})

const AT_MS = Date.UTC(2026, 6, 20, 12, 0, 0, 123)
const TIMES: Record<string, ParquetColumn> = {
  milliseconds: {
    name: 'timestamp',
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    cells: [BigInt(AT_MS)],
  },
  microseconds: {
    name: 'timestamp',
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    cells: [BigInt(AT_MS) * 1_000n + 999n],
  },
  nanoseconds: {
    name: 'timestamp',
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
    cells: [BigInt(AT_MS) * 1_000_000n + 999_999n],
  },
  'milliseconds without a type': { name: 'timestamp', type: 'INT64', cells: [BigInt(AT_MS)] },
}
const POOL_EVENT: Record<string, string> = {
  kind: 'pool_event',
  event: 'created',
  signature: SIGNATURE,
  slot: '7',
  pair_address: MINT,
  token_address: MINT,
  dex: 'orca',
}
const textColumns = (fields: Record<string, string>): ParquetColumn[] =>
  Object.entries(fields).map(([name, text]) => ({
    name,
    type: 'BYTE_ARRAY' as const,
    converted_type: 'UTF8' as const,
    cells: [text],
  }))

for (const [name, column] of Object.entries(TIMES)) {
  test(`reads times in ${name}`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.parquet')
    await writeFile(path, parquetOf([...textColumns(POOL_EVENT), column]))
    const { events, reports } = await readTable(parquetSource(path))
    t.deepEqual(reports, [])
    t.like(events, { 0: { kind: 'pool_event', poolEvent: { timestamp: AT_MS, dex: 6, slot: 7 } } })
  })
}

const CODECS: [CompressionCodec, ((input: Uint8Array) => Uint8Array) | undefined][] = [
  ['UNCOMPRESSED', undefined],
  ['SNAPPY', undefined],
  ['GZIP', gzipSync],
  ['BROTLI', brotliCompressSync],
  ['ZSTD', zstdCompressSync],
]
for (const [codec, compress] of CODECS) {
  test(`reads pages of ${codec}`, async (t) => {
    const path = join(await temporaryFolder(t), 'table.parquet')
    await writeFile(path, retractions(codec, compress))
    const { events, reports } = await readTable(parquetSource(path, RETRACT))
    t.deepEqual(reports, [])
    t.deepEqual(slotsOf(events), SLOTS)
  })
}

test('reads an unsigned integer beyond int64 as what it is, and refuses it', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const column: ParquetColumn = {
    name: 'supply',
    type: 'INT64',
    converted_type: 'UINT_64',
    cells: [2n ** 64n - 1n],
  }
  await writeFile(path, parquetOf([mints(1), column]))
  const mapping = readMapping(
    '{"kind":"token","fields":{"token_address":"mint","supply":"supply"}}',
  )
  const { reports } = await readTable(parquetSource(path, mapping))
  t.regex(reports[0] ?? '', /^table\.parquet:1 supply 18446744073709551615: expected/)
})

test('refuses text that is no UTF-8 in its row', async (t) => {
  const path = join(await temporaryFolder(t), 'table.parquet')
  const cells = [Buffer.from('a'), Buffer.from([0xff, 0x61]), Buffer.from('é')]
  const symbol = { name: 'symbol', type: 'BYTE_ARRAY', cells } as const
  await writeFile(path, parquetOf([{ ...mints(3), name: 'token_address' }, symbol]))
  const { events, reports } = await readTable(parquetSource(path, readMapping('{"kind":"token"}')))
  t.deepEqual(
    events.map((event) => (event.kind === 'token' ? event.token.symbol : '')),
    ['a', undefined, 'é'],
  )
  t.regex(
    reports.join(),
    /^table\.parquet:2 symbol ".*": expected a text .*: the field is left out$/,
  )
})
