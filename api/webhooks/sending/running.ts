/**
 * Webhooks in a jobs process: the reader of FEED, a look for endpoints that are due, and the job that sends to one.
 *
 * Law: Redis holds requests to send only. The table holds deliveries and the times of their next attempts; each process
 * looks for what is due and requests a job for it, so that a flushed Redis delays deliveries by half a second.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import type { Log } from '../../../domain/log.ts'
import type { VenueNaming } from '../../../domain/venue.ts'
import type { PrivatePolicy } from '../../../domain/webhook-target.ts'
import { connect, type Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { type JobQueue, openJobQueue } from '../../../streams/jobs/bullmq.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { ensureTopology, type TopologyOptions } from '../../../streams/nats/topology.ts'
import { openHub } from '../../feed/log/feed-reader.ts'
import { gapFiller } from '../../feed/log/fill.ts'
import { storedEvents } from '../../feed/log/stored.ts'
import { createReader } from '../../routing/reading/reader.ts'
import { openSecretBox } from '../secret.ts'
import { measureWebhooks } from './metrics.ts'
import { readForWebhooks } from './reader.ts'
import { ATTEMPT_BOUND_MS, RETRYING, type Retrying, type SendDeps, sendWaiting } from './sender.ts'
import { SessionLocks } from './session-locks.ts'

export type WebhookOptions = TopologyOptions & {
  databaseUrl: string
  natsUrl: string
  redisUrl: string
  prefix: string
  /** WEBHOOK_SECRET_KEY. */
  secretKey: string
  policy: PrivatePolicy
  venueNames?: VenueNaming
  log: Log
  retrying?: Retrying
  attemptBoundMs?: number
  /** Absent: no metrics are recorded. */
  metrics?: Registry
}

type RunningWebhooks = {
  /** The job `webhook`. */
  deliver(payload: { webhook: number }, deps: unknown, signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/** Milliseconds between two looks for endpoints that are due. */
const LOOK_MS = 250
const RETRY_MS = 1_000
/** Reader, locks, look, and senders that record an outcome. */
const CONNECTIONS_MAX = 8
const STATEMENT_BOUND_MS = 30_000
/** Payload bytes of FEED in memory. */
const RING_BYTES_MAX = 4 * 1024 * 1024

const listDue = query<{ id: number }>('webhooks/list_due')

/** Does not wait for its servers: it tries them until it is stopped. */
export function startWebhooks(options: WebhookOptions): RunningWebhooks {
  const { databaseUrl, redisUrl, prefix, log } = options
  const db = connect(databaseUrl, {
    max: CONNECTIONS_MAX,
    applicationName: 'swaptide webhooks',
    statementTimeoutMs: STATEMENT_BOUND_MS,
  })
  const locks = new SessionLocks(db)
  const jobs = openJobQueue({ redisUrl, prefix, log })
  const ending = new AbortController()
  const { metrics, policy, retrying = RETRYING, attemptBoundMs = ATTEMPT_BOUND_MS } = options
  const deps: SendDeps = {
    ...{ db, locks, policy, log, retrying, attemptBoundMs },
    box: openSecretBox(options.secretKey),
    onAttempt: metrics === undefined ? () => {} : measureWebhooks(metrics, db),
  }
  const sending = new Set<number>()
  const request = (id: number): void => {
    // Redis away or slow: the next look requests it again.
    if (!sending.has(id)) jobs.request('webhook', { webhook: id }).catch(() => {})
  }
  const running = [
    repeatedly(ending.signal, log, () => lead(options, { db, locks, request }, ending.signal)),
    repeatedly(ending.signal, log, () => look(db, request, ending.signal)),
  ]
  return {
    async deliver({ webhook: id }, _, signal) {
      if (sending.has(id)) return
      sending.add(id)
      try {
        await sendWaiting(deps, id, AbortSignal.any([signal, ending.signal]))
      } finally {
        sending.delete(id)
      }
    },
    async stop() {
      ending.abort(new Error('the process ends'))
      await Promise.all(running)
      await drained(sending)
      await locks.end()
      await close(jobs, db)
    },
  }
}

/** Turns under way end with the signal; each may have one statement to run. */
async function drained(sending: ReadonlySet<number>): Promise<void> {
  while (sending.size > 0) await pause(20)
}

async function close(jobs: JobQueue, db: Db): Promise<void> {
  await jobs.close()
  await db.end()
}

/** Runs the work again and again; an error is logged, and followed by a pause. */
async function repeatedly(signal: AbortSignal, log: Log, work: () => Promise<void>) {
  while (!signal.aborted) {
    await work().catch((err: unknown) => {
      if (!signal.aborted) log.warn({ err }, 'failed to work on webhooks; will retry')
    })
    await pause(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

type Working = { db: Db; locks: SessionLocks; request(id: number): void }

/** Reads FEED while this process has the lock; returns at once where another has it. */
async function lead(options: WebhookOptions, working: Working, ending: AbortSignal): Promise<void> {
  const { natsUrl, databaseUrl, prefix, log, venueNames = 'ids' } = options
  const lock = await working.locks.take('reader', 0)
  if (lock === undefined) return
  const closers: (() => Promise<unknown>)[] = [lock.release]
  try {
    const jetStream = await connectJetStream(natsUrl, { name: 'swaptide webhooks', log })
    closers.push(() => jetStream.close())
    const { feed } = await ensureTopology(jetStream, options)
    const reader = createReader(databaseUrl, { deadlineMs: STATEMENT_BOUND_MS, connectionsMax: 2 })
    closers.push(() => reader.end())
    const source = { jetStream, stream: feed.stream, prefix }
    const fill = gapFiller({ ...source, stored: storedEvents(reader) })
    const hub = await openHub({ ...source, log, fill, ringBytesMax: RING_BYTES_MAX })
    closers.push(() => hub.close())
    const deps = { db: working.db, hub, naming: venueNames, log, onStored: working.request }
    await readForWebhooks(deps, AbortSignal.any([ending, lock.lost]))
  } finally {
    for (const end of closers.reverse()) await end().catch(() => {})
  }
}

async function look(db: Db, request: (id: number) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { id } of await listDue(db)) request(id)
    await pause(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}
