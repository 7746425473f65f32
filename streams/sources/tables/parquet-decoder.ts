/**
 * A Parquet file that is decoded in a thread of its own, with a limit of time and memory for each run of rows: a damaged
 * page with endless counts ends as ParquetError, and costs this file only.
 *
 * `close` stops the thread wherever it is. Rejects with ParquetError, or the system's error.
 */
import { once } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { ParquetError } from '../../ingest/columns/parquet.ts'
import type { Row } from '../../ingest/columns/row-reader.ts'
import type { Answer, Failure, Opened, Request } from './parquet-thread.ts'

export type ParquetDecoder = Opened & {
  rows: (columns: readonly string[], from: number) => AsyncGenerator<Row[]>
  close: () => Promise<void>
}

/** Heap of the thread: a row group of 1 GiB, the largest that is read, fits. */
const HEAP_MIB_MAX = 4_096

/**
 * Takes the handle over. `limitMs`: of the footer, and of each run of rows, which may begin a row group. After the signal
 * an open request rejects.
 */
export async function openDecoder(
  handle: FileHandle,
  limitMs: number,
  signal: AbortSignal,
): Promise<ParquetDecoder> {
  const { size } = await handle.stat()
  const thread = new Thread(limitMs, signal)
  try {
    const answer = await thread.request({ open: handle, size }, 'the footer', [handle])
    if (!('opened' in answer)) throw new Error('the thread answered with rows: expected columns')
    const rows = (columns: readonly string[], from: number) => readRuns(thread, columns, from)
    return { ...answer.opened, rows, close: () => thread.end() }
  } catch (cause) {
    await thread.end()
    throw cause
  }
}

async function* readRuns(
  thread: Thread,
  columns: readonly string[],
  from: number,
): AsyncGenerator<Row[]> {
  let rowCount = from
  for (let request: Request = { columns, from }; ; request = 'next') {
    const answer = await thread.request(request, `the rows after row ${rowCount}`)
    const rows = 'rows' in answer ? answer.rows : undefined
    if (rows === undefined) return
    rowCount += rows.length
    yield rows
  }
}

class Thread {
  readonly #worker = new Worker(new URL('./parquet-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
  })
  readonly #limitMs: number
  readonly #signal: AbortSignal

  constructor(limitMs: number, signal: AbortSignal) {
    this.#limitMs = limitMs
    this.#signal = signal
  }

  async request(request: Request, what: string, moved: FileHandle[] = []): Promise<Answer> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(this.#limitMs)])
    const answered = once(this.#worker, 'message', { signal })
    this.#worker.postMessage(request, moved)
    const [answer] = (await answered.catch((cause) => {
      throw this.#findingOf(cause, what)
    })) as [Answer]
    if ('failure' in answer) throw errorOf(answer.failure)
    return answer
  }

  /** Rejected: the limit of time, or an error that ended the thread. */
  #findingOf(cause: NodeJS.ErrnoException, what: string): Error {
    if (cause.name === 'AbortError') {
      const limit = `no result within ${this.#limitMs / 1000} s`
      return new ParquetError(`cannot read ${what}: ${limit}: is the file damaged?`, { cause })
    }
    if (cause.code !== 'ERR_WORKER_OUT_OF_MEMORY') return cause
    const advice = 'is the file damaged? Otherwise write it with smaller row groups'
    const limit = `more than ${HEAP_MIB_MAX / 1024} GiB of memory`
    return new ParquetError(`cannot read ${what}: ${limit}: ${advice}`, { cause })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

function errorOf({ message, isFinding, code, syscall }: Failure): Error {
  if (isFinding) return new ParquetError(message)
  return Object.assign(new Error(message), { code, syscall })
}
