/**
 * Figures in documents: the blocks of README, performance and capacity between `<!-- figures: NAME -->` and
 * `<!-- end of figures -->`, generated from the newest recorded measurements that have all of them. `npm run generate` writes
 * the blocks, and test/docs/measurements.test.ts compares them.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { grouped } from '../../deploy/cli/format.ts'
import { withBlock } from '../../deploy/reference/markdown.ts'
import { COST_ROWS, type Costs, costsFrom, PROGRAMS } from '../capacity/inputs.ts'
import { planFor } from '../capacity/model.ts'
import { printCapacity, readLoad } from '../capacity/report.ts'
import { machineText } from '../measure/table.ts'
import { type Measurements, newestWith, type Row } from '../record/measurements.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Figures of README: what a user notices first, by a shorter name. */
const HEADLINE: readonly (readonly [work: string, figures: readonly string[]])[] = [
  [
    'swaps/s through pool, ledger and ranking at full speed',
    ['pipeline with ledger and ranking, a worker process each'],
  ],
  [
    'published to readable by REST at 2,000 swaps/s, p50 / p99',
    [
      'published -> readable by REST at 2,000 swaps/s, after these, p50',
      'published -> readable by REST at 2,000 swaps/s, after these, p99',
    ],
  ],
  [
    '500 mixed reads/s alongside it, p99 of hot / cold',
    [
      'hot reads at 500 reads/s alongside 2,000 swaps/s, p99',
      'cold reads at 500 reads/s alongside 2,000 swaps/s, p99',
    ],
  ],
  [
    '1,000 swaps/s and 100 reads/s alongside a program that takes a core, p99 of swaps / reads',
    [
      'published -> readable by REST at 1,000 swaps/s and 100 reads/s alongside a busy core, p99',
      'reads at 1,000 swaps/s and 100 reads/s alongside a busy core, p99',
    ],
  ],
  [
    'events/s to WebSockets by a core of the API, one a message / ten',
    [
      'fan-out, WebSocket, messages of 1, by the core',
      'fan-out, WebSocket, messages of 10, by the core',
    ],
  ],
]

/** Rows that some document names. */
export const NAMED_ROWS: readonly string[] = [
  ...new Set([...COST_ROWS, ...HEADLINE.flatMap(([, figures]) => figures)]),
]

/** Paces of the chain live, blocks/s; its own is the first. */
const PACES = ['2.5', '5', '20'] as const
const liveRows = (pace: string): readonly string[] => [
  `live at ${pace} blocks/s, a block of 133 events`,
  `live at ${pace} blocks/s, a block of 133 events, with 100 WebSocket clients and 20 reads/s`,
  `block -> REST at ${pace} blocks/s, p50`,
  `block -> REST at ${pace} blocks/s, p99`,
  `block -> WebSocket at ${pace} blocks/s, p99`,
]
const IDLE_ROW = 'all parts without input'

type Block = (found: Measurements, costs: Costs) => string

const BLOCKS: Readonly<Record<string, Readonly<Record<string, Block>>>> = {
  'README.md': { headline },
  'docs/performance.md': { all },
  'docs/capacity.md': { costs: costsBlock, reads: readsBlock, bounds: boundsBlock, lanes, live },
}

/** Texts by path from the root, as they should be. */
export function documentTexts(
  found = newestWith(NAMED_ROWS),
  read = (path: string): string => readFileSync(ROOT + path, 'utf8'),
): ReadonlyMap<string, string> {
  const costs = costsFrom(found)
  return new Map(
    Object.entries(BLOCKS).map(([path, blocks]) => {
      const filled = Object.entries(blocks).reduce(
        (text, [name, block]) =>
          withBlock(text, {
            ...{ path, begin: `<!-- figures: ${name} -->`, end: END },
            block: block(found, costs),
          }),
        read(path),
      )
      return [path, withOutputs(filled, costs)]
    }),
  )
}

const END = '<!-- end of figures -->'

