/**
 * `swaptide ingest FILE... | -`: NDJSON, CSV, Parquet or CAR files in, memory flat whatever the size. Refused lines are reported one by one on
 * standard error while all others are published; then it waits until the workers have counted the published events and
 * reports their results. Exit code 1 when a line was refused or a file not read.
 */
import { randomUUID } from 'node:crypto'
import { DECODER_VERSION } from '../../chain/decoder/version.ts'
import { ALL_VENUE_BITS } from '../../domain/coverage.ts'
import { sumOfEvents } from '../../domain/events/event.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import { CoverageRecorder } from '../chain/coverage.ts'
import { parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../cli/command.ts'
import { counted, grouped, jsonLine } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'
import { FORMATS, formatOf, readingOf } from '../ingest/file-format.ts'
import type { SlotRecorder } from '../ingest/ingest-car.ts'
import { type FileReport, ingestFiles } from '../ingest/ingest-files.ts'
import { type RunCounts, runCounts, sumOfCounts, waitForCounts } from '../ingest/run-counts.ts'
import type { Logger } from '../log.ts'
import { withDatabase, withStreams } from '../processes/connections.ts'
import { findInstallation } from '../processes/installation.ts'

export const described = usage({
  line: 'ingest [--format FORMAT] [--mapping FILE] [--no-wait] [--json] FILE... | -',
  options: {
    format: {
      type: 'string',
      value: FORMATS.join('|'),
      about: 'default: by the name of the file, .csv .tsv .parquet .car .car.zst, else ndjson',
    },
    mapping: {
      type: 'string',
      value: 'FILE',
      about: 'JSON: which columns of CSV or Parquet are which fields (docs/ingest.md)',
    },
    'no-wait': {
      type: 'boolean',
      about: 'return once everything is published, before the workers have counted it',
    },
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'Reads one event per line (NDJSON), or one per row of CSV, TSV or Parquet, from files or, for "-", from ' +
      'standard input. Columns with the names of fields need no mapping.',
    'A refused line is reported as FILE:LINE field "value": reason (numbers without quotes; "field absent" ' +
      'for a missing field). All other lines are ingested and the exit code is 1. An optional field of a token ' +
      'line, or virtual_quote_reserves of a swap, that cannot be used is reported likewise and left out; the rest of ' +
      'its line is ingested.',
    'A CAR file (Old Faithful) holds blocks of the chain, plain or packed as .zst: they are decoded as by "swaptide ' +
      'backfill", and their slots are recorded in coverage. A damaged or cut file is reported with the byte and the ' +
      'slot; everything before it is ingested, and the same command again continues it.',
  ],
  examples: [
    'swaptide ingest events.ndjson',
    'swaptide simulate --stdout --swaps 100 | swaptide ingest -',
    'swaptide ingest trades.parquet --mapping mapping.json',
    'swaptide ingest --format csv --no-wait -',
    'swaptide ingest epoch-978.car',
  ],
})

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals: files } = parseArguments(described, argv)
  if (files.length === 0)
    throw new UsageError(`no file named: the command is swaptide ${described.line}`)
  const reading = await readingOf(values, files)
  const installation = await findInstallation(context.config)
  const log = context.log('warn')
  const { progress } = context
  const runId = randomUUID()
  return await withStreams(installation, { name: 'swaptide ingest', log }, async (streams) => {
    const { jetStream, topology } = streams
    const publisher = createPublisher(jetStream, topology, { run: runId, log })
    const giveUp = () => publisher.close()
    context.signal.addEventListener('abort', giveUp, { once: true })
    const { publish, moreLingerMs } = publisher
    const { prefix, laneCount } = topology
    const publishing = { publish, moreLingerMs, prefix, laneCount }
    const ingest = (recorderOf?: () => SlotRecorder): Promise<FileReport> =>
      ingestFiles(files, publishing, context, progress, reading, recorderOf)
    const hasBlocks = files.some((file) => formatOf(file, reading) === 'car')
    const report = hasBlocks
      ? await withCoverage(installation.databaseUrl, log, ingest)
      : await ingest()
    const counts = values['no-wait']
      ? undefined
      : await countsOf(installation.databaseUrl, runId, report, context, progress)
    const outcome = outcomeOf(report, counts)
    context.stdout.write(values.json ? jsonLine({ run: runId, ...outcome }) : sentence(outcome))
    const isComplete = counts === undefined || counts.isComplete
    const isWhole = report.refusedLines === 0 && report.unread === 0 && report.gapSlots === 0
    return isWhole && isComplete ? EXIT_OK : EXIT_FAILED
  })
}

