/**
 * `swaptide simulate`: a market of all venues, the same events for the same seed and start, published like
 * any other, or printed as lines of the ingest format.
 */
import { readTime } from '../../domain/time/time.ts'
import { printEvent } from '../../streams/ingest/ndjson-writer.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import { CLOCK_LEAD_MS_MAX, TIMESTAMP_MIN_MS } from '../../streams/ingest/rule.ts'
import { runSource } from '../../streams/sources/run-source.ts'
import type { Source } from '../../streams/sources/source.ts'
import { SOURCES } from '../../streams/sources/table.ts'
import { expectNone, integerOption, parseArguments, UsageError, usage } from '../cli/arguments.ts'
import { type CommandContext, EXIT_FAILED, EXIT_OK } from '../cli/command.ts'
import { counted, duration, grouped } from '../cli/format.ts'
import { lineWriter } from '../cli/progress.ts'
import { withStreams } from '../processes/connections.ts'
import { findInstallation } from '../processes/installation.ts'

export const described = usage({
  line: 'simulate [--seed S] [--swaps N] [--rate R] [--from TIME] [--bots] [--stdout]',
  options: {
    seed: { type: 'string', value: 'S', about: 'an integer', default: '1' },
    swaps: { type: 'string', value: 'N', about: 'number of swaps', default: '10000' },
    rate: { type: 'string', value: 'R', about: 'swaps per second; absent: unlimited' },
    from: {
      type: 'string',
      value: 'TIME',
      about: 'time of the first slot: ISO 8601 with a zone, a date (UTC) or Unix ms',
      default: '2026-06-01T00:00:00Z',
    },
    bots: { type: 'boolean', about: 'with sandwich bots, volume bots and early buyers' },
    stdout: { type: 'boolean', about: 'print NDJSON instead of publishing' },
  },
  notes: ['Simulates all venues. The same seed and start give the same events.'],
  examples: [
    'swaptide simulate --swaps 1000 --rate 50',
    'swaptide simulate --seed 7 --stdout > events.ndjson',
  ],
})

const SEED_MAX = 2 ** 32 - 1
const SWAPS_MAX = 1e12
const RATE_MAX = 1e6

export const ending = 'drains'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(described, argv)
  expectNone(described.line, positionals)
  const seed = integerOption('seed', values.seed, { min: 0, max: SEED_MAX }) ?? 1
  const swaps = integerOption('swaps', values.swaps, { min: 1, max: SWAPS_MAX }) ?? 1
  const rate = integerOption('rate', values.rate, { min: 1, max: RATE_MAX })
  const options = {
    seed,
    swaps,
    fromMs: timeOption('from', values.from),
    ...(rate !== undefined && { pace: rate }),
    ...(values.bots && { bots: {} }),
  }
  if (!values.stdout) {
    const endMs = () => Date.now() + CLOCK_LEAD_MS_MAX
    return publish(SOURCES.simulator({ ...options, endMs }), swaps, context)
  }
  await print(SOURCES.simulator(options), context)
  return EXIT_OK
}

/**
 * A time that `ingest` accepts: earlier swaps are dead letters, and those far ahead of the wall clock are refused, since
 * no window counts a swap before the clock has reached it.
 */
function timeOption(name: string, text: string): number {
  const read = readTime(text, 'first')
  if ('error' in read) throw new UsageError(`--${name} "${text}": ${read.error}`)
  const { ms } = read
  if (ms >= TIMESTAMP_MIN_MS && ms <= Date.now() + CLOCK_LEAD_MS_MAX) return ms
  throw new UsageError(`--${name} "${text}": expected a time from 2020-01-01 to now`)
}

/** A batch at a time, at the pace of the reader; a reader that closes its end stops it without an error. */
async function print(market: Source, { stdout, signal }: CommandContext): Promise<void> {
  const write = lineWriter(stdout)
  for await (const { events } of market.open(undefined, signal)) {
    if (!(await write(events.map(printEvent)))) return
  }
}

async function publish(
  market: Source,
  swapsTotal: number,
  context: CommandContext,
): Promise<number> {
  const installation = await findInstallation(context.config)
  const log = context.log('warn')
  const { stdout, progress, signal } = context
  const now = () => performance.now()
  const startedAt = now()
  return await withStreams(installation, { name: 'swaptide simulate', log }, async (streams) => {
    const { jetStream, topology } = streams
    const publisher = createPublisher(jetStream, topology, { log })
    signal.addEventListener('abort', () => publisher.close(), { once: true })
    const { prefix, laneCount } = topology
    const { stored, duplicates, units, hasEnded } = await runSource(market, {
      publish: publisher.publish,
      moreLingerMs: publisher.moreLingerMs,
      prefix,
      laneCount,
      signal,
      onNotice: () => {},
      onProgress: (far) =>
        progress.update(() => describe(far.units, swapsTotal, now() - startedAt)),
    })
    const again = duplicates.swaps > 0 ? `, ${grouped(duplicates.swaps)} already stored` : ''
    const took = duration(now() - startedAt)
    stdout.write(`${counted(stored.swaps, 'swap')} published in ${took}${again}\n`)
    if (!hasEnded || units === swapsTotal) return EXIT_OK
    progress.say(
      'the rest lies over 10 minutes ahead: begin with an earlier --from, or go by --rate',
    )
    return EXIT_FAILED
  })
}

/** `1,234 of 10,000 swaps, 5,000 swaps/s, 2 s left` */
function describe(swaps: number, total: number, tookMs: number): string {
  const rate = swaps / Math.max(tookMs / 1000, 1e-3)
  const left = rate === 0 ? '' : `, ${duration(((total - swaps) / rate) * 1000)} left`
  return `${grouped(swaps)} of ${counted(total, 'swap')}, ${grouped(rate)} swaps/s${left}`
}
