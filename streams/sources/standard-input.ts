/**
 * Lines of NDJSON from a pipe. It is live: a decoder writes lines as they happen. A pipe cannot be rewound: to resume,
 * the writer sends the same bytes again and the source skips those before the cursor.
 */
import type { Readable } from 'node:stream'
import { readNdjson } from './ndjson.ts'
import { openPipe } from './open-file.ts'
import type { Source } from './source.ts'

type StandardInputOptions = { stdin: Readable; now: () => number }

/** How standard input is named on a command line and in notices. */
export const STANDARD_INPUT = '-'

export function standardInputSource({ stdin, now }: StandardInputOptions): Source {
  return {
    isLive: true,
    open(after, signal) {
      const openAt = async (bytes: number) => skip(openPipe(stdin, signal), bytes)
      const bytesTotal = () => undefined
      return readNdjson({ name: STANDARD_INPUT, openAt, bytesTotal, now }, after, signal)
    },
  }
}

async function* skip(input: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes
  for await (const chunk of input) {
    if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}
