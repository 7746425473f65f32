/**
 * Prometheus metrics of a worker process: duration of batches, step by step, and their sizes.
 *
 * The runtime reports each step when it is done; a step's duration is the time since the lane's previous step.
 * Publishing overlaps with the next batch, so it is timed separately.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { CONFLICT_KINDS } from '../domain/events/rejected-event.ts'
import type { StepHook } from './runtime/actor.ts'

const BATCH_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const EVENT_BUCKETS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]

type WorkerMetrics = {
  /** The hook of an actor's lanes, before another one. */
  stepsOf(actor: string, next: StepHook | undefined): StepHook
  /** Counts messages that lanes of an actor found lost from their stream. */
  lostOf(actor: string): (messages: number) => void
  /** Runs a lane, counted as held while it runs. */
  holding(actor: string, run: () => Promise<void>): Promise<void>
}

export function createWorkerMetrics(registry: Registry): WorkerMetrics {
  const labelNames = ['actor'] as const
  const { folds, commits, published, events } = batchHistograms(registry)
  const { deadLetters, lost, conflicts, retracted, refused } = eventCounters(registry)
  const held = new Gauge({
    name: 'swaptide_lanes_held',
    help: 'Lanes that this process runs',
    labelNames,
    registers: [registry],
  })
  return {
    stepsOf(actor, next) {
      deadLetters.inc({ actor }, 0)
      if (actor === 'pool') {
        for (const kind of CONFLICT_KINDS) conflicts.inc({ actor, kind }, 0)
        retracted.inc({ actor }, 0)
        refused.inc({ actor }, 0)
      }
      const marks = new Map<number, Marks>()
      return (step, lane, batch) => {
        const now = performance.now()
        const mark: Marks = marks.get(lane) ?? { folding: now, publishing: now }
        marks.set(lane, mark)
        if (step === 'pulled') mark.folding = now
        if (step === 'folded') {
          folds.observe({ actor }, (now - mark.folding) / 1_000)
          mark.committing = now
        }
        if (step === 'committed' && batch !== undefined) {
          // Background work has no "folded" step.
          if (mark.committing !== undefined) {
            commits.observe({ actor }, (now - mark.committing) / 1_000)
          }
          mark.committing = undefined
          events.observe({ actor }, batch.eventCount)
          deadLetters.inc({ actor }, batch.deadLetters.length)
          for (const kind of batch.conflictKinds ?? []) conflicts.inc({ actor, kind })
          if (batch.refusedCount) refused.inc({ actor }, batch.refusedCount)
          if (batch.retractedCount) retracted.inc({ actor }, batch.retractedCount)
          mark.publishing = now
        }
        if (step === 'published') published.observe({ actor }, (now - mark.publishing) / 1_000)
        return next?.(step, lane, batch)
      }
    },
    lostOf(actor) {
      lost.inc({ actor }, 0)
      return (messages) => lost.inc({ actor }, messages)
    },
    async holding(actor, run) {
      held.inc({ actor })
      try {
        await run()
      } finally {
        held.dec({ actor })
      }
    },
  }
}

function batchHistograms(registry: Registry) {
  const histogram = (name: string, help: string, buckets = BATCH_BUCKETS) =>
    new Histogram({ name, help, labelNames: ['actor'], buckets, registers: [registry] })
  return {
    folds: histogram('swaptide_batch_fold_seconds', 'Folding the messages of a batch'),
    commits: histogram(
      'swaptide_batch_commit_seconds',
      'Writing the effects of a batch, to its commit',
    ),
    published: histogram(
      'swaptide_batch_announce_seconds',
      'From a commit to its last word in FEED',
    ),
    events: histogram(
      'swaptide_batch_events',
      'Events that a batch takes; their sum is all of them',
      EVENT_BUCKETS,
    ),
  }
}

/** Counters of events that are not applied. */
function eventCounters(registry: Registry) {
  const deadLetters = counterOf(
    registry,
    'swaptide_dead_letters_total',
    'Events that could not be taken',
  )
  const lost = counterOf(
    registry,
    'swaptide_lost_messages_total',
    'Messages that a lane should have read and that its stream lost, to a damaged file',
  )
  const conflicts = new Counter({
    name: 'swaptide_conflicts_total',
    help: 'Deliveries rejected because they contradict stored events',
    labelNames: ['actor', 'kind'] as const,
    registers: [registry],
  })
  const retracted = counterOf(
    registry,
    'swaptide_retracted_events_total',
    'Events that were not stored because their block had been retracted',
  )
  const refused = counterOf(
    registry,
    'swaptide_refused_old_events_total',
    'Events that were not applied because they need swaps that are no longer stored',
  )
  return { deadLetters, lost, conflicts, retracted, refused }
}

function counterOf(registry: Registry, name: string, help: string): Counter<'actor'> {
  return new Counter({ name, help, labelNames: ['actor'], registers: [registry] })
}

/** When a lane began its present step, by performance.now(). */
type Marks = { folding: number; committing?: number | undefined; publishing: number }
