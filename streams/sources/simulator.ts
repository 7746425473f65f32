/**
 * The simulated market as a source: the same events for the same options, as fast as they are read or at their time.
 * The cursor is the number of events before it; to resume, the market is simulated again up to there.
 */
import { type MarketEvent, timestampOf } from '../../domain/events/event.ts'
import { type SimulateOptions, simulate } from '../simulator/simulate.ts'
import { dueByRate, dueByTimestamp, paced, unpaced } from './pace.ts'
import {
  type ChainTime,
  type Cursor,
  newestOf,
  type Source,
  type SourceBatch,
  SourceError,
} from './source.ts'

type SimulatorOptions = SimulateOptions & {
  /** Swaps a second, or by the timestamps of the events; absent: as fast as they are read. */
  pace?: number | 'timestamps'
  /** Ends before the first event that is later than this, in Unix ms; absent: by the number of swaps only. */
  endMs?: () => number
}

const CURSOR = /^\d{1,15}$/

export function simulatorSource(options: SimulatorOptions): Source {
  return { isLive: true, open: (after, signal) => readMarket(options, after, signal) }
}

async function* readMarket(
  options: SimulatorOptions,
  after: Cursor | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourceBatch> {
  let count = after === undefined ? 0 : readCursor(after)
  let newest: ChainTime | undefined
  for await (const run of runs(skip(simulate(options), count), options, signal)) {
    const endMs = options.endMs?.()
    const events =
      endMs === undefined ? run : run.filter((event) => (timestampOf(event) ?? 0) <= endMs)
    count += events.length
    newest = newestOf(events, newest)
    const units = swapCount(events)
    yield { events, cursor: String(count), units, newest, notices: [] }
    if (events.length < run.length || signal.aborted) return
  }
}

function runs(
  events: Iterable<MarketEvent>,
  { pace, fromMs }: SimulatorOptions,
  signal: AbortSignal,
): AsyncIterable<MarketEvent[]> {
  if (pace === undefined) return unpaced(events, signal)
  return paced(events, pace === 'timestamps' ? dueByTimestamp(fromMs) : dueByRate(pace), signal)
}

function* skip(events: Iterable<MarketEvent>, count: number): Generator<MarketEvent> {
  let left = count
  for (const event of events) {
    if (left > 0) left--
    else yield event
  }
}

function swapCount(events: readonly MarketEvent[]): number {
  let swaps = 0
  for (const { kind } of events) if (kind === 'swap') swaps++
  return swaps
}

function readCursor(cursor: Cursor): number {
  if (CURSOR.test(cursor)) return Number(cursor)
  const expected = 'expected a number of events, as an earlier run of the same market reported it'
  throw new SourceError(`cursor "${cursor}" of the simulator: ${expected}`, { isRetryable: false })
}
