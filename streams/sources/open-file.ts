/**
 * Bytes of a file or of standard input, ended by a signal. A directory is reported as one: the file system's error
 * comes only at the first read, and does not name the mistake.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { ForeignInput } from '../ingest/reading/ndjson.ts'
import { SourceError } from './source.ts'

export const DIRECTORY = 'a directory, expected a file: name the files in it'

type OpenFile = { input: AsyncIterable<Uint8Array>; bytesTotal: number }

/** Rejects where the file cannot be opened. */
export async function openFile(
  path: string,
  signal: AbortSignal,
  options: { start?: number; highWaterMark?: number } = {},
): Promise<OpenFile> {
  const found = await stat(path)
  if (found.isDirectory()) throw new ForeignInput(DIRECTORY)
  const input = addAbortSignal(signal, createReadStream(path, options))
  return { input, bytesTotal: found.size }
}

/** `swaptide ingest - < folder` fails at the first read only. */
export async function* openPipe(stdin: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(signal, stdin)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
    throw new ForeignInput(DIRECTORY, { cause: error })
  }
}

type ErrorClass = abstract new (...given: never[]) => Error
const FILE_OPERATIONS = new Set(['open', 'read', 'stat', 'fstat'])

/**
 * The error of a source for an error of the input itself: bytes of another form, a class of `own`, a system error that
 * names a file operation. Any other error as it is.
 */
export function sourceErrorOf(cause: unknown, own: readonly ErrorClass[] = []): unknown {
  const { syscall = '' } = cause as NodeJS.ErrnoException
  const isOwn = [ForeignInput, ...own].some((kind) => cause instanceof kind)
  if (!isOwn && !FILE_OPERATIONS.has(syscall)) return cause
  return new SourceError((cause as Error).message, { isRetryable: false, cause })
}
