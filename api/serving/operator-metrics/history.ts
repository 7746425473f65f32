/** Prometheus metrics of sealed history, as every process of the API reports them alike. */
import { Counter, Gauge, type Registry } from 'prom-client'
import { type HistoryState, oldestSnapshotMs } from '../../../history/operating/state.ts'

type Read = () => Promise<HistoryState | undefined>
type GaugeOf = { name: string; help: string; value: (state: HistoryState) => number | null }

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / 1_000)

const GAUGES: readonly GaugeOf[] = [
  {
    name: 'boundary_slot',
    help: 'The last sealed slot',
    value: ({ last_slot: slot }) => slot,
  },
  {
    name: 'boundary_age_seconds',
    help: 'Seconds since the last swap near the last sealed slot',
    value: ({ boundary_age_ms: ms }) => secondsOf(ms),
  },
  {
    name: 'segments',
    help: 'Segments of sealed history',
    value: ({ segments }) => segments,
  },
  {
    name: 'sealed_swaps',
    help: 'Swaps in segments, gone rows included',
    value: ({ sealed_swaps: swaps }) => swaps,
  },
  {
    name: 'bytes',
    help: 'Bytes of the blocks and postings of segments, with their indexes',
    value: ({ bytes }) => bytes,
  },
  {
    name: 'late_rows',
    help: 'Rows of the table at or below the last sealed slot, by the statistics of the server',
    value: ({ late_rows: rows }) => rows,
  },
  {
    name: 'gone_rows',
    help: 'Rows of segments that were moved back to the table',
    value: ({ gone_rows: rows }) => rows,
  },
  {
    name: 'since_slot',
    help: 'The lowest slot of which swaps are stored; absent where none was dropped',
    value: ({ dropping }) => dropping?.since_slot || null,
  },
  {
    name: 'dropped_swaps',
    help: 'Swaps that were dropped by HISTORY_DAYS',
    value: ({ dropping }) => dropping?.dropped_swaps ?? null,
  },
  {
    name: 'lag_seconds',
    help: 'Seconds since nothing was left to seal; absent while SEAL_AFTER_HOURS is not set',
    value: ({ seal }) => (seal?.hours == null ? null : secondsOf(seal.caught_up_age_ms)),
  },
  {
    name: 'refusing_seconds',
    help: 'Seconds since when runs of the sealer wait for the same cause or fail; 0 where the newest did neither',
    value: ({ seal }) =>
      seal?.outcome === 'waits' || seal?.outcome === 'failed' ? seal.since_age_ms / 1_000 : 0,
  },
  {
    name: 'oldest_snapshot_seconds',
    help: 'Age of the oldest transaction for which deleted rows are retained',
    value: (state) => oldestSnapshotMs(state) / 1_000,
  },
  {
    name: 'damaged_segments',
    help: 'Damaged segments of the newest "swaptide history verify"; absent before the first',
    value: ({ verification }) => verification?.damaged ?? null,
  },
  {
    name: 'verified_age_seconds',
    help: 'Seconds since the newest "swaptide history verify"',
    value: ({ verification }) => secondsOf(verification?.ended_age_ms ?? null),
  },
]

/** `read`: undefined where it cannot be read, which leaves it out of a scrape. */
export function measureHistory(registry: Registry, read: Read): void {
  const registers = [registry]
  for (const { name, help, value } of GAUGES) {
    new Gauge({
      ...{ name: `swaptide_history_${name}`, help, registers },
      async collect() {
        const state = await read()
        this.remove()
        const measured = state === undefined ? null : value(state)
        if (measured !== null) this.set(measured)
      },
    })
  }
  new Counter({
    name: 'swaptide_history_refused_total',
    help: 'Events and swaps of positions that were refused because they need dropped swaps, by kind',
    ...{ labelNames: ['kind'] as const, registers },
    async collect() {
      const state = await read()
      this.reset()
      for (const { kind, refused } of state?.refusals ?? []) this.inc({ kind }, refused)
    },
  })
  new Counter({
    name: 'swaptide_history_waits_total',
    help: 'Runs of the sealer that ended by waiting, by cause',
    ...{ labelNames: ['cause'] as const, registers },
    async collect() {
      const state = await read()
      this.reset()
      for (const { cause, waits } of state?.waits ?? []) this.inc({ cause }, waits)
    },
  })
}
