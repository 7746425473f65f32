/**
 * Files one after another into `ingest`, with refusals and progress as lines. A file that cannot be read
 * is told and passed over. Batches of a file hold what the file holds, whatever the machine's pace, so
 * that the same file makes the same batches; only a live input is sent on without waiting for more.
 */

import { countEvents, type EventCounts, noEvents } from '../../domain/events/event.ts'
import type { BatcherDeps } from '../../streams/ingest/batcher.ts'
import { type IngestProgress, ingest } from '../../streams/ingest/ingest.ts'
import { ForeignInput } from '../../streams/ingest/reading/ndjson.ts'
import { explainRefusal } from '../../streams/ingest/refusal.ts'
import type { CommandContext } from '../cli/command.ts'
import { explainError } from '../cli/explain-error.ts'
import { counted, duration, grouped } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'
import { openInput, STANDARD_INPUT } from './input-file.ts'

export type Publishing = Pick<BatcherDeps, 'publish' | 'moreLingerMs' | 'prefix' | 'laneCount'>

export type FileReport = {
  stored: EventCounts
  duplicates: EventCounts
  refusedLines: number
  /** Fields that were left out of lines that went in. */
  warnings: number
  /** Files that could not be read, or not to their end. */
  unread: number
}

const READ_BYTES = 1024 * 1024

export async function ingestFiles(
  files: readonly string[],
  publishing: Publishing,
  context: CommandContext,
  progress: Progress,
): Promise<FileReport> {
  const total: FileReport = {
    stored: noEvents(),
    duplicates: noEvents(),
    refusedLines: 0,
    warnings: 0,
    unread: 0,
  }
  // Counted as they are answered or refused, so that what was read of a file that ends in a fault counts too.
  const publish: Publishing['publish'] = async (batch) => {
    const outcome = await publishing.publish(batch)
    countEvents(outcome === 'stored' ? total.stored : total.duplicates, batch.events)
    return outcome
  }
  for (const file of files) {
    if (context.signal.aborted) break
    try {
      await ingestFile(file, { ...publishing, publish }, context, progress, total)
    } catch (fault) {
      if (!isOfReading(fault, context.signal)) throw fault
      total.unread++
      const reason = context.signal.aborted ? 'stopped before its end' : explainError(fault)
      progress.say(`${file}: ${reason}`)
    }
  }
  return total
}

async function ingestFile(
  file: string,
  publishing: Publishing,
  context: CommandContext,
  progress: Progress,
  total: FileReport,
): Promise<void> {
  const isLive = file === STANDARD_INPUT
  const { input, bytes: bytesTotal } = await openInput(file, context, READ_BYTES)
  const startedAt = performance.now()
  let refusedLine = 0
  const { lines } = await ingest(input, {
    ...publishing,
    ...(isLive ? {} : { lingerMs: Number.POSITIVE_INFINITY }),
    now: () => Date.now(),
    onRefusal: (line, refusal) => {
      // A line may break several rules.
      if (line !== refusedLine) total.refusedLines++
      refusedLine = line
      progress.say(`${file}:${line} ${explainRefusal(refusal)}`)
    },
    onWarning: (line, warning) => {
      total.warnings++
      progress.say(`${file}:${line} ${explainRefusal(warning)}`)
    },
    onProgress: (far) =>
      progress.update(() => `${file}: ${describe(far, bytesTotal, performance.now() - startedAt)}`),
  })
  if (lines === 0) progress.say(`${file}: no events: it has no line that is not blank`)
}

/** `45 %, 1,234,567 lines, 32,000 lines/s, 0 refused, 12 s left` */
function describe(far: IngestProgress, bytesTotal: number | undefined, tookMs: number): string {
  const rate = (far.lines / Math.max(tookMs, 1)) * 1000
  const pace = `${counted(far.lines, 'line')}, ${grouped(rate)} lines/s, ${grouped(far.refused)} refused`
  if (bytesTotal === undefined || far.bytes === 0) return pace
  const part = Math.min(1, far.bytes / bytesTotal)
  return `${Math.floor(part * 100)} %, ${pace}, ${duration((tookMs * (1 - part)) / part)} left`
}

/** Faults of the file, as against those of the servers: what is no text, and system errors that name a file operation. */
function isOfReading(fault: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || fault instanceof ForeignInput) return true
  const { syscall } = fault as NodeJS.ErrnoException
  return syscall === 'open' || syscall === 'read' || syscall === 'stat'
}
