/**
 * A case of each source for the conformance test: the same events as this source holds them, an input that waits for
 * more, and an input with units that cannot be used.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { ExecutionContext } from 'ava'
import { encodeBlock } from '../../../chain/encode-block.ts'
import { slotsOf } from '../../../chain/encode-slots.ts'
import { decodeSlot } from '../../../chain/sources/batch.ts'
import { readBlockResult } from '../../../chain/sources/blocks/block-answer.ts'
import { CHAIN_SOURCES } from '../../../chain/sources/table.ts'
import type { Event } from '../../../domain/events/event.ts'
import { BY_NAME } from '../../../streams/ingest/columns/mapping.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import type { Source, SourceNotice } from '../../../streams/sources/source.ts'
import { SOURCES } from '../../../streams/sources/table.ts'
import { CAR_CASE, CAR_RANGE_CASE } from '../../chain/sources/car/car-cases.ts'
import { GEYSER_CASE } from '../../chain/sources/geyser-cases.ts'
import { PORTAL_CASE, PORTAL_RANGE_CASE } from '../../chain/sources/portal/portal-cases.ts'
import { BACKFILL_CASE, RPC_CASE } from '../../chain/sources/rpc-cases.ts'
import { csvOf, parquetOfEvents } from '../../support/events/tables.ts'

export type SourceCase = {
  readonly events: readonly Event[]
  /** All of `events`, then the end. */
  whole: (t: ExecutionContext) => Promise<Source>
  /** Units of input in `whole`. */
  units: number
  knowsItsEnd: boolean
  /** Yields one batch and waits for its next event. */
  waiting: (t: ExecutionContext) => Promise<Source>
  /** All of `events` with bad units among them; absent for a source that has no input. */
  broken?: {
    open: (t: ExecutionContext) => Promise<Source>
    notices: [kind: SourceNotice['kind'], at: string][]
  }
}

const OPTIONS = { seed: 28, swaps: 1_500, fromMs: Date.UTC(2026, 5, 1) }
const EVENTS: readonly Event[] = Array.from(simulate(OPTIONS))
/** The simulator yields 2,000 events a batch. */
const MARKET = { ...OPTIONS, swaps: 5_000 }

const CHAIN_MARKET = { ...OPTIONS, fromMs: Date.UTC(2026, 9, 1), swapsPerSlot: 400 }

function decodedChain(): Event[] {
  return [...slotsOf(simulate(CHAIN_MARKET))].flatMap((slot) => {
    return decodeSlot(readBlockResult(encodeBlock(slot), slot.slot), undefined)?.events ?? []
  })
}

const LINES = EVENTS.map(printEvent)
const TEXT = `${LINES.join('\n')}\n`
/** A bad line first, in the middle, and last without a line feed. */
const MIDDLE = 700
const BROKEN = [
  'not JSON',
  ...LINES.slice(0, MIDDLE),
  '{"kind":"token"}',
  ...LINES.slice(MIDDLE),
  '{"kind":"swap",',
].join('\n')
const noticesOf = (name: string): [SourceNotice['kind'], string][] =>
  [1, MIDDLE + 2, LINES.length + 3].map((line) => ['refused', `${name}:${line}`])

const now = () => Date.UTC(2026, 7, 1)

async function fileOf(t: ExecutionContext, text: string): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-source-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'events.ndjson')
  await writeFile(path, text)
  return SOURCES.file({ path, now })
}

const pipeOf = (chunks: AsyncIterable<Uint8Array>): Source =>
  SOURCES['standard-input']({ stdin: Readable.from(chunks), now })

const CSV = csvOf(EVENTS)
/** A row with too few cells first, one of an unknown kind in the middle, and one last that is cut off. */
const BROKEN_CSV = (() => {
  const [header = '', ...rows] = CSV.split('\n')
  return [header, 'a,b', ...rows.slice(0, MIDDLE), header, ...rows.slice(MIDDLE, -1), 'swap,'].join(
    '\n',
  )
})()
const BROKEN_CSV_NOTICES: [SourceNotice['kind'], string][] = [2, MIDDLE + 3, EVENTS.length + 4].map(
  (line) => ['refused', `table.csv:${line}`],
)

