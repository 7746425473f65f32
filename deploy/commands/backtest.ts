/**
 * `swaptide backtest copy`: what copying wallets would have earned, from the stored swaps of an installation. Read-only, without the
 * API, and for more orders than a request answers.
 */
import { asOfSource } from '../../api/resources/as-of/read.ts'
import { type CopiesFound, findCopies } from '../../api/resources/backtest/copy.ts'
import { withLeaders } from '../../api/resources/backtest/leaders.ts'
import { JOB_LIMITS, QuestionTooLarge, tooLarge } from '../../api/resources/backtest/limits.ts'
import {
  type CopyAnswer,
  type CopyRequest,
  copyAnswer,
  copyBody,
} from '../../api/resources/backtest/schema.ts'
import { CoverageGaps } from '../../api/resources/coverage/gaps.ts'
import { bodyParserOf } from '../../api/routing/body.ts'
import { ApiError } from '../../api/routing/error.ts'
import { writerOf } from '../../api/routing/json.ts'
import type { Near } from '../../api/routing/reading/feed-list.ts'
import { csvWriterOf } from '../../api/serving/csv.ts'
import { divideExact, LAMPORTS_PER_SOL, readLamports } from '../../domain/amount.ts'
import { type Edge, readTime } from '../../domain/time/time.ts'
import { ASSUMED_FEES } from '../../domain/venue.ts'
import { type Db, onConnection } from '../../sql/db.ts'
import { choiceWord, expectNone, parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../cli/command.ts'
import { counted, table } from '../cli/format.ts'
import { withDatabase } from '../processes/connections.ts'
import { findInstallation } from '../processes/installation.ts'

export const described = usage({
  line: 'backtest copy (--wallet LIST | --leaders N --leaders-slot S) --from T [--to T] (--size-sol LIST | --ratio R) [--delay LIST] [--set LIST] [--csv] [--json]',
  options: {
    wallet: {
      type: 'string',
      value: 'LIST',
      about: 'comma-separated wallets that are copied, at most 20',
    },
    leaders: {
      type: 'string',
      value: 'N',
      about: 'in place of --wallet: the first N of the ranking as of a slot',
    },
    'leaders-slot': { type: 'string', value: 'S', about: 'that slot, at or before the first one' },
    from: { type: 'string', value: 'T', about: 'first slot, or time of it' },
    to: { type: 'string', value: 'T', about: 'last slot, or time of it; absent: the newest' },
    'size-sol': { type: 'string', value: 'LIST', about: 'SOL of each buy, comma-separated' },
    ratio: { type: 'string', value: 'R', about: 'each buy by that of the leader, such as 0.1' },
    delay: {
      type: 'string',
      value: 'LIST',
      about: 'slots of delay, comma-separated',
      default: '1',
    },
    set: {
      type: 'string',
      value: 'LIST',
      about: 'comma-separated FIELD=VALUE of other fields of POST /v2/backtest/copy',
    },
    csv: { type: 'boolean', about: 'print the trades as CSV' },
    json: { type: 'boolean', about: 'print one JSON object, as POST /v2/backtest/copy answers' },
  },
  notes: [
    'A run for each delay and size. Each order of the wallets is copied in the state of the pool that the stored swaps show some slots later: exact ' +
      'where the formula of the venue is known, else within bounds, else not, with the reason; PnL is then a range. Rule: docs/semantics.md, Copying wallets.',
    'Digits alone are a slot; a time is ISO 8601 with a zone, or a date in UTC. Wallets that were chosen for what they won ' +
      'in these slots win in the back-test, too: choose them by what they did before, ' +
      'as --leaders does. It ranks by a week of realized profit in strict mode.',
  ],
  examples: [
    'swaptide backtest copy --wallet W --from 2026-11-01 --size-sol 0.1 --delay 0,2',
    'swaptide backtest copy --wallet W --from 366000000 --ratio 0.5 --csv',
    'swaptide backtest copy --leaders 10 --leaders-slot S --from T --size-sol 0.1',
  ],
})

/** Beyond this many rows of hours a ranking takes minutes. */
const LEADER_HOURS_MAX = 100_000_000
/** Trades of one answer: its text is below the length that a string may have. */
const TRADES_MAX = 400_000
const PPM = 1_000_000

type Values = ReturnType<typeof parseArguments<(typeof described)['options']>>['values']

const parseBody = bodyParserOf(copyBody)
const writeAnswer = writerOf(copyAnswer)
const writeCsv = csvWriterOf({ answer: copyAnswer, rows: 'trades' })

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const [kind, ...rest] = positionals
  choiceWord('backtest', kind, ['copy'] as const)
  expectNone(described.line, rest)
  const { databaseUrl } = await findInstallation(context.config)
  const options = { name: 'swaptide backtest', isPipelined: true }
  return await withDatabase(databaseUrl, options, async (db) => {
    const answer = await usable(() => answerOf(db, requestOf(values), context.signal))
    context.stdout.write(shownAs(answer, values))
    return EXIT_OK
  })
}

async function answerOf(db: Db, given: CopyRequest, signal: AbortSignal): Promise<CopyAnswer> {
  const gaps = new CoverageGaps()
  const asOf = asOfSource({ gaps, foldedSwapsMax: Number.POSITIVE_INFINITY })
  const near: Near = (work) => onConnection(db, (from) => work(from, undefined))
  const bounds = { walkMs: Number.POSITIVE_INFINITY, hoursMax: LEADER_HOURS_MAX }
  const request = await withLeaders(given, { near, signal, ...bounds }, asOf)
  const found = await findCopies(request, {
    ...{ near: (work) => work(db), gaps, signal },
    limits: JOB_LIMITS,
  })
  return wholeAnswer(found, request.trades)
}

