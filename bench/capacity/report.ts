/** `npm run capacity`: options and printed plan. One description serves the parser, `--help` and the messages. */
import { integerOption, parseArguments, UsageError, usage } from '../../deploy/cli/arguments.ts'
import { duration, grouped, table } from '../../deploy/cli/format.ts'
import { helpText } from '../../deploy/cli/help.ts'
import { STREAM_BYTES } from '../../domain/stream-bounds.ts'
import { DEFAULT_LANE_COUNT } from '../../streams/nats/lane.ts'
import { newestWith } from '../record/measurements.ts'
import { COST_ROWS, type Costs, costsFrom, PROGRAMS } from './inputs.ts'
import { type Load, type Plan, planFor } from './model.ts'

/** The unit of the settings SWAP_BYTES and FEED_BYTES. */
const GIB = 1024 ** 3
/** Disks are sold by powers of ten. */
const TB = 1e12

const number = (about: string, standard: string) => ({
  ...({ type: 'string', value: 'N' } as const),
  ...{ about, default: standard },
})

const DESCRIBED = usage({
  line: 'capacity -- [--swaps N] [--average N] [--wallets N] [--days N] [--lanes N] [--reads N] [--subscribers N] [--apis N] [--standbys N] [--stream-copies N] [--swap-gb N] [--feed-gb N] [--seal-hours N] [--disk-tb N] [--json]',
  options: {
    swaps: number('swaps a second at the peak', '500'),
    average: number('average rate, percent of the peak', '40'),
    wallets: number('wallets that trade in all these days', '1000000'),
    days: number('days of history', '365'),
    lanes: number('LANES', String(DEFAULT_LANE_COUNT)),
    reads: number('uncached reads a second', '50'),
    subscribers: number('clients that receive every swap', '20'),
    apis: number('processes of the API', '2'),
    standbys: number('standbys of PostgreSQL', '1'),
    'stream-copies': number('servers that hold each stream', '1'),
    'swap-gb': number('SWAP_BYTES, in GB', String(STREAM_BYTES.SWAP / GIB)),
    'feed-gb': number('FEED_BYTES, in GB', String(STREAM_BYTES.FEED / GIB)),
    'seal-hours': number('SEAL_AFTER_HOURS; 0: no swap is sealed', '0'),
    'disk-tb': number('size of the disk of the database, in TB', '2'),
    json: { type: 'boolean', about: 'print the plan as JSON' },
  },
  notes: ['Measures nothing: docs/capacity.md has the inputs and their limits.'],
  examples: ['npm run capacity -- --swaps 5000 --wallets 20000000 --lanes 4'],
})

const SUMMARY = 'Computes the CPU, memory, disk and network that a load needs'
const BOUNDS: Record<string, { min: number; max: number }> = {
  swaps: { min: 1, max: 1_000_000 },
  average: { min: 1, max: 100 },
  lanes: { min: 1, max: 64 },
  apis: { min: 1, max: 1_000 },
  'stream-copies': { min: 1, max: 5 },
  'swap-gb': { min: 1, max: 1_000_000 },
  'feed-gb': { min: 1, max: 1_000_000 },
}
const COUNT = { min: 0, max: 1_000_000_000_000 }

export const capacityHelp = (): string => helpText(DESCRIBED, SUMMARY, 'npm run')

/** Throws UsageError. */
export function readLoad(argv: readonly string[]): { load: Load; isJson: boolean } {
  const { values, positionals } = parseArguments(DESCRIBED, argv)
  const [extra] = positionals
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`)
  const count = (name: Exclude<keyof typeof values, 'json'>): number =>
    integerOption(name, values[name], BOUNDS[name] ?? COUNT) ?? 0
  const load = {
    peak: count('swaps'),
    averagePercent: count('average'),
    wallets: count('wallets'),
    days: count('days'),
    lanes: count('lanes'),
    reads: count('reads'),
    subscribers: count('subscribers'),
    apiProcesses: count('apis'),
    standbys: count('standbys'),
    streamCopies: count('stream-copies'),
    swapBytes: count('swap-gb') * GIB,
    feedBytes: count('feed-gb') * GIB,
    sealHours: count('seal-hours'),
    diskBytes: count('disk-tb') * TB,
  }
  return { load, isJson: values.json === true }
}

export function printCapacity(
  argv: readonly string[],
  costs: Costs = costsFrom(newestWith(COST_ROWS)),
): string {
  const { load, isJson } = readLoad(argv)
  const plan = planFor(load, costs)
  return isJson ? `${JSON.stringify({ load, plan }, undefined, 2)}\n` : linesOf(load, plan)
}

const bytes = (count: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3))
  return `${(count / 1_000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`
}

const bits = (count: number): string => `${grouped(count / 1e6)} Mbit/s`

function linesOf(load: Load, plan: Plan): string {
  const { cores, memory, disk, network, buffered, laneBound, readBound } = plan
  const total = PROGRAMS.reduce((sum, name) => sum + cores[name], 0)
  const rows = [
    ...PROGRAMS.map((name) => [`CPU at the peak, ${name}`, `${cores[name].toFixed(2)} cores`]),
    ['CPU at the peak, all', `${total.toFixed(2)} cores: plan ${plan.coresPlanned}`],
    ['memory, processes of Swaptide', bytes(memory.processes)],
    ['memory, PostgreSQL', bytes(memory.database)],
    ['disk, a swap', `${grouped(disk.swap)} B`],
    ...(load.sealHours === 0 ? [] : [['disk, a sealed swap', `${grouped(disk.sealedSwap)} B`]]),
    ['disk, one copy of the database', bytes(disk.database)],
    [`days on a disk of ${bytes(load.diskBytes)}`, grouped(disk.days)],
    [`disk, copies of the database: ${1 + load.standbys}`, bytes(disk.databases)],
    [`disk, copies of the streams: ${load.streamCopies}`, bytes(disk.streams)],
    ['network at the peak, NATS', bits(network.nats)],
    ['network at the peak, PostgreSQL', bits(network.database)],
    ['network at the peak, clients', bits(network.clients)],
    ['SWAP is full after, at the peak', duration(buffered.swap * 1_000)],
    ['FEED holds, at the peak', duration(buffered.feed * 1_000)],
    ['bound of a pool lane', `${grouped(laneBound.pool)} swaps/s`],
    ['bound of a ledger lane', `${grouped(laneBound.ledger)} swaps/s`],
    [`bound of reads, APIs: ${load.apiProcesses}`, `${grouped(readBound.api)} reads/s`],
    [`bound of reads, standbys: ${load.standbys}`, `${grouped(readBound.database)} reads/s a core`],
  ]
  const head = `${grouped(plan.swaps)} swaps in ${grouped(load.days)} days`
  return `${head}\n\n${table(['needs', 'amount'], rows)}`
}
