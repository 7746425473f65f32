/**
 * Prometheus metrics of the sources of chain data, and of the decoder's warnings. A source that has a port of its own reports itself there; every process of
 * the API reports all of them from the table `chain_source`, under the same names: aggregate by max over instances.
 *
 * Labels are the kind, host and venues of a source, which do not change when it is started again.
 * Only the processes of the API report warnings.
 */
import { Counter, Gauge, type Registry } from 'prom-client'
import { venuesOfBits } from '../../../domain/coverage.ts'
import { isActive } from '../../../domain/decoder-warning.ts'
import { VENUES, venueOf } from '../../../domain/venue.ts'
import type { DecoderWarning } from '../../../sql/chain/decoder-warnings.ts'
import type { SourceState } from '../../../sql/chain/sources.ts'

const LABELS = ['kind', 'endpoint', 'venues'] as const
type Labels = Record<(typeof LABELS)[number], string>

type GaugeOf = { name: string; help: string; value: (source: SourceState) => number | null }

const GAUGES: readonly GaugeOf[] = [
  {
    name: 'heartbeat_age_seconds',
    help: 'Seconds since the last heartbeat of a source',
    value: ({ age_ms: ms }) => ms / 1_000,
  },
  {
    name: 'progress_age_seconds',
    help: 'Seconds since the cursor of a source moved',
    value: ({ moved_age_ms: ms }) => ms / 1_000,
  },
  {
    name: 'lag_slots',
    help: 'Slots from the cursor of a source to the newest one',
    value: ({ lag_slots }) => lag_slots,
  },
  {
    name: 'lag_seconds',
    help: 'Seconds since the time of the newest block that a source has read',
    value: ({ lag_ms: ms }) => (ms === null ? null : ms / 1_000),
  },
  {
    name: 'cursor_slot',
    help: 'Every event up to this slot is stored',
    value: ({ cursor_slot }) => cursor_slot,
  },
  {
    name: 'newest_slot',
    help: 'Newest slot that the provider has reported',
    value: ({ newest_slot }) => newest_slot,
  },
]

/** `label`: the one in addition to those of the source; its values with their counts. */
type CounterOf = {
  name: string
  help: string
  label?: string
  counts: (source: SourceState) => Readonly<Record<string, number>>
}

/** The value of a counter that has no further label. */
const ALONE = 'alone'

const COUNTERS: readonly CounterOf[] = [
  {
    name: 'slots_total',
    help: 'Slots that a source has read, skipped ones included',
    counts: ({ slots }) => ({ [ALONE]: slots }),
  },
  {
    name: 'events_total',
    help: 'Events that a source has decoded, by kind',
    label: 'event',
    counts: ({ swaps, pool_events, tokens }) => ({
      swap: swaps,
      pool_event: pool_events,
      token: tokens,
    }),
  },
  {
    name: 'rejects_total',
    help: 'Swaps and pool events that yielded no event, by reason',
    label: 'reason',
    counts: ({ rejects }) => rejects,
  },
  {
    name: 'mismatches_total',
    help: 'Swaps that the balances of their vault contradict, by venue',
    label: 'venue',
    counts: ({ mismatches }) => mismatches,
  },
  {
    name: 'retries_total',
    help: 'Times that a source was opened again after an error',
    counts: ({ retries }) => ({ [ALONE]: retries }),
  },
  {
    name: 'requests_total',
    help: 'Requests to a JSON-RPC node',
    counts: ({ requests }) => ({ [ALONE]: requests }),
  },
  {
    name: 'repeated_requests_total',
    help: 'Requests to a JSON-RPC node that were repeated: throttled by its rate limit, or failed',
    label: 'cause',
    counts: (source) => ({ throttled: source.throttled_requests, failed: source.failed_requests }),
  },
]

/** `read`: the sources; undefined where they cannot be read, which leaves them out of a scrape. */
export function measureSources(
  registry: Registry,
  read: () => Promise<readonly SourceState[] | undefined>,
): void {
  const registers = [registry]
  for (const { name, help, value } of GAUGES) {
    new Gauge({
      ...{ name: `swaptide_source_${name}`, help, labelNames: LABELS, registers },
      async collect() {
        this.reset()
        for (const [labels, source] of newestByLabels(await read())) {
          const measured = value(source)
          if (measured !== null) this.set(labels, measured)
        }
      },
    })
  }
  for (const { name, help, label, counts } of COUNTERS) {
    const labelNames = label === undefined ? [...LABELS] : [...LABELS, label]
    new Counter({
      ...{ name: `swaptide_source_${name}`, help, labelNames, registers },
      async collect() {
        this.reset()
        for (const [labels, source] of newestByLabels(await read())) {
          for (const [each, count] of Object.entries(counts(source))) {
            this.inc(label === undefined ? labels : { ...labels, [label]: each }, count)
          }
        }
      },
    })
  }
}

/** The sources with their labels; where several share them, the one that was seen last. */
function newestByLabels(sources: readonly SourceState[] = []): Iterable<[Labels, SourceState]> {
  const newest = new Map<string, [Labels, SourceState]>()
  for (const source of sources) {
    const labels = labelsOf(source)
    newest.set(Object.values(labels).join('\n'), [labels, source])
  }
  return newest.values()
}

function labelsOf({ kind, endpoint, venues }: SourceState): Labels {
  const decoded = venuesOfBits(venues)
  const names = decoded.map((dex) => venueOf(dex).name)
  return { kind, endpoint, venues: decoded.length === VENUES.length ? 'all' : names.join(',') }
}

const WARNING_LABELS = ['venue', 'kind'] as const

const warningLabels = ({ dex, kind }: DecoderWarning) => ({ venue: venueOf(dex).name, kind })

/** `read`: the warnings; undefined where they cannot be read, which leaves them out of a scrape. */
export function measureWarnings(
  registry: Registry,
  read: () => Promise<readonly DecoderWarning[] | undefined>,
): void {
  const registers = [registry]
  new Gauge({
    name: 'swaptide_decoder_warnings',
    help: 'Warnings that a program of a venue has changed; of reject rates those that are outside their band now',
    ...{ labelNames: WARNING_LABELS, registers },
    async collect() {
      this.reset()
      for (const warning of (await read()) ?? []) {
        this.inc(warningLabels(warning), isActive(warning) ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'swaptide_decoder_warning_age_seconds',
    help: 'Seconds since the newest warning of a venue and kind was first seen',
    ...{ labelNames: WARNING_LABELS, registers },
    async collect() {
      this.reset()
      const newest = new Map<string, DecoderWarning>()
      for (const warning of (await read()) ?? []) {
        const key = `${warning.dex} ${warning.kind}`
        if (warning.age_ms < (newest.get(key)?.age_ms ?? Number.POSITIVE_INFINITY)) {
          newest.set(key, warning)
        }
      }
      for (const warning of newest.values())
        this.set(warningLabels(warning), warning.age_ms / 1_000)
    },
  })
}
