/**
 * Runs a replay: writes steps to the output at their pace, and stores the position periodically.
 *
 * Law: a step is written whole or not at all; a position is stored only when the output holds all events before it. A
 * stop takes effect between two steps.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  countEvents,
  type EventCounts,
  type MarketEvent,
  noEvents,
  timestampOf,
} from '../../domain/events/event.ts'
import { printEvent } from '../../streams/ingest/ndjson-writer.ts'
import type { ReplayPosition, ReplayRecord, ReplayStep } from '../../streams/replay/replay.ts'

/** unread: the reader closed the output. */
type ReplayEnd = 'done' | 'stopped' | 'unread'

/** Output of the lines. */
export type ReplayOutput = {
  /** Rejects, or returns `closed` when the reader is gone. */
  write(lines: readonly string[]): Promise<'taken' | 'closed'>
  /** Resolves to the bytes written to it, once they are durable. */
  settle(): Promise<number>
  close(): Promise<void>
}

/** Events that are out since this run began, and the milliseconds since then. */
export type ReplayCourse = { position: ReplayPosition; events: number; tookMs: number }

export type ReplayRun = {
  output: ReplayOutput
  keep: (record: ReplayRecord) => Promise<void>
  /** Times the pace of the events' own clock; infinite: without pauses. */
  speed: number
  signal: AbortSignal
  /** Called after every step. */
  onStep?: (course: ReplayCourse) => void
}

/** Lines that are handed on at once. */
const LINES_MAX = 2_000
const KEEP_EVERY_MS = 1_000
/** A timer holds no more than 24 days. */
const WAIT_MS_MAX = 60_000

export async function runReplay(
  steps: AsyncIterable<ReplayStep>,
  begun: ReplayRecord,
  { output, keep, speed, signal, onStep }: ReplayRun,
): Promise<{ end: ReplayEnd; counts: EventCounts }> {
  const counts = noEvents()
  const pace = createPace(speed)
  const startedAt = performance.now()
  let { position } = begun
  let events = 0
  let lines: string[] = []
  let storedAt = performance.now()
  let isClosed = false

  const handOn = async (): Promise<void> => {
    const sent = lines
    lines = []
    if (sent.length > 0) isClosed = (await output.write(sent)) === 'closed'
  }
  const keepPosition = async (): Promise<void> => {
    await handOn()
    if (isClosed) return
    const bytes = await output.settle()
    await keep({ ...begun, bytes, events: begun.events + events, position })
    storedAt = performance.now()
  }

  await keepPosition()
  for await (const step of steps) {
    for (let waitMs = pace(step.events); waitMs > 0 && !signal.aborted; ) {
      await keepPosition()
      await pause(Math.min(waitMs, WAIT_MS_MAX), undefined, { signal }).catch(() => {})
      waitMs = pace(step.events)
    }
    if (signal.aborted || isClosed) break
    for (const event of step.events) lines.push(printEvent(event))
    events += step.events.length
    position = step.position
    countEvents(counts, step.events)
    if (lines.length >= LINES_MAX) await handOn()
    if (performance.now() - storedAt > KEEP_EVERY_MS) await keepPosition()
    onStep?.({ position, events, tookMs: performance.now() - startedAt })
  }
  await keepPosition()
  const end = position.phase === 'done' ? 'done' : 'stopped'
  return { end: isClosed ? 'unread' : end, counts }
}

/** Milliseconds to wait before events, so that they are published no earlier than their clock demands. */
function createPace(speed: number): (events: readonly MarketEvent[]) => number {
  let firstMs: number | undefined
  let startedAt = 0
  return (events) => {
    if (!Number.isFinite(speed)) return 0
    let newestMs = 0
    for (const event of events) newestMs = Math.max(newestMs, timestampOf(event) ?? 0)
    if (newestMs === 0) return 0
    if (firstMs === undefined) {
      firstMs = newestMs
      startedAt = performance.now()
    }
    return (newestMs - firstMs) / speed - (performance.now() - startedAt)
  }
}
