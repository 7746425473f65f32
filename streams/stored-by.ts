/** Messages of a stream by when they were stored, which rises with their sequences. */
import type { JetStream } from './jetstream.ts'

/**
 * The last message that was stored no later than `byMs` (Unix ms), `first - 1` where there is none. What was let go
 * of counts as stored before. Asks for some twenty messages of a million.
 */
export async function lastStoredBy(
  jetStream: JetStream,
  stream: string,
  { first, last }: { first: number; last: number },
  byMs: number,
): Promise<number> {
  let low = first - 1
  let high = last + 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const atMs = await jetStream.storedAt(stream, middle)
    if (atMs === undefined || atMs <= byMs) low = middle
    else high = middle
  }
  return low
}
