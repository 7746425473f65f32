/**
 * `npm run bench`: the throughput and latency of Swaptide on this machine, alongside the raw limits of its servers, all on
 * a separate durable stack in a temporary folder. One table at the end. Figures never make it fail; a wrong count does
 * (exit code 1). Options: `npm run bench -- --help`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { UsageError } from '../deploy/cli/arguments.ts'
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from '../deploy/cli/command.ts'
import { ENVIRONMENT, readConfig } from '../deploy/config.ts'
import { type Stack, startStack } from '../deploy/local/stack.ts'
import { fanOut } from './feeds/fan-out.ts'
import { feedLatency } from './feeds/feed-latency.ts'
import { slowReaders } from './feeds/slow-readers.ts'
import { growthFigures } from './growth/figures.ts'
import { grow } from './growth/growth.ts'
import { limitMemory } from './growth/memory.ts'
import { freshStart } from './load/fresh-start.ts'
import { headroom } from './load/headroom.ts'
import { live } from './load/live.ts'
import { noCliff } from './load/no-cliff.ts'
import {
  type Calibration,
  calibrate,
  calibrationText,
  commitOfBench,
} from './measure/calibration.ts'
import type { FigurePlan, Sample } from './measure/sample.ts'
import { figures, machine, machineText, markdown } from './measure/table.ts'
import type { BenchContext, Measurement } from './measurement.ts'
import { type BenchOptions, benchHelp, type Growth, readOptions } from './options.ts'
import { pages } from './pages/pages.ts'
import { widePages } from './pages/wide-pages.ts'
import { car } from './pipeline/car.ts'
import { chain } from './pipeline/chain.ts'
import { copy } from './pipeline/copy.ts'
import { history } from './pipeline/history.ts'
import { ledger } from './pipeline/ledger.ts'
import { wholePipeline } from './pipeline/pipeline.ts'
import { portal } from './pipeline/portal.ts'
import { rankingOf } from './pipeline/ranking.ts'
import { soak, soakTable } from './pipeline/soak.ts'
import { NODE_FLAGS } from './programs/node-flags.ts'
import { publisherOnDemand } from './publisher.ts'
import { sandwiches } from './reads/as-of/sandwiches.ts'
import { asOf } from './reads/as-of/wallet.ts'
import { backtest } from './reads/backtest.ts'
import { candles } from './reads/candles.ts'
import { chart } from './reads/chart.ts'
import { freshnessOf } from './reads/freshness.ts'
import { gateway } from './reads/gateway.ts'
import { leaderboardOf } from './reads/leaderboard.ts'
import { lookUp } from './reads/look-up.ts'
import { positions } from './reads/positions.ts'
import { readsOf } from './reads/reads.ts'
import { record, recordOf } from './record/measurements.ts'
import { openNamedStage, openStages } from './stage.ts'
import { stackDefaults } from './test-support.ts'

/** In this order within a round: the pipeline is compared with the COPY before it. */
const measurementsOf = ({ wallets, tokens, stored }: Sizes): readonly Measurement[] => [
  car,
  chain,
  history,
  portal,
  copy,
  wholePipeline,
  ledger,
  freshStart,
  headroom,
  live,
  lookUp,
  positions,
  asOf,
  sandwiches,
  backtest,
  candles,
  chart,
  leaderboardOf(wallets),
  rankingOf(tokens),
  freshnessOf(tokens),
  gateway,
  fanOut,
  feedLatency,
  slowReaders,
  readsOf(stored),
  noCliff,
  pages,
  widePages,
]

type Sizes = Pick<BenchOptions, 'wallets' | 'tokens' | 'stored'>

const NAMES = measurementsOf({ wallets: 1, tokens: 1, stored: 1 }).map(({ name }) => name)

/** The part of a run that no figure includes. */
const WARM_UP =
  'Not counted: the first quarter of a run at full speed, the first five seconds of a steady load.'

/** A quarter of the memory that a small server has. */
const GROWTH_BUFFERS_MIB = 1_024
const GIB = 2 ** 30

