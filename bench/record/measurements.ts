/**
 * Recorded figures: one file a commit in docs/measurements/, which the documents take their figures from. A later run of
 * the same commit on the same machine replaces the rows that it measures and leaves the others.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProgramCpu } from '../measure/cpu.ts'
import type { Figure, Machine } from '../measure/table.ts'

export const FOLDER = fileURLToPath(new URL('../../docs/measurements/', import.meta.url))

export type Row = {
  figure: string
  /** Empty for a ratio. */
  unit: string
  goal?: string
  /** Decimals shown. */
  digits: number
  median: number
  least: number
  greatest: number
  rounds: number
  /** Programs that wanted a core before the run, on average of a minute. */
  load: number
  /** Microseconds a swap, request or event, by program; absent where it was not counted. */
  cpu?: ProgramCpu
}

export type Measurements = {
  commit: string
  /** End of the last run, as ISO 8601. */
  date: string
  machine: Machine
  rows: readonly Row[]
}

/** A run as it is recorded. */
export function recordOf(
  run: Pick<Measurements, 'commit' | 'date' | 'machine'> & {
    load: number
    figures: readonly Figure[]
  },
): Measurements {
  const { commit, date, machine, load, figures } = run
  const rows = figures.map(({ figure, unit, goal, digits = 0, spread, values, cpu }): Row => {
    const counted = Object.keys(cpu).length === 0 ? {} : { cpu: roundedAll(cpu) }
    return {
      ...{ figure, unit, ...(goal === undefined ? {} : { goal }), digits },
      ...roundedAll(spread),
      ...{ rounds: values.length, load: rounded(load), ...counted },
    }
  })
  return { commit, date, machine, rows }
}

/** Four significant digits: a run differs from the next by more. */
const rounded = (value: number): number => Number(value.toPrecision(4))

function roundedAll<Of extends Record<string, number>>(values: Of): Of {
  const entries = Object.entries(values).map(([name, value]) => [name, rounded(value)])
  return Object.fromEntries(entries)
}

/** Rows of the later run win; rows of another machine are not comparable and are replaced. */
export function merged(earlier: Measurements | undefined, later: Measurements): Measurements {
  const isSame = JSON.stringify(earlier?.machine) === JSON.stringify(later.machine)
  const measured = new Map(later.rows.map((row) => [row.figure, row]))
  const before = isSame ? (earlier?.rows ?? []) : []
  const renewed = before.map((row) => measured.get(row.figure) ?? row)
  const known = new Set(before.map(({ figure }) => figure))
  return { ...later, rows: [...renewed, ...later.rows.filter(({ figure }) => !known.has(figure))] }
}

/** Path of the file that the run is written to. */
export function record(run: Measurements, folder = FOLDER): string {
  const path = join(folder, `${run.commit}.json`)
  const earlier = existsSync(path) ? parsed(path) : undefined
  writeFileSync(path, `${JSON.stringify(merged(earlier, run), undefined, 2)}\n`)
  return path
}

const parsed = (path: string): Measurements => JSON.parse(readFileSync(path, 'utf8'))

/** The newest that has all of these rows. Throws where none has, with the rows that the newest lacks. */
export function newestWith(figures: readonly string[], folder = FOLDER): Measurements {
  const found = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => parsed(join(folder, name)))
    .sort((a, b) => b.date.localeCompare(a.date))
  const lacking = (each: Measurements | undefined): string[] =>
    figures.filter((figure) => !each?.rows.some((row) => row.figure === figure))
  const whole = found.find((each) => lacking(each).length === 0)
  if (whole !== undefined) return whole
  const names = lacking(found[0]).map((figure) => `"${figure}"`)
  throw new Error(
    `no measurements with all figures of the documents: the newest lacks ${names.join(', ')}: run "npm run bench"`,
  )
}
