/**
 * `swaptide sql`: one SELECT over the daily files of swaps, by DuckDB in a program of its own with limits. It needs the folder,
 * and no servers.
 */
import { stringify } from 'csv-stringify/sync'
import { parse as parseExact } from 'lossless-json'
import { type LakeDay, LakeUnusable, lakeFiles } from '../../../lake/folder.ts'
import {
  DUCK_INSTALLED_BY,
  type QueryAnswer,
  QueryRefused,
  runQuery,
} from '../../../lake/jail/run.ts'
import {
  choiceOption,
  integerOption,
  parseArguments,
  UsageError,
  usage,
} from '../../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../../cli/command.ts'
import { counted, duration, table } from '../../cli/format.ts'

const FORMATS = ['table', 'csv', 'json'] as const
const ROWS = 10_000
const SECONDS = 60
const ROWS_MAX = 1_000_000
const BYTES_MAX = 512 * 1024 ** 2
const SECONDS_MAX = 3_600

export const described = usage({
  line: 'sql "SELECT" [--lake DIR] [--format F] [--rows N] [--seconds N]',
  options: {
    lake: {
      type: 'string',
      value: 'DIR',
      about: 'folder that "export --daily" writes; absent: LAKE_DIR',
    },
    format: { type: 'string', value: 'F', about: FORMATS.join(', '), default: 'table' },
    rows: {
      type: 'string',
      value: 'N',
      about: 'rows that are printed at most',
      default: String(ROWS),
    },
    seconds: {
      type: 'string',
      value: 'N',
      about: 'time of the query at most',
      default: String(SECONDS),
    },
  },
  notes: [
    'The table is "swaps", with the columns of /swaps; a query reads it, its own subqueries, range(), generate_series() and unnest(). Integers are ' +
      'exact. An answer that a bound cuts is printed, and the command ends with code 1.',
    `DuckDB comes by "${DUCK_INSTALLED_BY}" in the folder of swaptide.`,
  ],
  examples: [
    "swaptide sql 'select dex, count(*) from swaps group by dex' --lake lake",
    "swaptide sql 'from swaps order by sol_amount desc limit 9' --format csv",
  ],
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  const [sql, ...rest] = positionals
  if (sql === undefined || rest.length > 0) {
    throw new UsageError(`expected one argument, the SELECT in quotes: swaptide ${described.line}`)
  }
  const { stdout, stderr, signal } = context
  const { lakeDir } = context.config
  const folder = values.lake ?? lakeDir
  if (folder === undefined) {
    throw new UsageError('no folder: name it by --lake DIR or LAKE_DIR; "export --daily" writes it')
  }
  const format = choiceOption('format', values.format, FORMATS)
  const limits = {
    rows: integerOption('rows', values.rows, { min: 1, max: ROWS_MAX }) ?? ROWS,
    bytes: BYTES_MAX,
    ms: (integerOption('seconds', values.seconds, { min: 1, max: SECONDS_MAX }) ?? SECONDS) * 1_000,
  }
  const startedAt = performance.now()
  try {
    const { lake, paths } = await lakeFiles(folder)
    const answer = await runQuery({ sql, paths, limits, signal })
    stdout.write(PRINTERS[format](answer))
    stderr.write(`${noteOf(answer, lake.days, performance.now() - startedAt)}\n`)
    return answer.truncated === null ? EXIT_OK : EXIT_FAILED
  } catch (cause) {
    if (cause instanceof LakeUnusable) throw new UsageError(cause.message, { cause })
    if (!(cause instanceof QueryRefused)) throw cause
    stderr.write(`${cause.message}\n`)
    return EXIT_FAILED
  }
}

const PRINTERS: Record<(typeof FORMATS)[number], (answer: QueryAnswer) => string> = {
  table: ({ columns, rows }) =>
    table(
      columns.map(({ name }) => name),
      rows.map((row) => cellsOf(row).map((cell) => cell ?? 'null')),
    ),
  csv: ({ columns, rows }) =>
    stringify([columns.map(({ name }) => name), ...rows.map((row) => cellsOf(row))]),
  json: ({ columns, rows }) =>
    `{"columns":${JSON.stringify(columns)},"rows":[${rows.join(',\n')}]}\n`,
}

/** Texts as they are, other values as JSON, digit for digit. */
function cellsOf(row: string): (string | null)[] {
  // Numbers stay texts: their digits are printed as they came.
  const cells = parseExact(row, undefined, { parseNumber: (digits) => digits }) as unknown[]
  return cells.map((cell) => {
    if (cell === null || typeof cell === 'string') return cell
    return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
  })
}

function noteOf({ rows, truncated }: QueryAnswer, days: readonly LakeDay[], ms: number): string {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  const swaps = days.reduce((sum, day) => sum + day.rows, 0)
  const gaps = days.filter((day) => day.coverage_gaps.length > 0).length
  return [
    `${counted(rows.length, 'row')} in ${duration(ms)}, of ${counted(swaps, 'swap')} in ${counted(days.length, 'day')}, ${first} to ${last}`,
    ...(gaps === 0 ? [] : [`gaps of coverage in ${counted(gaps, 'day')}: see lake.json`]),
    ...(truncated === null
      ? []
      : [`cut: the answer has more ${truncated} than a bound: raise --rows, or aggregate`]),
  ].join('\n')
}
