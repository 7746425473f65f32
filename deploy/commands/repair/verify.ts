/**
 * `swaptide verify`: folds the stored swaps afresh and compares every table, and the rankings that are served, with the
 * result. Prints a hash of both; exit code 1 where they differ, with the first differences. With a day, times or a state folder
 * it verifies days one by one, by the tables that follow from a day's swaps.
 */
import { readProgram } from '../../../api/resources/health/program.ts'
import { TIME_MAX_MS } from '../../../domain/time/time.ts'
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { NOT_BY_DAY } from '../../../workers/verify/days/day.ts'
import {
  type DayResult,
  heldFromMs,
  isEqual,
  verifyDays,
} from '../../../workers/verify/days/verify-days.ts'
import { type NotHeld, verify } from '../../../workers/verify/verify.ts'
import {
  expectNone,
  integerOption,
  parseArguments,
  UsageError,
  usage,
} from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, grouped, jsonLine, table } from '../../cli/format.ts'
import { timeOption } from '../../cli/times.ts'
import { withDatabase } from '../../processes/connections.ts'
import { findInstallation } from '../../processes/installation.ts'
import { runBeside } from '../../verify/processes.ts'
import { stateFolder } from '../../verify/state-folder.ts'

const PROCESSES_MAX = 64

export const described = usage({
  line: 'verify [--day D | --from T --to T] [--state DIR [--processes N]] [--json]',
  options: {
    day: { type: 'string', value: 'D', about: 'verify one UTC day, such as 2026-11-01' },
    from: { type: 'string', value: 'T', about: 'verify days, from this time on' },
    to: { type: 'string', value: 'T', about: 'last time of the days, inclusive' },
    state: {
      type: 'string',
      value: 'DIR',
      about: 'verify days, and store the result of each in this folder',
    },
    processes: {
      type: 'string',
      value: 'N',
      about: 'processes that share the days',
      default: '1',
    },
    json: { type: 'boolean', about: 'print one JSON object' },
  },
  notes: [
    'Prints a hash of each table and of its recomputation; exit code 1 where they differ. Reads one snapshot of the ' +
      'database: workers may run meanwhile.',
    'Rankings that a worker refreshes are compared, too, with rankings computed from the tables. While swaps come in, these ' +
      'are the tokens that did not trade within the last minute.',
    'Days: swaps, signatures, candles, their traders, volumes and times of slots of each UTC day, in a snapshot a day. With ' +
      '--state a stopped run is continued by the next; a day that differed, whose swaps have changed, or that another version verified, is ' +
      'verified again. Several commands on one database share the days. Without these options "swaptide verify" ' +
      `also compares what follows from all history: ${NOT_BY_DAY}.`,
  ],
  examples: [
    'swaptide verify',
    'swaptide verify --json',
    'swaptide verify --day 2026-11-01',
    'swaptide verify --state verified --processes 2',
  ],
})

type Values = ReturnType<typeof parseArguments<(typeof described)['options']>>['values']

/** First and last Unix ms of the days; undefined: everything is verified at once. */
function timesOf({ day, from, to, state, processes }: Values) {
  if (day !== undefined && (from !== undefined || to !== undefined)) {
    throw new UsageError('--day is one day, --from and --to are several: use either')
  }
  const count = integerOption('processes', processes, { min: 1, max: PROCESSES_MAX }) ?? 1
  if (count > 1 && state === undefined) {
    throw new UsageError('--processes needs --state DIR, the folder by which they share the days')
  }
  if (state === '') throw new UsageError('--state "": expected a folder')
  if ([day, from, to, state].every((value) => value === undefined)) return undefined
  const fromMs = timeOption('from', from, 'first') ?? 0
  const toMs = timeOption('to', to, 'last') ?? TIME_MAX_MS
  if (fromMs > toMs) throw new UsageError(`--from "${from}": expected no later than --to "${to}"`)
  if (day === undefined) return { fromMs, toMs, count }
  const dayMs = timeOption('day', day, 'first')!
  if (dayMs % DAY_MS !== 0)
    throw new UsageError(`--day "${day}": expected a date, such as 2026-11-01`)
  return { fromMs: dayMs, toMs: dayMs + DAY_MS - 1, count }
}

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const times = timesOf(values)
  if (times !== undefined) return await runDays(values, times, context)
  const { databaseUrl } = await findInstallation(context.config)
  return await withDatabase(
    databaseUrl,
    { name: 'swaptide verify', connectionsMax: 10 },
    async (db) => {
      const found = await verify(db, { log: context.log('warn') })
      context.stdout.write(values.json ? jsonLine(found) : report(found))
      return found.clean ? EXIT_OK : EXIT_FAILED
    },
  )
}

