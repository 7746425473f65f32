/**
 * NDJSON in: bytes -> lines -> events -> batches on the SWAP stream.
 *
 * Law: every line is answered for. It goes in, or is refused with its number, field, value and
 * reason; a refused line never holds up a good one. Nothing is dropped when the stream is full:
 * reading waits for the publisher, so memory does not grow with the input.
 */

import type { Event } from '../../domain/events/event.ts'
import { type BatcherDeps, type PublishReport, publishEvents } from './batcher.ts'
import { parseEvent } from './contract.ts'
import { type Line, readLines } from './reading/ndjson.ts'
import { type Refusal, refusalsOfLine, refuseLine } from './refusal.ts'

/** lines: read and not blank; published: answered for by the stream; refused: lines. */
export type IngestProgress = { lines: number; bytes: number; published: number; refused: number }

export type IngestDeps = BatcherDeps & {
  /** Unix ms of the wall clock: a timestamp too far ahead of it is refused. */
  now: () => number
  onRefusal: (line: number, refusal: Refusal) => void
  /** A field of a line that went in without it. */
  onWarning?: (line: number, warning: Refusal) => void
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
  /** Fields that were left out of lines that went in. */
  warnings: number
}

export async function ingest(
  input: AsyncIterable<Uint8Array>,
  deps: IngestDeps,
): Promise<IngestReport> {
  const tally = { lines: 0, bytes: 0, refusedLines: 0, refusals: 0, warnings: 0 }
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

  function warn({ number }: Line, warnings: readonly Refusal[]): void {
    tally.warnings += warnings.length
    for (const warning of warnings) deps.onWarning?.(number, warning)
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
        if ('refusals' in result) refuse(line, refusalsOfLine(result.refusals, line))
        else {
          events.push(result.event)
          if (result.warnings !== undefined) warn(line, result.warnings)
        }
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
