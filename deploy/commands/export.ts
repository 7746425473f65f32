/**
 * `swaptide export`: swaps, candles, positions, open lots and the leaderboard as files of Parquet, CSV or NDJSON, all from
 * one snapshot, with a manifest of rows, hashes and columns. Paths go to stdout; SIGINT ends it without a half file.
 */
import { INT64_MAX } from '../../domain/amount.ts'
import { TIMEFRAMES } from '../../domain/time/timeframe.ts'
import { LEADERBOARD_PERIODS } from '../../domain/wallet/leaderboard.ts'
import { PNL_MODES } from '../../domain/wallet/pnl-mode.ts'
import { LakeUnusable } from '../../lake/folder.ts'
import { choiceOption, expectNone, parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../cli/command.ts'
import { counted, duration, grouped } from '../cli/format.ts'
import { timeOption } from '../cli/times.ts'
import { exportDays } from '../export/daily.ts'
import { exportTables } from '../export/export.ts'
import { FORMATS } from '../export/formats/format.ts'
import { type Limits, TABLE_NAMES, type TableName } from '../export/tables/table.ts'
import { withDatabase } from '../processes/connections.ts'
import { findInstallation } from '../processes/installation.ts'

export const described = usage({
  line:
    'export (--output DIR | --daily DIR) [--what LIST] [--format F] [--from T] [--to T] [--timeframe W] [--period P] ' +
    '[--pnl-mode M] [--with-arbitrage]',
  options: {
    output: { type: 'string', value: 'DIR', about: 'folder of the files: a new or an empty one' },
    daily: {
      type: 'string',
      value: 'DIR',
      about: 'folder of a file of swaps a day, continued and corrected by each run',
    },
    what: {
      type: 'string',
      value: 'LIST',
      about: `comma-separated, of ${TABLE_NAMES.join(' ')}; absent: all`,
    },
    format: { type: 'string', value: 'F', about: FORMATS.join(', '), default: 'parquet' },
    from: { type: 'string', value: 'T', about: 'first moment, inclusive; absent: the beginning' },
    to: { type: 'string', value: 'T', about: 'last moment, inclusive; absent: no bound' },
    timeframe: { type: 'string', value: 'W', about: 'width of the candles', default: '1m' },
    period: { type: 'string', value: 'P', about: 'period of the leaderboard', default: '7d' },
    'pnl-mode': {
      type: 'string',
      value: 'M',
      about: `realized PnL: ${PNL_MODES.join(', ')}`,
      default: 'adjusted',
    },
    'with-arbitrage': { type: 'boolean', about: 'rank arbitrageurs, too' },
  },
  notes: [
    'All files are of one snapshot of the database. Columns are the fields of the REST API, with their units; manifest.json lists them, with ' +
      'the rows, bytes and SHA-256 of each file, and how far each lane had read. It is written last: a folder without ' +
      'it holds an export that was not finished.',
    '--from and --to select swaps by their time, candles by their bucket, positions by their last trade and lots by ' +
      'their buy; not the leaderboard, which ends with the newest swap. A time is ISO 8601 with a zone, a date (the ' +
      'whole day in UTC) or Unix ms.',
    '--daily writes the swaps of each UTC day that has been over for an hour to DIR/swaps/DAY.parquet, and lists the days in lake.json. A run ' +
      'that is stopped is continued by the next, which also writes the days again whose swaps have changed. "swaptide sql" ' +
      'reads the folder. With it only --from and --to are used: whole days between them.',
    'Integers are exact in every format. "swaptide replay" writes swaps that can be ingested again.',
  ],
  examples: [
    'swaptide export --output export',
    'swaptide export --what swaps,candles --from 2026-11-01 --output november',
    'swaptide export --daily lake',
    'swaptide export --what leaderboard --period 30d --format csv --output ranks',
  ],
})

type Values = ReturnType<typeof parseArguments<(typeof described)['options']>>['values']

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  if (values.daily !== undefined) return await runDaily(values.daily, values, context)
  const { output: folder } = values
  if (folder === undefined || folder === '') {
    throw new UsageError('--output is missing: name the folder of the files')
  }
  const tables = tablesOf(values.what)
  const limits = limitsOf(values)
  const format = choiceOption('format', values.format, FORMATS)
  const { databaseUrl } = await findInstallation(context.config)
  const { stdout, stderr, progress, signal } = context
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  try {
    return await withDatabase(databaseUrl, { name: 'swaptide export' }, async (db) => {
      const manifest = await exportTables(db, {
        ...{ folder, tables, limits, format, signal },
        now: Date.now,
        onRows: (table, rows) =>
          progress.update(() => `${table}: ${counted(rows, 'row')}, ${duration(elapsedMs())}`),
        onFile: ({ rows, bytes }, path) => {
          stderr.write(`${path}: ${counted(rows, 'row')}, ${grouped(bytes)} bytes\n`)
          stdout.write(`${path}\n`)
        },
      })
      stdout.write(`${manifest}\n`)
      stderr.write(`exported in ${duration(elapsedMs())}\n`)
      return EXIT_OK
    })
  } catch (error) {
    if (!signal.aborted) throw error
    stderr.write(`stopped: "${folder}" has no manifest and is not a whole export: remove it\n`)
    return EXIT_FAILED
  }
}

