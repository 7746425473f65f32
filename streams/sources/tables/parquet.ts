/**
 * A table as a Parquet file, by a mapping of its columns. Rows are counted from 1; the cursor is the number of rows before
 * it. A row group that cannot be read ends the file with an error, after the row groups before it.
 */
import { type FileHandle, open as openHandle } from 'node:fs/promises'
import { type Mapping, MappingError } from '../../ingest/columns/mapping.ts'
import { openParquet, ParquetError } from '../../ingest/columns/parquet.ts'
import { rowReader } from '../../ingest/columns/row-reader.ts'
import { ForeignInput } from '../../ingest/reading/ndjson.ts'
import { DIRECTORY, sourceErrorOf } from '../open-file.ts'
import { type ChainTime, newestOf, type Source, type SourceBatch } from '../source.ts'
import { collectRows, readCount } from './rows.ts'

export type ParquetOptions = { path: string; mapping: Mapping; now: () => number }

export function parquetSource(options: ParquetOptions): Source {
  return { isLive: false, open: (after, signal) => readParquet(options, after, signal) }
}

async function* readParquet(
  { path, mapping, now }: ParquetOptions,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourceBatch> {
  let count = readCount(after, 'ROWS', path)
  let newest: ChainTime | undefined
  let handle: FileHandle | undefined
  try {
    handle = await openHandle(path)
    const { columns, rowCount, rows } = await openParquet(await bufferOf(handle))
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
    await handle?.close()
  }
}

async function bufferOf(handle: FileHandle) {
  const found = await handle.stat()
  if (found.isDirectory()) throw new ForeignInput(DIRECTORY)
  return {
    byteLength: found.size,
    async slice(start: number, end: number = found.size): Promise<ArrayBuffer> {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, found.size) - start))
      let read = 0
      while (read < bytes.length) {
        const { bytesRead } = await handle.read(bytes, read, bytes.length - read, start + read)
        if (bytesRead === 0) throw new ParquetError('the file was truncated while it was read')
        read += bytesRead
      }
      return bytes.buffer
    },
  }
}