/** A refusal of the API is a wrong use of the command. */
async function usable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ApiError) throw new UsageError(cause.message, { cause })
    if (cause instanceof QuestionTooLarge) {
      throw new UsageError(tooLarge(cause.counted, JOB_LIMITS).message, { cause })
    }
    throw cause
  }
}

/** With all trades. Throws UsageError where they are too many. */
function wholeAnswer(found: CopiesFound, hasTrades: boolean): CopyAnswer {
  const { findings, hash, count } = found
  if (hasTrades && count > TRADES_MAX) {
    throw new UsageError(
      `${counted(count, 'trade')} of all runs, the limit is ${TRADES_MAX}: name fewer delays or sizes, or leave out --csv and --json`,
    )
  }
  const trades = hasTrades ? found.list(0, count) : []
  return { id: null, ...findings, trades, next_cursor: null, result_hash: hash }
}

function requestOf(values: Values): CopyRequest {
  const { delay, csv, json, ratio } = values
  const sizes = values['size-sol']?.split(',').map(lamportsOf)
  return parseBody({
    ...copiedOf(values),
    ...momentOf('from', values.from, 'first'),
    ...momentOf('to', values.to, 'last'),
    delay_slots: delay.split(',').map(Number),
    ...(sizes === undefined ? {} : { size_lamports: sizes }),
    ...(ratio === undefined ? {} : { ratio_ppm: Math.round(Number(ratio) * PPM) }),
    trades: csv === true || json === true,
    ...Object.fromEntries((values.set?.split(',') ?? []).map(fieldOf)),
  }) as CopyRequest
}

function copiedOf({ wallet, leaders, 'leaders-slot': slot }: Values): object {
  if (wallet !== undefined) {
    if (leaders === undefined && slot === undefined) return { wallets: wallet.split(',') }
    throw new UsageError('--wallet and --leaders exclude each other')
  }
  if (leaders === undefined || slot === undefined) {
    throw new UsageError(
      '--wallet is missing: name the wallets to copy, or choose them by --leaders and --leaders-slot',
    )
  }
  return { leaders: { top_n: Number(leaders), as_of_slot: Number(slot) } }
}

function lamportsOf(text: string): number {
  const lamports = readLamports(text)
  if (lamports !== undefined) return Number(lamports)
  throw new UsageError(`--size-sol "${text}": expected SOL such as 0.1`)
}

function momentOf(name: 'from' | 'to', text: string | undefined, edge: Edge): object {
  if (text === undefined) return {}
  if (/^\d+$/.test(text)) return { [`${name}_slot`]: Number(text) }
  const read = readTime(text, edge)
  if ('ms' in read) return { [name]: read.ms }
  throw new UsageError(`--${name} "${text}": ${read.error}`)
}

function fieldOf(text: string): [name: string, value: unknown] {
  const [name = '', value] = text.split('=')
  if (value === undefined) throw new UsageError(`--set "${text}": expected FIELD=VALUE`)
  if (value === 'true' || value === 'false') return [name, value === 'true']
  return [name, /^\d+$/.test(value) ? Number(value) : value]
}

function shownAs(answer: CopyAnswer, { csv, json }: Values): string {
  if (json) return `${writeAnswer(answer)}\n`
  return csv ? (writeCsv?.(writeAnswer(answer)).text ?? '') : describe(answer)
}

const COLUMNS = [
  'delay',
  'size',
  'orders',
  'exact',
  'bounded',
  'unpriced',
  'not made',
  'PnL low',
  'PnL high',
  'needed',
  'exact share',
]

function describe({ as_of, assumptions, leaders, runs, result_hash }: CopyAnswer): string {
  const rows = runs.map(({ settings, orders, priced, ...run }) => {
    const made = [priced.exact, priced.bounded, priced.unpriced].map(Number)
    return [
      String(settings.delay_slots),
      settings.size_lamports === null ? `${settings.ratio_ppm} ppm` : solOf(settings.size_lamports),
      String(orders),
      ...made.map(String),
      String(Number(orders) - made.reduce((sum, each) => sum + each, 0)),
      ...[run.pnl_lamports.low, run.pnl_lamports.high, run.capital_needed_lamports].map(solOf),
      priced.exact_share === null ? '' : priced.exact_share.toFixed(4),
    ]
  })
  const notes = runs.flatMap(({ settings, status }) => {
    const counts = Object.entries(status).map(([name, count]) => `${name} ${count}`)
    return counts.length === 0 ? [] : [`delay ${settings.delay_slots}: ${counts.join(', ')}\n`]
  })
  const gaps = as_of.coverage_gaps.length
  const assumed = runs.reduce((sum, { priced }) => sum + Number(priced.fee_assumed), 0)
  const { [ASSUMED_FEES]: bps } = assumptions
  return [
    table(COLUMNS, rows),
    ...notes,
    assumed === 0
      ? ''
      : `${counted(assumed, 'fill')} by ${bps} bps for fees that no source stated: see --set ${ASSUMED_FEES}=N\n`,
    gaps === 0
      ? ''
      : `${counted(gaps, 'gap')} of coverage in these slots: see "swaptide coverage"\n`,
    `amounts in SOL, up to slot ${as_of.slot}; ${
      leaders === null
        ? 'wallets as given, with hindsight unless chosen before'
        : `wallets that led as of slot ${leaders.as_of_slot}: ${leaders.wallets.join(', ')}`
    }\n`,
    `result ${result_hash}\n`,
  ].join('')
}

function solOf(lamports: number | bigint): string {
  const exact = BigInt(lamports)
  const size = divideExact(exact < 0n ? -exact : exact, LAMPORTS_PER_SOL).toFixed(9)
  return exact < 0n ? `-${size}` : size
}
