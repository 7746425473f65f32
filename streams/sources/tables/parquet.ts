/**
 * A table as a Parquet file, by a mapping of its columns. Rows are counted from 1; the cursor is the number of rows before
 * it. A row group that cannot be read ends the file with an error, after the row groups before it.
 */
import { open as openHandle } from 'node:fs/promises'
import { type Mapping, MappingError } from '../../ingest/columns/mapping.ts'
import { ParquetError } from '../../ingest/columns/parquet.ts'
import { rowReader } from '../../ingest/columns/row-reader.ts'
import { ForeignInput } from '../../ingest/reading/ndjson.ts'
import { DIRECTORY, sourceErrorOf } from '../open-file.ts'
import { type ChainTime, newestOf, type Source, type SourceBatch } from '../source.ts'
import { openDecoder, type ParquetDecoder } from './parquet-decoder.ts'
import { collectRows, readCount } from './rows.ts'

/** `limitMs`: of a row group, default LIMIT_MS. */
type ParquetOptions = {
  path: string
  mapping: Mapping
  now: () => number
  limitMs?: number
}

/** Many times what a row group of the largest size takes on a slow machine. */
const LIMIT_MS = 300_000

export function parquetSource(options: ParquetOptions): Source {
  return { isLive: false, open: (after, signal) => readParquet(options, after, signal) }
}

async function* readParquet(
  { path, mapping, now, limitMs = LIMIT_MS }: ParquetOptions,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourceBatch> {
  let count = readCount(after, 'ROWS', path)
  let newest: ChainTime | undefined
  let decoder: ParquetDecoder | undefined
  try {
    decoder = await openTable(path, limitMs, signal)
    const { columns, rowCount, rows } = decoder
    const reader = rowReader(mapping, columns)
    for await (const run of rows(reader.used, count)) {
      if (signal.aborted) return
      const nowMs = now()
      const before = count
      const parsed = run.map((row, index) => ({
        number: before + index + 1,
        parsed: reader.read(row, nowMs),
      }))
      count += run.length
      const { events, notices } = collectRows(parsed, path)
      newest = newestOf(events, newest)
      const share = rowCount > 0 ? { share: Math.min(1, count / rowCount) } : {}
      yield { events, notices, cursor: String(count), units: run.length, newest, ...share }
      if (signal.aborted) return
    }
  } catch (cause) {
    if (signal.aborted) return
    throw sourceErrorOf(cause, [MappingError, ParquetError])
  } finally {
    await decoder?.close()
  }
}

async function openTable(
  path: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<ParquetDecoder> {
  const handle = await openHandle(path)
  const found = await handle.stat()
  if (!found.isDirectory()) return await openDecoder(handle, limitMs, signal)
  await handle.close()
  throw new ForeignInput(DIRECTORY)
}
