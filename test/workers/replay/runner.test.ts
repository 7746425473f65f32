/**
 * A replay at its pace: no event comes before its time by the events' own clock, all are in order, and a stop does not
 * wait for the next. Their delay depends on the machine, and is not asserted.
 */
import { Writable } from 'node:stream'
import test from 'ava'
import { streamOutput } from '../../../deploy/replay/output.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { EVERYTHING } from '../../../streams/nats/subject.ts'
import { beginning, type ReplayRecord, type ReplayStep } from '../../../streams/replay/replay.ts'
import { simulate } from '../../../streams/simulator/simulate.ts'
import { type ReplayRun, runReplay } from '../../../workers/replay/runner.ts'

const FROM_MS = Date.UTC(2026, 5, 1)
const EVENTS = [...simulate({ seed: 19, swaps: 120, fromMs: FROM_MS })]
const BOUNDS = { fromMs: null, toMs: null, fromSequence: null, toSequence: null }
/** Timers may be a millisecond early. */
const EARLY_MS = 2

const begun: ReplayRecord = {
  version: 1,
  run: 'test',
  output: 'stdout',
  bytes: 0,
  events: 0,
  plan: { ...BOUNDS, subject: EVERYTHING, epoch: 'test', isStored: false },
  position: beginning('stream', 0),
}

function timestampOf(event: MarketEvent): number | undefined {
  if (event.kind === 'token') return undefined
  return event.kind === 'swap' ? event.swap.timestamp : event.poolEvent.timestamp
}

/** A step an event; the last one leads to the end. */
async function* stepsOf(events: readonly MarketEvent[]): AsyncGenerator<ReplayStep> {
  for (const [index, event] of events.entries()) {
    const phase = index === events.length - 1 ? 'done' : 'stream'
    yield { events: [event], position: { ...beginning(phase, index + 1), endSequence: 1_000 } }
  }
}

/** Lines with the milliseconds since `startedAt` at which they came. */
function reading(startedAt: number) {
  const came: { line: string; atMs: number }[] = []
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      const atMs = performance.now() - startedAt
      for (const line of String(chunk).trimEnd().split('\n')) came.push({ line, atMs })
      done()
    },
  })
  return { came, output: streamOutput(stdout) }
}

function running(speed: number, signal: AbortSignal) {
  const stored: ReplayRecord[] = []
  const { came, output } = reading(performance.now())
  const run: ReplayRun = {
    output,
    keep: async (record) => void stored.push(record),
    speed,
    signal,
  }
  return { came, stored, run }
}

test('at a speed writes lines in order and none before its time, and ends after the last', async (t) => {
  const times = EVENTS.flatMap((event) => timestampOf(event) ?? [])
  const firstMs = times[0] as number
  const spanMs = Math.max(...times) - firstMs
  t.true(spanMs > 0)
  // So that the whole stretch lasts half a second at least.
  const speed = spanMs / 500
  const startedAt = performance.now()
  const { came, run } = running(speed, new AbortController().signal)
  const { end, counts } = await runReplay(stepsOf(EVENTS), begun, run)
  t.is(end, 'done')
  t.is(counts.swaps, 120)
  t.true(performance.now() - startedAt >= 500 - EARLY_MS)
  t.deepEqual(
    came.map(({ line }) => line),
    EVENTS.map(printEvent),
  )
  for (const [index, { atMs }] of came.entries()) {
    const dueMs = ((timestampOf(EVENTS[index] as MarketEvent) ?? firstMs) - firstMs) / speed
    t.true(atMs >= dueMs - EARLY_MS, `line ${index + 1} after ${atMs} ms, due after ${dueMs}`)
  }
})

test('writes an event at once rather than when the next is due, and stores its position', async (t) => {
  const end = new AbortController()
  const swaps = EVENTS.filter(({ kind }) => kind === 'swap').slice(0, 2)
  const [first, second] = swaps as [MarketEvent & { kind: 'swap' }, MarketEvent & { kind: 'swap' }]
  // A year later: only a stop can end it.
  const later = { ...second.swap, timestamp: first.swap.timestamp + 31_536_000_000 }
  const { came, stored, run } = running(1, end.signal)
  const over = runReplay(stepsOf([first, { kind: 'swap', swap: later }]), begun, run)
  const bound = performance.now() + 60_000
  while (stored.at(-1)?.events !== 1 && performance.now() < bound) await new Promise(setImmediate)
  t.deepEqual(
    came.map(({ line }) => line),
    [printEvent(first)],
  )
  end.abort()
  t.like(await over, { end: 'stopped', counts: { swaps: 1 } })
  t.like(stored.at(-1), { events: 1, position: { sequence: 1, phase: 'stream' } })
})
