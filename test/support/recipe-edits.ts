/**
 * Changes of files that carry out four recipes of CONTRIBUTING.md, each with the step that requires it: venue 11,
 * candles of 30 minutes, a window of 12 hours, and gzipped files as a source. Commands of a step are not among them.
 */

/** A change of a file by a step: `old` is replaced by `text`; without `old` the file is created. */
export type Edit = { recipe: string; step: number; path: string; old?: string; text: string }

const VENUE: readonly Edit[] = [
  {
    recipe: 'venue',
    step: 1,
    path: 'domain/venue.ts',
    old: '] as const satisfies readonly VenueRow[]',
    text: `  { dex: 11, name: 'venue_11', programName: 'saber', title: 'Saber', program: 'SSwpkEEcbUqx4vtoEByFjSkhKdCT862DNVb52nZg1UZ', ...RESERVES },
] as const satisfies readonly VenueRow[]`,
  },
  {
    recipe: 'venue',
    step: 2,
    path: 'test/domain/venue.test.ts',
    old: "    '10 none',\n",
    text: "    '10 none',\n    '11 reserves_before',\n",
  },
]

const TIMEFRAME: readonly Edit[] = [
  {
    recipe: 'timeframe of candles',
    step: 1,
    path: 'domain/time/timeframe.ts',
    old: "  '1h': HOUR_MS,\n",
    text: "  '30m': 2 * QUARTER_MS,\n  '1h': HOUR_MS,\n",
  },
  {
    recipe: 'timeframe of candles',
    step: 2,
    path: 'test/domain/time/timeframe.test.ts',
    old: "'1h 60 15m'",
    text: "'30m 30 15m', '1h 60 15m'",
  },
  {
    recipe: 'timeframe of candles',
    step: 3,
    path: 'test/api/resources/candles/candles.test.ts',
    old: "  '1h': 60 * MINUTE,\n",
    text: "  '30m': 30 * MINUTE,\n  '1h': 60 * MINUTE,\n",
  },
]

const WINDOW: readonly Edit[] = [
  {
    recipe: 'window',
    step: 1,
    path: 'domain/time/trade-window.ts',
    old: "  { name: '24h'",
    text: "  { name: '12h', minutes: 12 * HOUR_MINUTES, servedBy: ['movers', 'stats', 'market'] },\n  { name: '24h'",
  },
  {
    recipe: 'window',
    step: 2,
    path: 'test/domain/time/trade-window.test.ts',
    old: "    '24h 1440",
    text: "    '12h 720 movers stats market',\n    '24h 1440",
  },
]

const GZIP_SOURCE = `/**
 * A gzipped file of NDJSON. Cursors count the bytes of the text: to resume, the file is unpacked again and what lies before
 * the cursor is skipped.
 */
import { createReadStream } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { readNdjson } from './ndjson.ts'
import type { Source } from './source.ts'

export type GzipFileOptions = { path: string; now: () => number }

export function gzipFileSource({ path, now }: GzipFileOptions): Source {
  return {
    isLive: false,
    open(after, signal) {
      const openAt = async (bytes: number) => unpack(path, bytes, signal)
      return readNdjson({ name: path, openAt, bytesTotal: () => undefined, now }, after, signal)
    },
  }
}

async function* unpack(path: string, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = addAbortSignal(signal, createReadStream(path))
  const unpacked = addAbortSignal(signal, createGunzip())
  file.on('error', (error) => unpacked.destroy(error))
  let left = from
  for await (const chunk of file.pipe(unpacked)) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}
`

const GZIP_CASE = `  'gzip-file': {
    events: EVENTS,
    whole: (t) => gzipOf(t, TEXT),
    units: LINES.length,
    knowsItsEnd: false,
    // A file never waits: the abort comes while its next block is read.
    waiting: (t) => gzipOf(t, TEXT),
    broken: { open: (t) => gzipOf(t, BROKEN), notices: noticesOf('events.ndjson.gz') },
  },
  simulator: {`

const GZIP_OPENER = `async function gzipOf(t: ExecutionContext, text: string): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-source-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const path = join(folder, 'events.ndjson.gz')
  await writeFile(path, gzipSync(text))
  return SOURCES['gzip-file']({ path, now })
}

const pipeOf =`

const SOURCE: readonly Edit[] = [
  { recipe: 'source', step: 1, path: 'streams/sources/gzip-file.ts', text: GZIP_SOURCE },
  {
    recipe: 'source',
    step: 2,
    path: 'streams/sources/table.ts',
    old: '  simulator: simulatorSource,',
    text: "  'gzip-file': gzipFileSource,\n  simulator: simulatorSource,",
  },
  {
    recipe: 'source',
    step: 2,
    path: 'streams/sources/table.ts',
    old: 'import { simulatorSource }',
    text: "import { gzipFileSource } from './gzip-file.ts'\nimport { simulatorSource }",
  },
  {
    recipe: 'source',
    step: 3,
    path: 'test/streams/sources/cases.ts',
    old: '  simulator: {',
    text: GZIP_CASE,
  },
  {
    recipe: 'source',
    step: 3,
    path: 'test/streams/sources/cases.ts',
    old: 'const pipeOf =',
    text: GZIP_OPENER,
  },
  {
    recipe: 'source',
    step: 3,
    path: 'test/streams/sources/cases.ts',
    old: "import type { ExecutionContext } from 'ava'",
    text: "import { gzipSync } from 'node:zlib'\nimport type { ExecutionContext } from 'ava'",
  },
  {
    recipe: 'source',
    step: 4,
    path: 'docs/sources.md',
    old: '| `simulator` |',
    text: '| `gzip-file` | `swaptide ingest FILE.gz` | no | `BYTES:LINES` of the unpacked text |\n| `simulator` |',
  },
]

/** In the order of the steps. */
export const EDITS: readonly Edit[] = [...VENUE, ...TIMEFRAME, ...WINDOW, ...SOURCE]
