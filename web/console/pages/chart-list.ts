/** The charts of the console: which series each shows, and in which unit. */
import type { Samples } from '../answers.ts'

type SeriesName = keyof Samples['series']

export type Chart = {
  title: string
  unit: string
  /** Shown where none of its series has a value. */
  emptyText: string
  series: readonly { name: SeriesName; label: string; color: `--${string}` }[]
}

export const CHARTS: readonly Chart[] = [
  {
    title: 'Lag of lanes',
    unit: 'messages',
    emptyText: 'The lanes could not be read in the last hour.',
    series: [
      { name: 'pool_lag_messages', label: 'pool', color: '--accent' },
      { name: 'ledger_lag_messages', label: 'ledger', color: '--brand' },
      { name: 'ranking_lag_messages', label: 'ranking', color: '--warn' },
    ],
  },
  {
    title: 'Lag of FEED and sources',
    unit: 'ms',
    emptyText: 'This process reads no FEED, and no source follows the chain.',
    series: [
      { name: 'feed_lag_ms', label: 'FEED', color: '--accent' },
      { name: 'source_lag_ms', label: 'slowest source', color: '--warn' },
    ],
  },
  {
    title: 'Swaps committed',
    unit: 'per second',
    emptyText: 'This process reads no FEED.',
    series: [{ name: 'swaps_per_second', label: 'swaps', color: '--brand' }],
  },
  {
    title: 'Requests of clients',
    unit: 'per second',
    emptyText: 'No rate is known yet.',
    series: [{ name: 'requests_per_second', label: 'requests', color: '--accent' }],
  },
  {
    title: 'Published to readable',
    unit: 'ms',
    emptyText: 'No lane committed a message in the last hour.',
    series: [{ name: 'commit_latency_ms', label: 'slowest lane', color: '--brand' }],
  },
  {
    title: 'Duration of requests',
    unit: 'ms',
    emptyText: 'No client sent a request in the last hour.',
    series: [
      { name: 'request_p50_ms', label: 'median', color: '--accent' },
      { name: 'request_p99_ms', label: '99th percentile', color: '--warn' },
    ],
  },
  {
    title: 'Errors',
    unit: 'per minute',
    emptyText: 'No rate is known yet.',
    series: [
      { name: 'server_errors_per_minute', label: 'answers with 5xx', color: '--down' },
      { name: 'rejects_per_minute', label: 'rejected by sources', color: '--warn' },
    ],
  },
  {
    title: 'Failures that wait for an operator',
    unit: 'count',
    emptyText: 'Neither the queues nor the dead letters could be read in the last hour.',
    series: [
      { name: 'failed_jobs', label: 'failed jobs', color: '--down' },
      { name: 'dead_letters', label: 'dead letters', color: '--warn' },
    ],
  },
]

type Extent = { last: number | null; lowest: number; highest: number }

/** Undefined where no value is known. */
export function extentOf(values: readonly (number | null)[]): Extent | undefined {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return undefined
  return { last: values.at(-1) ?? null, lowest: Math.min(...known), highest: Math.max(...known) }
}