async function pathOf(
  t: ExecutionContext,
  name: string,
  content: string | Buffer,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-source-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

async function csvFile(t: ExecutionContext, text: string): Promise<Source> {
  const input = { path: await pathOf(t, 'table.csv', text) }
  return SOURCES.csv({ input, delimiter: ',', mapping: BY_NAME, now })
}

/** A table on a pipe whose writer sent one row and stays connected. */
function silentTable(): Source {
  const stdin = new PassThrough()
  stdin.write(csvOf(EVENTS.slice(0, 1)))
  return SOURCES.csv({ input: { stdin }, delimiter: ',', mapping: BY_NAME, now })
}

/** Row groups of 700 rows: those of the file end within batches of no reader. */
const ROW_GROUP = 700

async function parquetFile(t: ExecutionContext, bytes: Buffer): Promise<Source> {
  return SOURCES.parquet({ path: await pathOf(t, 'table.parquet', bytes), mapping: BY_NAME, now })
}

let parquet: Buffer | undefined

/** The table of all events, written once. */
function wholeParquet(): Buffer {
  parquet ??= parquetOfEvents(EVENTS, ROW_GROUP)
  return parquet
}

/** In chunks that end in the middle of lines. */
async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const size = 50_021
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A pipe whose writer sent one line and stays connected. */
function silentPipe(): Source {
  const stdin = new PassThrough()
  stdin.write(`${LINES[0]}\n`)
  return SOURCES['standard-input']({ stdin, now })
}

export type SourceName = keyof typeof SOURCES | keyof typeof CHAIN_SOURCES

export const CASES: Record<SourceName, SourceCase> = {
  file: {
    events: EVENTS,
    whole: (t) => fileOf(t, TEXT),
    units: LINES.length,
    knowsItsEnd: true,
    // A file never waits: the abort comes while its next block is read.
    waiting: (t) => fileOf(t, TEXT),
    broken: { open: (t) => fileOf(t, BROKEN), notices: noticesOf('events.ndjson') },
  },
  'standard-input': {
    events: EVENTS,
    whole: async () => pipeOf(chunksOf(TEXT)),
    units: LINES.length,
    knowsItsEnd: false,
    waiting: async () => silentPipe(),
    broken: { open: async () => pipeOf(chunksOf(BROKEN)), notices: noticesOf('-') },
  },
  csv: {
    events: EVENTS,
    whole: (t) => csvFile(t, CSV),
    units: EVENTS.length,
    knowsItsEnd: true,
    waiting: async () => silentTable(),
    broken: { open: (t) => csvFile(t, BROKEN_CSV), notices: BROKEN_CSV_NOTICES },
  },
  parquet: {
    events: EVENTS,
    whole: (t) => parquetFile(t, wholeParquet()),
    units: EVENTS.length,
    knowsItsEnd: true,
    // A file never waits: the abort comes while its next row group is read.
    waiting: (t) => parquetFile(t, wholeParquet()),
    broken: {
      open: (t) => parquetFile(t, parquetOfEvents(EVENTS, ROW_GROUP, MIDDLE)),
      notices: [['refused', `table.parquet:${MIDDLE + 1}`]],
    },
  },
  simulator: {
    events: Array.from(simulate(MARKET)),
    whole: async () => SOURCES.simulator(MARKET),
    units: MARKET.swaps,
    knowsItsEnd: false,
    waiting: async () => SOURCES.simulator({ ...MARKET, pace: 0.001 }),
  },
  'simulated-chain': {
    events: decodedChain(),
    whole: async () => CHAIN_SOURCES['simulated-chain'](CHAIN_MARKET),
    units: [...slotsOf(simulate(CHAIN_MARKET))].length,
    knowsItsEnd: false,
    waiting: async () => CHAIN_SOURCES['simulated-chain']({ ...CHAIN_MARKET, pace: 0.001 }),
  },
  backfill: BACKFILL_CASE,
  rpc: RPC_CASE,
  geyser: GEYSER_CASE,
  'portal-range': PORTAL_RANGE_CASE,
  portal: PORTAL_CASE,
  car: CAR_CASE,
  'car-range': CAR_RANGE_CASE,
}
