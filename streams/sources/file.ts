/**
 * A file of NDJSON. It is not live: batches hold what the file holds, whatever the pace of the machine, so the same file
 * makes the same messages and is recognised when it is read again.
 */
import { readNdjson } from './ndjson.ts'
import { openFile } from './open-file.ts'
import { type Source, SourceError } from './source.ts'

type FileOptions = { path: string; now: () => number }

const READ_BYTES = 1024 * 1024

export function fileSource({ path, now }: FileOptions): Source {
  return {
    isLive: false,
    open(after, signal) {
      let bytesTotal: number | undefined
      const openAt = async (start: number) => {
        const opened = await openFile(path, signal, { start, highWaterMark: READ_BYTES })
        bytesTotal = opened.bytesTotal
        if (start > bytesTotal) throw truncated(path, start, bytesTotal)
        return opened.input
      }
      return readNdjson({ name: path, openAt, bytesTotal: () => bytesTotal, now }, after, signal)
    },
  }
}

function truncated(path: string, start: number, bytesTotal: number): SourceError {
  const found = `expected at least ${start} bytes, which were read before, found ${bytesTotal}`
  return new SourceError(`${path}: ${found}: the file was replaced or truncated`, {
    isRetryable: false,
  })
}