/** Runs work that records the slots of CAR files. */
async function withCoverage<Result>(
  databaseUrl: string,
  log: Logger,
  work: (recorderOf: () => SlotRecorder) => Promise<Result>,
): Promise<Result> {
  const key = {
    venues: ALL_VENUE_BITS,
    decoderVersion: DECODER_VERSION,
    source: 'car',
    commitment: 'finalized',
  } as const
  return await withDatabase(databaseUrl, { name: 'swaptide ingest' }, (db) =>
    work(() => {
      return new CoverageRecorder(db, key, log, (err) => {
        log.error({ err }, 'failed to persist coverage')
      })
    }),
  )
}

async function countsOf(
  databaseUrl: string,
  runId: string,
  { stored }: FileReport,
  context: CommandContext,
  progress: Progress,
): Promise<RunCounts & { isComplete: boolean }> {
  return await withDatabase(databaseUrl, { name: 'swaptide ingest' }, async (db) => {
    return await waitForCounts(
      () => runCounts(db, runId),
      sumOfEvents(stored),
      context.signal,
      progress,
    )
  })
}

/** `accepted`, `conflicts` and those of retracted blocks are not known before the workers have counted: then absent. */
type Outcome = {
  published: number
  accepted?: number
  duplicates: number
  conflicts?: number
  dead_letters?: number
  /** Left out because their blocks had been retracted. */
  retracted_swaps?: number
  retracted_pool_events?: number
  /** Refused because swaps of their slots are no longer stored. */
  dropped_swaps?: number
  dropped_pool_events?: number
  uncounted?: number
  token_lines: number
  pool_events: number
  retractions: number
  refused: number
  /** Fields that were ignored in accepted lines. */
  warnings: number
  /** Slots of CAR files whose results were not recorded. */
  gap_slots: number
  unread_files: number
}

function outcomeOf(
  { stored, duplicates, refusedLines, warnings, gapSlots, unread }: FileReport,
  counts: (RunCounts & { isComplete: boolean }) | undefined,
): Outcome {
  const known = {
    published: sumOfEvents(stored),
    // Batches that the stream already held: their swaps were ingested by an earlier run.
    duplicates: duplicates.swaps + (counts?.duplicate ?? 0),
    token_lines: stored.tokens + duplicates.tokens,
    pool_events: stored.poolEvents + duplicates.poolEvents,
    retractions: stored.retractions + duplicates.retractions,
    refused: refusedLines,
    warnings,
    gap_slots: gapSlots,
    unread_files: unread,
  }
  if (counts === undefined) return known
  const { accepted, conflict, dead, retracted_swap, retracted_pool_event } = counts
  const { dropped_swap, dropped_pool_event } = counts
  return {
    ...known,
    ...{ accepted, conflicts: conflict, dead_letters: dead },
    ...{ retracted_swaps: retracted_swap, retracted_pool_events: retracted_pool_event },
    ...(dropped_swap + dropped_pool_event > 0
      ? { dropped_swaps: dropped_swap, dropped_pool_events: dropped_pool_event }
      : {}),
    uncounted: sumOfEvents(stored) - sumOfCounts(counts),
  }
}

function sentence(outcome: Outcome): string {
  const { accepted, duplicates, conflicts, dead_letters = 0, uncounted = 0 } = outcome
  const left = (outcome.retracted_swaps ?? 0) + (outcome.retracted_pool_events ?? 0)
  const old = (outcome.dropped_swaps ?? 0) + (outcome.dropped_pool_events ?? 0)
  const first =
    accepted === undefined
      ? [`${counted(outcome.published, 'event')} published`]
      : [
          `${counted(accepted, 'swap')} accepted`,
          counted(duplicates, 'duplicate'),
          counted(conflicts ?? 0, 'conflict'),
        ]
  const rest = [
    counted(outcome.token_lines, 'token line'),
    counted(outcome.pool_events, 'pool event'),
    `${grouped(outcome.refused)} refused`,
  ]
  const seldom = [
    outcome.retractions > 0 ? counted(outcome.retractions, 'retraction') : '',
    outcome.warnings > 0 ? `${counted(outcome.warnings, 'field')} left out` : '',
    left > 0 ? `${counted(left, 'event')} of retracted blocks left out` : '',
    old > 0 ? `${counted(old, 'event')} older than stored history refused` : '',
    dead_letters > 0 ? counted(dead_letters, 'dead letter') : '',
    uncounted > 0 ? `${grouped(uncounted)} not counted yet` : '',
    outcome.gap_slots > 0
      ? `${counted(outcome.gap_slots, 'slot')} not recorded, which stay gaps`
      : '',
    outcome.unread_files > 0 ? `${counted(outcome.unread_files, 'file')} not read` : '',
  ]
  return `${[...first, ...rest, ...seldom.filter(Boolean)].join(', ')}\n`
}
