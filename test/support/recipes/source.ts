/** Adds gzipped files as a source. */
import type { Edit } from './edit.ts'

const GZIP_SOURCE = `/**
 * A gzipped file of NDJSON. Cursors count the bytes of the text: to resume, the file is unpacked again and what lies before
 * the cursor is skipped.
 */
import { createReadStream } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { readNdjson } from './ndjson.ts'
import type { Source } from './source.ts'

type GzipFileOptions = { path: string; now: () => number }

export function gzipFileSource({ path, now }: GzipFileOptions): Source {
  return {
    isLive: false,
    open(after, signal) {
      const openAt = async (bytes: number) => unpack(path, bytes, signal)
      return readNdjson({ name: path, openAt, bytesTotal: () => undefined, now }, after, signal)
    },
  }
}

async function* unpack(
  path: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
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

export const SOURCE: readonly Edit[] = [
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
