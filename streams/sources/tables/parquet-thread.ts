/**
 * The thread that decodes a Parquet file. hyparquet trusts the counts inside of a page, so a damaged page can keep it busy
 * without end, and only a thread can be stopped then (parquet-decoder.ts).
 *
 * One answer for each request: the columns, then a run of rows, undefined after the last one.
 */
import type { FileHandle } from 'node:fs/promises'
import { parentPort } from 'node:worker_threads'
import { openParquet, ParquetError, type ParquetFile } from '../../ingest/columns/parquet.ts'
import type { Column, Row } from '../../ingest/columns/row-reader.ts'

export type Request =
  | { open: FileHandle; size: number }
  | { columns: readonly string[]; from: number }
  | 'next'
export type Opened = { columns: readonly Column[]; rowCount: number }
export type Answer = { opened: Opened } | { rows: Row[] | undefined } | { failure: Failure }
/** An error as it passes between threads. `isFinding`: about the file. */
export type Failure = { message: string; isFinding: boolean; code?: string; syscall?: string }

let file: ParquetFile | undefined
let runs: AsyncGenerator<Row[]> | undefined

parentPort?.on('message', async (request: Request) => {
  parentPort?.postMessage(await answer(request).catch(failureOf))
})

async function answer(request: Request): Promise<Answer> {
  if (request !== 'next' && 'open' in request) {
    file = await openParquet(bufferOf(request.open, request.size))
    return { opened: { columns: file.columns, rowCount: file.rowCount } }
  }
  if (request !== 'next') runs = file?.rows(request.columns, request.from)
  return { rows: (await runs?.next())?.value }
}

function failureOf(cause: unknown): Answer {
  const { message, code, syscall } = cause as NodeJS.ErrnoException
  const isFinding = cause instanceof ParquetError
  return {
    failure: { message, isFinding, ...(code ? { code } : {}), ...(syscall ? { syscall } : {}) },
  }
}

function bufferOf(handle: FileHandle, byteLength: number) {
  return {
    byteLength,
    async slice(start: number, end: number = byteLength): Promise<ArrayBuffer> {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start))
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
