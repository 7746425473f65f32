/** Prometheus metrics of webhooks: attempts of this process, and endpoints by state, read when they are scraped. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { boundedRead } from '../../admin/bounded-read.ts'
import type { SendDeps } from './sender.ts'

const STATES = ['active', 'failing', 'paused', 'given_up'] as const
type Totals = Record<(typeof STATES)[number] | 'waiting', number>

const readTotals = query<Totals>('webhooks/read_totals')
const DURATION_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15]

/** Result: the counter of attempts. */
export function measureWebhooks(registry: Registry, db: Db): SendDeps['onAttempt'] {
  const attempts = new Counter({
    name: 'swaptide_webhook_attempts_total',
    help: 'Attempts to send a delivery, by outcome: accepted or failed',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  for (const outcome of ['accepted', 'failed']) attempts.inc({ outcome }, 0)
  const durations = new Histogram({
    name: 'swaptide_webhook_attempt_duration_seconds',
    help: 'Duration of an attempt to send a delivery',
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  const waiting = new Gauge({
    name: 'swaptide_webhook_waiting',
    help: 'Deliveries of active webhooks that are stored and not yet accepted',
    registers: [registry],
  })
  new Gauge({
    name: 'swaptide_webhooks',
    help: 'Webhooks by state: active, of these failing, paused, of these given_up: paused after failures',
    labelNames: ['state'] as const,
    registers: [registry],
    async collect() {
      const [totals] = (await boundedRead(() => readTotals(db))) ?? []
      if (totals === undefined) return
      for (const state of STATES) this.set({ state }, totals[state])
      waiting.set(totals.waiting)
    },
  })
  return (isAccepted, durationMs) => {
    attempts.inc({ outcome: isAccepted ? 'accepted' : 'failed' })
    durations.observe(durationMs / 1_000)
  }
}
