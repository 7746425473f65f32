/**
 * A file that a command reads, or standard input. What cannot be read as lines of text is reported as what it
 * is: a directory here, gzip or UTF-16 by streams/ingest/reading/ndjson.ts, both as ForeignInput.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { ForeignInput } from '../../streams/ingest/reading/ndjson.ts'
import type { CommandContext } from '../cli/command.ts'

export const STANDARD_INPUT = '-'

const DIRECTORY = 'a directory, expected a file: name the files in it'

/** `bytes`: its size; undefined for standard input. Rejects where the file cannot be opened. */
export async function openInput(
  file: string,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
  readBytes?: number,
): Promise<{ input: AsyncIterable<Uint8Array>; bytes: number | undefined }> {
  if (file === STANDARD_INPUT)
    return { input: withoutDirectory(addAbortSignal(signal, stdin)), bytes: undefined }
  const found = await stat(file)
  if (found.isDirectory()) throw new ForeignInput(DIRECTORY)
  const options = readBytes === undefined ? {} : { highWaterMark: readBytes }
  return { input: addAbortSignal(signal, createReadStream(file, options)), bytes: found.size }
}

/** `swaptide ingest - < folder` fails at the first read only. */
async function* withoutDirectory(stdin: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stdin
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EISDIR') throw fault
    throw new ForeignInput(DIRECTORY, { cause: fault })
  }
}
