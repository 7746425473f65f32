/**
 * Files and standard input, one after another, into SWAP, with refusals and progress as lines. An input that cannot be
 * read is reported, and the next one is read.
 */

import { countEvents, type EventCounts, noEvents } from '../../domain/events/event.ts'
import { countedOf } from '../../streams/ingest/batcher.ts'
import { BY_NAME } from '../../streams/ingest/columns/mapping.ts'
import { explainRefusal } from '../../streams/ingest/refusal.ts'
import { runSource, type SourceProgress } from '../../streams/sources/run-source.ts'
import { type Source, SourceError, type SourceNotice } from '../../streams/sources/source.ts'
import { STANDARD_INPUT } from '../../streams/sources/standard-input.ts'
import { SOURCES } from '../../streams/sources/table.ts'
import type { CommandContext } from '../cli/command.ts'
import { explainError } from '../cli/explain-error.ts'
import { counted, duration, grouped } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'
import { formatOf, type Reading } from './file-format.ts'
import { ingestCar, type Publishing, type SlotRecorder, STOPPED } from './ingest-car.ts'

export type FileReport = {
  stored: EventCounts
  duplicates: EventCounts
  refusedLines: number
  /** Fields that were ignored in accepted lines. */
  warnings: number
  /** Slots of CAR files whose results were not recorded: they stay gaps. */
  gapSlots: number
  /** Files that could not be read, or not to their end. */
  unread: number
}

export async function ingestFiles(
  files: readonly string[],
  publishing: Publishing,
  context: CommandContext,
  progress: Progress,
  reading: Reading = {},
  recorderOf?: () => SlotRecorder,
): Promise<FileReport> {
  const total: FileReport = {
    stored: noEvents(),
    duplicates: noEvents(),
    refusedLines: 0,
    warnings: 0,
    gapSlots: 0,
    unread: 0,
  }
  // Counted when they are acknowledged or refused, so that the part read of a file that ends in an error counts too.
  const publish: Publishing['publish'] = async (batch) => {
    const outcome = await publishing.publish(batch)
    countEvents(outcome === 'stored' ? total.stored : total.duplicates, countedOf(batch))
    return outcome
  }
  for (const [at, file] of files.entries()) {
    if (context.signal.aborted) {
      total.unread += files.length - at
      break
    }
    const deps = { ...publishing, publish }
    let unread: string | undefined
    if (formatOf(file, reading) === 'car') {
      const read = await ingestCar(file, deps, context, progress, recorderOf?.())
      total.gapSlots += read.gapSlots
      unread = read.unread
    } else unread = await ingestFile({ file, reading }, deps, context, progress, total)
    if (unread === undefined) continue
    total.unread++
    progress.say(`${file}: ${unread}`)
  }
  return total
}

/** Why a file of events was not read to its end; undefined where it was. Rejects where a server failed. */
async function ingestFile(
  { file, reading }: { file: string; reading: Reading },
  publishing: Publishing,
  { stdin, signal }: CommandContext,
  progress: Progress,
  total: FileReport,
): Promise<string | undefined> {
  const startedAt = performance.now()
  const onNotice = ({ kind, at, reasons }: SourceNotice): void => {
    if (kind === 'refused') total.refusedLines++
    else total.warnings += reasons.length
    for (const reason of reasons) progress.say(`${at} ${explainRefusal(reason)}`)
  }
  const onProgress = (far: SourceProgress): void =>
    progress.update(() => `${file}: ${describe(far, performance.now() - startedAt)}`)
  try {
    const source = sourceOf(file, reading, stdin)
    const deps = { ...publishing, signal, onNotice, onProgress }
    const { units, hasEnded } = await runSource(source, deps)
    if (!hasEnded) return STOPPED
    const isNdjson = formatOf(file, reading) === 'ndjson'
    const lack = isNdjson ? 'line that is not blank' : 'row'
    if (units === 0) progress.say(`${file}: no events: it has no ${lack}`)
    return undefined
  } catch (error) {
    if (signal.aborted) return STOPPED
    if (error instanceof SourceError) return explainError(error.cause ?? error)
    throw error
  }
}

function sourceOf(file: string, reading: Reading, stdin: CommandContext['stdin']): Source {
  const now = () => Date.now()
  const format = formatOf(file, reading)
  const mapping = reading.mapping ?? BY_NAME
  const isPipe = file === STANDARD_INPUT
  switch (format) {
    case 'ndjson':
      return isPipe ? SOURCES['standard-input']({ stdin, now }) : SOURCES.file({ path: file, now })
    case 'csv':
    case 'tsv': {
      const input = isPipe ? { stdin } : { path: file }
      return SOURCES.csv({ input, delimiter: format === 'csv' ? ',' : '\t', mapping, now })
    }
    case 'parquet':
      return SOURCES.parquet({ path: file, mapping, now })
    case 'car':
      throw new Error('a CAR file holds blocks, and no lines')
    default:
      return format satisfies never
  }
}

/** `45 %, 1,234,567 lines, 32,000 lines/s, 0 refused, 12 s left` */
function describe({ units, refused, share }: SourceProgress, tookMs: number): string {
  const rate = (units / Math.max(tookMs, 1)) * 1000
  const pace = `${counted(units, 'line')}, ${grouped(rate)} lines/s, ${grouped(refused)} refused`
  if (share === undefined || share === 0) return pace
  return `${Math.floor(share * 100)} %, ${pace}, ${duration((tookMs * (1 - share)) / share)} left`
}
