/** Prometheus metrics of the decoder's warnings, which every process of the API reports alike: aggregate by max over instances. */
import { Gauge, type Registry } from 'prom-client'
import { isActive } from '../../domain/decoder-warning.ts'
import { venueOf } from '../../domain/venue.ts'
import type { DecoderWarning } from '../../sql/decoder-warnings.ts'

const LABELS = ['venue', 'kind'] as const

const labelsOf = ({ dex, kind }: DecoderWarning) => ({ venue: venueOf(dex).name, kind })

/** `read`: the warnings; undefined where they cannot be read, which leaves them out of a scrape. */
export function measureWarnings(
  registry: Registry,
  read: () => Promise<readonly DecoderWarning[] | undefined>,
): void {
  const registers = [registry]
  new Gauge({
    name: 'swaptide_decoder_warnings',
    help: 'Warnings that a program of a venue has changed; of reject rates those that are outside their band now',
    ...{ labelNames: LABELS, registers },
    async collect() {
      this.reset()
      for (const warning of (await read()) ?? []) {
        this.inc(labelsOf(warning), isActive(warning) ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'swaptide_decoder_warning_age_seconds',
    help: 'Seconds since the newest warning of a venue and kind was first seen',
    ...{ labelNames: LABELS, registers },
    async collect() {
      this.reset()
      const newest = new Map<string, DecoderWarning>()
      for (const warning of (await read()) ?? []) {
        const key = `${warning.dex} ${warning.kind}`
        if (warning.age_ms < (newest.get(key)?.age_ms ?? Number.POSITIVE_INFINITY)) {
          newest.set(key, warning)
        }
      }
      for (const warning of newest.values()) this.set(labelsOf(warning), warning.age_ms / 1_000)
    },
  })
}