async function runDays(
  values: Values,
  { fromMs, toMs, count }: { fromMs: number; toMs: number; count: number },
  { config, stdout, progress, signal }: CommandContext,
): Promise<number> {
  const { databaseUrl } = await findInstallation(config)
  const store = values.state === undefined ? undefined : await stateFolder(values.state)
  const { version, commit = '', schema } = readProgram()
  const known = new Set<string>()
  const others = new AbortController()
  const ended = AbortSignal.any([signal, others.signal])
  const { state = '' } = values
  const chosen = (['day', 'from', 'to'] as const).flatMap((name) =>
    values[name] === undefined ? [] : [`--${name}`, values[name]],
  )
  const argv = ['verify', '--state', state, ...chosen]
  const beside = runBeside(count - 1, argv, config.environment, ended)
  try {
    let heldMs = 0
    const results = await withDatabase(databaseUrl, { name: 'swaptide verify' }, async (db) => {
      heldMs = await heldFromMs(db)
      return verifyDays(db, {
        ...{ fromMs, toMs, store, signal },
        version: [version, commit, schema].join(' '),
        now: Date.now,
        onDay(result, isKnown) {
          if (isKnown) known.add(result.day)
          progress.update(() => `${result.day}: ${counted(result.swaps, 'swap')}`)
        },
      })
    })
    const isClean = results.every(isEqual)
    const notHeldBefore = heldMs > fromMs ? new Date(heldMs).toISOString().slice(0, 10) : null
    const found = { days: results, notByDay: NOT_BY_DAY, notHeldBefore, clean: isClean }
    stdout.write(values.json ? jsonLine(found) : reportOfDays(results, known, notHeldBefore))
    return isClean ? EXIT_OK : EXIT_FAILED
  } finally {
    others.abort()
    await beside
  }
}

function reportOfDays(
  results: readonly DayResult[],
  known: ReadonlySet<string>,
  notHeldBefore: string | null,
): string {
  const rows = results.map((result) => [
    result.day,
    grouped(result.swaps),
    new Date(result.verifiedMs).toISOString(),
    known.has(result.day) ? 'stored' : 'verified',
    isEqual(result) ? 'equal' : 'DIFFERENT',
  ])
  const listed = table(['day', 'swaps', 'at', '', ''], rows)
  const differences = results.flatMap(({ day, tables }) =>
    tables.flatMap(({ name, differences: found }) =>
      found.map((difference) => `${day} ${name}: ${difference}\n`),
    ),
  )
  const isClean = results.every(isEqual)
  const result = isClean ? 'clean: these days are the fold of their swaps\n' : 'not clean\n'
  const notHeld =
    notHeldBefore === null
      ? ''
      : `not held: days before ${notHeldBefore}, whose swaps HISTORY_DAYS dropped\n`
  return `${listed}${differences.join('')}not compared: ${NOT_BY_DAY}\n${notHeld}${result}`
}

function report({
  tables,
  rankings,
  sandwiches,
  notHeld,
  clean,
}: Awaited<ReturnType<typeof verify>>): string {
  const rows = tables.map(({ name, rows, stored, folded, equal }) => [
    name,
    grouped(rows),
    stored,
    folded,
    equal ? 'equal' : 'DIFFERENT',
  ])
  const listed = table(['table', 'rows', 'stored', 'folded', ''], rows)
  const differences = tables.flatMap(({ name, differences }) =>
    differences.map((difference) => `${name}: ${difference}\n`),
  )
  const served =
    rankings.tokens === 0
      ? 'rankings: no worker refreshes them\n'
      : `rankings: ${grouped(rankings.tokens)} places served\n`
  const stale = rankings.differences.map((difference) => `rankings: ${difference}\n`)
  const brackets =
    `sandwiches: ${counted(sandwiches.brackets, 'bracket')}, ` +
    `${grouped(sandwiches.pending)} of which may still change\n`
  const others = sandwiches.differences.map((difference) => `sandwiches: ${difference}\n`)
  const old = notHeld === undefined ? '' : textOfNotHeld(notHeld)
  const result = clean ? 'clean: every table is the fold of its swaps\n' : 'not clean\n'
  return `${listed}${differences.join('')}${served}${stale.join('')}${brackets}${others.join('')}${old}${result}`
}

function textOfNotHeld({ since, pools, positions }: NotHeld): string {
  const first = `slot ${since.slot} (${new Date(since.ms).toISOString()})`
  const kinds = `${counted(pools, 'pool')} and ${counted(positions, 'position')}`
  return `not held: swaps before ${first}, which HISTORY_DAYS dropped; ${kinds} began earlier and are not compared\n`
}