async function runDaily(folder: string, values: Values, context: CommandContext): Promise<number> {
  const { output, what, ...others } = values
  const isPlain = others.format === 'parquet' && others['with-arbitrage'] === undefined
  if (folder === '' || output !== undefined || what !== undefined || !isPlain) {
    throw new UsageError('--daily DIR writes swaps as Parquet: only --from and --to go with it')
  }
  const limits = limitsOf(values)
  const { databaseUrl } = await findInstallation(context.config)
  const { stdout, stderr, progress, signal } = context
  try {
    return await withDatabase(databaseUrl, { name: 'swaptide export' }, async (db) => {
      const { written, unchanged } = await exportDays(db, {
        ...{ folder, limits, signal },
        onRows: (day, rows) => progress.update(() => `${day}: ${counted(rows, 'row')}`),
        onDay({ day, rows, bytes, coverage_gaps: gaps }, path) {
          const lacking = gaps.length === 0 ? '' : `, ${counted(gaps.length, 'gap')} of coverage`
          stderr.write(`${day}: ${counted(rows, 'row')}, ${grouped(bytes)} bytes${lacking}\n`)
          stdout.write(`${path}\n`)
        },
      })
      stderr.write(`${counted(written, 'day')} written, ${unchanged} unchanged\n`)
      return EXIT_OK
    })
  } catch (error) {
    if (error instanceof LakeUnusable) throw new UsageError(error.message, { cause: error })
    if (!signal.aborted) throw error
    stderr.write(
      'stopped: days that are listed in lake.json are whole, and the next run continues\n',
    )
    return EXIT_FAILED
  }
}

/** In the order of TABLE_NAMES, each once. */
function tablesOf(what: string | undefined): TableName[] {
  if (what === undefined) return [...TABLE_NAMES]
  const named = new Set(what.split(',').map((name) => choiceOption('what', name, TABLE_NAMES)))
  return TABLE_NAMES.filter((name) => named.has(name))
}

function limitsOf(values: Values): Limits {
  const fromMs = timeOption('from', values.from, 'first') ?? 0
  const toMs = timeOption('to', values.to, 'last') ?? INT64_MAX
  if (fromMs > toMs) {
    throw new UsageError(`--from "${values.from}": expected no later than --to "${values.to}"`)
  }
  return {
    ...{ fromMs, toMs },
    timeframe: choiceOption('timeframe', values.timeframe, TIMEFRAMES),
    period: choiceOption('period', values.period, LEADERBOARD_PERIODS),
    mode: choiceOption('pnl-mode', values['pnl-mode'], PNL_MODES),
    isHonest: values['with-arbitrage'] !== true,
  }
}
