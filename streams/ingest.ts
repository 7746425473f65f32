/**
 * NDJSON in: bytes -> lines -> events -> batches on the SWAP stream.
 *
 * Law: every line is answered for. It goes in, or is refused with its number, field, value and
 * reason; a refused line never holds up a good one. Nothing is dropped when the stream is full:
 * reading waits for the publisher, so memory does not grow with the input.
 */
import { type BatcherDeps, type PublishReport, publishEvents } from './batcher.ts'
import { parseEvent, type Refusal, refuseLine } from './contract.ts'
import type { Event } from './event.ts'
import { type Line, readLines } from './ndjson.ts'

/** lines: read and not blank; published: answered for by the stream; refused: lines. */
export type IngestProgress = { lines: number; bytes: number; published: number; refused: number }

export type IngestDeps = BatcherDeps & {
  /** Unix ms of the wall clock: a timestamp too far ahead of it is refused. */
  now: () => number
  onRefusal: (line: number, refusal: Refusal) => void
  /** After each block of the input and at the end. */
  onProgress?: (progress: IngestProgress) => void
}

/** `lines` = the events of `stored` and `duplicates` + `refusedLines`. */
export type IngestReport = PublishReport & {
  lines: number
  bytes: number
  refusedLines: number
  /** A line may break several rules. */
  refusals: number
}

export async function ingest(
  input: AsyncIterable<Uint8Array>,
  deps: IngestDeps,
): Promise<IngestReport> {
  const tally = { lines: 0, bytes: 0, refusedLines: 0, refusals: 0 }
  let published = 0
  const showProgress = () =>
    deps.onProgress?.({
      lines: tally.lines,
      bytes: tally.bytes,
      published,
      refused: tally.refusedLines,
    })

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input) {
      tally.bytes += chunk.length
      yield chunk
    }
  }

  function refuse(line: Line, refusals: readonly Refusal[]): void {
    tally.refusedLines++
    tally.refusals += refusals.length
    for (const refusal of refusals) deps.onRefusal(line.number, refusal)
  }

  async function* parsed(): AsyncGenerator<Event[]> {
    for await (const lines of readLines(counted())) {
      const events: Event[] = []
      const nowMs = deps.now()
      for (const line of lines) {
        const result =
          line.fault === undefined
            ? parseEvent(line.text, nowMs)
            : { refusals: [refuseLine(line.text, line.fault)] }
        if ('event' in result) events.push(result.event)
        else refuse(line, result.refusals)
      }
      tally.lines += lines.length
      yield events
      showProgress()
    }
  }

  const report = await publishEvents(parsed(), {
    ...deps,
    publish: async (batch) => {
      const outcome = await deps.publish(batch)
      published += batch.events.length
      return outcome
    },
  })
  showProgress()
  return { ...report, ...tally }
}