/** Outputs of `npm run capacity` that a document shows. */
function withOutputs(text: string, costs: Costs): string {
  return text.replaceAll(
    /^(\$ npm run -s capacity -- (.*)\n)[^`]*```$/gm,
    (_, command: string, argv: string) =>
      `${command}${printCapacity(argv.split(' '), costs)}\`\`\``,
  )
}

function shown({ unit, digits, median }: Row): string {
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${median.toLocaleString('en-US', format)}${unit === '' ? '' : ` ${unit}`}`
}

const tableOf = (head: string, rule: string, rows: readonly string[]): string =>
  [head, rule, ...rows, ''].join('\n')

function sourceOf({ commit, machine, date, rows }: Measurements): string {
  const loads = rows.map(({ load }) => load)
  const rounds = rows.map((row) => row.rounds)
  return (
    `Commit ${commit} on ${date.slice(0, 10)}: ${machineText(machine)}. Load of other programs before the runs ` +
    `${range(loads)}, medians of ${range(rounds)} ${Math.max(...rounds) === 1 ? 'round' : 'rounds'}.`
  )
}

function range(values: readonly number[]): string {
  const [least, greatest] = [Math.min(...values), Math.max(...values)]
  return least === greatest ? `${least}` : `${least} to ${greatest}`
}

function headline(found: Measurements): string {
  const rows = HEADLINE.map(([work, figures]) => {
    const values = figures.map((figure) => shown(found.rows.find((row) => row.figure === figure)!))
    return `| ${work} | ${values.join(' / ')} |`
  })
  return `${tableOf('| work | measured |', '| --- | ---: |', rows)}\n${sourceOf(found)}\n`
}

/** Every figure that has a goal or is named, and whether its goal holds. */
function all(found: Measurements): string {
  const rows = found.rows
    .filter(({ goal, figure }) => goal !== undefined || NAMED_ROWS.includes(figure))
    .map((row) => {
      const holds = row.goal === undefined ? '' : isMet(row.goal, row.median) ? 'yes' : '**no**'
      return `| ${row.figure} | ${shown(row)} | ${row.goal ?? ''} | ${holds} |`
    })
  const head = '| work | median | goal | holds |'
  return `${sourceOf(found)}\n\n${tableOf(head, '| --- | ---: | --- | --- |', rows)}`
}

/** By the newest record of its own: it is measured more often than all figures together. */
function live(): string {
  const found = newestWith([...PACES.flatMap(liveRows), IDLE_ROW])
  const text = (figure: string): string => shown(found.rows.find((row) => row.figure === figure)!)
  const rows = PACES.map((pace) => `| ${[pace, ...liveRows(pace).map(text)].join(' | ')} |`)
  const head =
    '| blocks/s | CPU a block | with 100 clients | block to REST, p50 | p99 | to WebSocket, p99 |'
  const rule = '| ---: | ---: | ---: | ---: | ---: | ---: |'
  return `${sourceOf(found)}\n\n${tableOf(head, rule, rows)}\nAll parts without input: ${text(IDLE_ROW)}.\n`
}

/** `<= 1,000`, `>= 0.9`, `> 0` or a number that must be equal. Throws on another goal. */
export function isMet(goal: string, value: number): boolean {
  const [, sign, digits = ''] = /^(<=|>=|>|) ?([\d,.]+)$/.exec(goal) ?? []
  const bound = Number(digits.replaceAll(',', ''))
  if (sign === '<=') return value <= bound
  if (sign === '>=') return value >= bound
  if (sign === '>') return value > bound
  if (sign === '') return value === bound
  throw new Error(`goal "${goal}": expected "<= N", ">= N", "> N" or "N"`)
}

function costsBlock(found: Measurements, { swap }: Costs): string {
  const rows = PROGRAMS.map((name) => {
    const program = name === 'API' ? 'API, each process' : name
    const lane = name === 'ranking' ? ', one lane' : ''
    const full = name === 'API' ? `not measured: ${swap.API.full}` : `${swap[name].full}`
    return `| ${program}${lane} | ${swap[name].steady} | ${full} |`
  })
  const head = '| program | steady 2,000 swaps/s, 2 lanes: us a swap | full speed: us a swap |'
  return `${sourceOf(found)}\n\n${tableOf(head, '| --- | ---: | ---: |', rows)}`
}

function readsBlock(_: Measurements, { read, eventsPerCore }: Costs): string {
  return (
    `A read that no cache answers takes ${read.API} us of the API and ${read.PostgreSQL} us of PostgreSQL; a core of the\n` +
    `API sends ${grouped(eventsPerCore)} events/s.\n`
  )
}

/** Processes of the API and standbys. */
const READERS = [
  [1, 1],
  [2, 1],
  [2, 2],
  [4, 4],
] as const

function boundsBlock(_: Measurements, costs: Costs): string {
  const { load } = readLoad(['--swaps', '500', '--subscribers', '0'])
  const rows = READERS.map(([apiProcesses, standbys]) => {
    const { readBound } = planFor({ ...load, apiProcesses, standbys }, costs)
    const bounds = [grouped(readBound.api), grouped(readBound.database)]
    return `| ${[apiProcesses, standbys, ...bounds].join(' | ')} |`
  })
  const head = '| APIs | standbys | reads/s of the APIs | reads/s of the standbys |'
  return tableOf(head, '| ---: | ---: | ---: | ---: |', rows)
}

const CORES = [2, 4, 8, 16]
const LANES = [1, 2, 4]

/** The least of what all cores, the lanes of pools and of wallets, and the one lane of the ranking can do. */
function lanes(found: Measurements, { swap }: Costs): string {
  const whole = found.rows.find(({ figure }) => figure === COST_ROWS[1])
  const sum = Object.values(whole?.cpu ?? {}).reduce((total, micros) => total + micros, 0)
  const bound = (cores: number, count: number): string => {
    const bounds = [cores / sum, count / swap.pool.full, count / swap.ledger.full]
    return grouped(Math.min(...bounds, 1 / swap.ranking.full) * 1e6)
  }
  const rows = CORES.map(
    (cores) => `| ${[cores, ...LANES.map((n) => bound(cores, n))].join(' | ')} |`,
  )
  const by =
    `swaps/s = the least of cores / ${sum.toFixed(1)} us, lanes / ${swap.pool.full} us (pool), lanes / ` +
    `${swap.ledger.full} us (ledger) and 1 / ${swap.ranking.full} us (ranking):`
  return `${by}\n\n${tableOf('| cores | 1 lane | 2 lanes | 4 lanes |', '| ---: | ---: | ---: | ---: |', rows)}`
}