const options = optionsOrExit(process.argv.slice(2))
const wanted = measurementsOf(options).filter(({ name }) => options.only?.includes(name) ?? true)
const interrupted = new Promise<never>((_, reject) => {
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => reject(new Error(`ended by ${name}`)))
  }
})
interrupted.catch(() => {})
const say = (line: string): void => console.error(line)
const { isTuned } = readConfig(ENVIRONMENT)
const home = options.growth?.home ?? (await mkdtemp(join(tmpdir(), 'swaptide-bench-')))
await mkdir(home, { recursive: true })
try {
  // Before the servers run: these take part of a core even when idle.
  const calibration = calibrate(home)
  say(calibrationText(calibration))
  const sharedBuffersMib = options.growth === undefined ? undefined : GROWTH_BUFFERS_MIB
  const stack = await startStack({ home, ...stackDefaults(say), durable: true, sharedBuffersMib })
  try {
    await Promise.race([bench(stack, calibration), interrupted])
  } finally {
    await stack.stop()
  }
} catch (error) {
  console.error(error)
  process.exitCode = EXIT_FAILED
} finally {
  if (options.growth === undefined) {
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
// Handles left open by an interruption must not hold up the exit; programs end with their starter.
process.exit()

/** Exits where the arguments demand no run: with the help, or with one line that explains the error. */
function optionsOrExit(argv: readonly string[]): BenchOptions {
  if (argv.includes('--help')) {
    process.stdout.write(benchHelp(NAMES))
    process.exit(EXIT_OK)
  }
  try {
    return readOptions(argv, NAMES)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`bench: ${error.message}`)
    process.exit(EXIT_USAGE)
  }
}

async function bench(stack: Stack, calibration: Calibration): Promise<void> {
  const { swaps, seconds, growth } = options
  const publisher = publisherOnDemand(swaps)
  const round = new Map<string, number>()
  const shared = {
    ...{ stack, publisher: publisher.get, swaps, seconds, round },
    workerFlags: [...NODE_FLAGS, ...(await profileFlags(options.profile))],
    say: (line: string) => say(`    ${line}`),
  }
  try {
    if (growth !== undefined) return await benchGrowth(shared, growth, calibration)
    const stages = await openStages(stack, isTuned)
    try {
      await benchStages({ ...shared, stages }, round, calibration)
    } finally {
      await stages.close()
    }
  } finally {
    await publisher.stop()
  }
}

async function benchStages(
  context: BenchContext,
  round: Map<string, number>,
  calibration: Calibration,
): Promise<void> {
  if (options.isSoak) {
    const soaked = await soak(context, options.minutes)
    const { intro, commit } = introOf(calibration)
    if (options.isJson) console.log(JSON.stringify({ intro, commit, calibration, ...soaked }))
    else console.log(soakTable(soaked, intro))
    return
  }
  const samples = await measure(context, round)
  const plans = wanted.flatMap((measurement) => measurement.figures)
  const { rounds } = options
  const medians =
    rounds === 1
      ? 'One round.'
      : `Medians of ${rounds} rounds in which the measurements take turns.`
  report({ plans, samples, calibration, medians })
}

/** The stack's folder has all of it, and stays. */
async function benchGrowth(
  context: Omit<BenchContext, 'stages'>,
  { swaps, memoryGib }: Growth,
  calibration: Calibration,
): Promise<void> {
  const { pid } = context.stack.servers.postgres
  if (memoryGib !== undefined && pid !== undefined) limitMemory(pid, memoryGib * GIB)
  const stage = await openNamedStage(context.stack, 'growth')
  try {
    const { parts, samples } = await grow(context, stage, swaps)
    const limit = memoryGib === undefined ? 'no limit' : `${memoryGib} GiB`
    const medians = `${parts.length} parts, memory of PostgreSQL and its cached files: ${limit}.`
    report({ plans: growthFigures, samples, calibration, medians })
  } finally {
    await stage.jetStream.close()
    await stage.db.end()
  }
}

function introOf(calibration: Calibration) {
  const commit = commitOfBench()
  const found = machine(isTuned)
  const where = machineText(found)
  const intro = [
    `${where}, commit ${commit}; ${options.swaps.toLocaleString('en-US')} swaps a run, fsync on.`,
    calibrationText(calibration),
    WARM_UP,
  ].join(' ')
  return { commit, found, where, intro }
}

/** Records and prints the figures. `medians`: what they are of. */
function report({
  plans,
  samples,
  calibration,
  medians,
}: {
  plans: readonly FigurePlan[]
  samples: readonly Sample[]
  calibration: Calibration
  medians: string
}): void {
  const { commit, found, where, intro } = introOf(calibration)
  const { swaps } = options
  const rows = figures(plans, samples)
  recordFigures({ commit, machine: found, load: calibration.load, figures: rows })
  if (options.isJson) {
    console.log(JSON.stringify({ machine: where, commit, calibration, swaps, figures: rows }))
  } else console.log(`\n${markdown(rows, `${intro} ${medians}`)}`)
}

async function measure(context: BenchContext, round: Map<string, number>): Promise<Sample[]> {
  const samples: Sample[] = []
  for (let count = 1; count <= options.rounds; count++) {
    round.clear()
    for (const measurement of wanted) {
      const fromMs = performance.now()
      const measured = await measurement.round(context)
      samples.push(...measured)
      for (const { figure, value } of measured) round.set(figure, value)
      const took = ((performance.now() - fromMs) / 1000).toFixed(1)
      say(`round ${count}: ${measurement.name} (${took} s)`)
      for (const { figure, value } of measured) say(`    ${figure}: ${value.toPrecision(4)}`)
    }
  }
  return samples
}

/** Writes the figures for the documents, unless they are those of files that no commit has. */
function recordFigures(run: Omit<Parameters<typeof recordOf>[0], 'date'>): void {
  if (!/^[0-9a-f]+$/.test(run.commit)) {
    say(`not recorded: commit "${run.commit}" does not name these files`)
    return
  }
  say(`recorded in ${record(recordOf({ ...run, date: new Date().toISOString() }))}`)
}

/** Flags of node that leave a CPU profile of each worker in a folder. */
async function profileFlags(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return []
  const path = resolve(folder)
  await mkdir(path, { recursive: true })
  return ['--cpu-prof', `--cpu-prof-dir=${path}`]
}
