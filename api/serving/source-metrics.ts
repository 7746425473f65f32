/**
 * Prometheus metrics of the sources of chain data. A source that has a port of its own reports itself there; every process of
 * the API reports all of them from the table `chain_source`, under the same names: aggregate by max over instances.
 *
 * Labels are the kind, host and venues of a source, which do not change when it is started again.
 */
import { Counter, Gauge, type Registry } from 'prom-client'
import { venuesOfBits } from '../../domain/coverage.ts'
import { VENUES, venueOf } from '../../domain/venue.ts'
import type { SourceState } from '../../sql/chain-sources.ts'

const LABELS = ['kind', 'endpoint', 'venues'] as const
type Labels = Record<(typeof LABELS)[number], string>
/** Samples of a source: values by further labels. */
type Samples = readonly (readonly [Readonly<Record<string, string>>, number | null])[]

/** `read`: the sources; undefined where they cannot be read, which leaves them out of a scrape. */
export function measureSources(
  registry: Registry,
  read: () => Promise<readonly SourceState[] | undefined>,
): void {
  const registers = [registry]
  const gauge = (
    name: string,
    help: string,
    value: (source: SourceState) => number | null,
  ): void => {
    new Gauge({
      name: `swaptide_source_${name}`,
      help,
      labelNames: LABELS,
      registers,
      async collect() {
        this.reset()
        for (const source of (await read()) ?? []) {
          const measured = value(source)
          if (measured !== null) this.set(labelsOf(source), measured)
        }
      },
    })
  }
  const counter = (
    name: string,
    help: string,
    further: readonly string[],
    samples: (source: SourceState) => Samples,
  ): void => {
    new Counter({
      name: `swaptide_source_${name}_total`,
      help,
      labelNames: [...LABELS, ...further],
      registers,
      async collect() {
        this.reset()
        // Of sources that share their labels, the one that was seen last counts.
        const newest = new Map(
          ((await read()) ?? []).map((source) => [Object.values(labelsOf(source)).join(), source]),
        )
        for (const source of newest.values()) {
          for (const [labels, count] of samples(source)) {
            this.inc({ ...labelsOf(source), ...labels }, count ?? 0)
          }
        }
      },
    })
  }
  gauge(
    'heartbeat_age_seconds',
    'Since the last heartbeat of a source',
    ({ age_ms: ms }) => ms / 1_000,
  )
  gauge(
    'progress_age_seconds',
    'Since the cursor of a source moved',
    ({ moved_age_ms: ms }) => ms / 1_000,
  )
  gauge(
    'lag_slots',
    'Slots from the cursor of a source to the newest one',
    ({ lag_slots }) => lag_slots,
  )
  gauge(
    'lag_seconds',
    'Since the time of the newest block that a source has read',
    ({ lag_ms: ms }) => (ms === null ? null : ms / 1_000),
  )
  gauge('cursor_slot', 'Every event up to this slot is stored', ({ cursor_slot }) => cursor_slot)
  gauge(
    'newest_slot',
    'Newest slot that the provider has reported',
    ({ newest_slot }) => newest_slot,
  )
  counter('slots', 'Slots that a source has read, skipped ones included', [], (source) => [
    [{}, source.slots],
  ])
  counter('events', 'Events that a source has decoded, by kind', ['event'], (source) => [
    [{ event: 'swap' }, source.swaps],
    [{ event: 'pool_event' }, source.pool_events],
    [{ event: 'token' }, source.tokens],
  ])
  counter(
    'rejects',
    'Swaps and pool events that yielded no event, by reason',
    ['reason'],
    (source) => Object.entries(source.rejects).map(([reason, count]) => [{ reason }, count]),
  )
  counter(
    'mismatches',
    'Swaps that the balances of their vault contradict, by venue',
    ['venue'],
    (source) => Object.entries(source.mismatches).map(([venue, count]) => [{ venue }, count]),
  )
  counter('retries', 'Times that a source was opened again after an error', [], (source) => [
    [{}, source.retries],
  ])
  counter('requests', 'Requests to a JSON-RPC node', [], (source) => [[{}, source.requests]])
  counter(
    'repeated_requests',
    'Requests to a JSON-RPC node that were repeated, because of its rate limit (throttled) or another failure (failed)',
    ['cause'],
    (source) => [
      [{ cause: 'throttled' }, source.throttled_requests],
      [{ cause: 'failed' }, source.failed_requests],
    ],
  )
}

function labelsOf({ kind, endpoint, venues }: SourceState): Labels {
  const decoded = venuesOfBits(venues)
  const names = decoded.map((dex) => venueOf(dex).name)
  return { kind, endpoint, venues: decoded.length === VENUES.length ? 'all' : names.join(',') }
}
