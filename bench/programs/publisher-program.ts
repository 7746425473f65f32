/**
 * A publisher as a program of the benchmark: holds the market ready in memory and publishes it on command, flat out or
 * at a steady rate, through the batcher that `ingest` uses.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '../../domain/events/event.ts'
import { publishEvents } from '../../streams/ingest/batcher.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import { connectJetStream } from '../../streams/nats/jetstream.ts'
import { ensureTopology } from '../../streams/nats/topology.ts'
import { withHeavyWallet } from '../market/heavy.ts'
import { relap, withFirstUses } from '../market/lap.ts'
import { marketEvents, swapCount } from '../market/market.ts'
import { sharedClockMs } from '../measure/sample.ts'
import { programLog, programOptions, sendToStarter, untilStopRequested } from './program.ts'

export type PublishOrder = {
  kind: 'publish'
  natsUrl: string
  prefix: string
  laneCount: number
  run: string
  /** About so many swaps of the market, if not all. */
  swaps?: number
  /** How many events of the market are passed over: another order had them. */
  skip?: number
  /** Absent: flat out. */
  swapsPerSecond?: number
  /** Interval of swaps that are reported with the moment of their hand-over. */
  sampleEvery?: number
  /** How often the market is repeated, each time with other signatures, later slots, new wallets. */
  laps?: number
  /** The first lap; absent: the market unchanged. */
  lap?: number
  /** With one wallet that makes half of all swaps, in one token. */
  isHeavy?: boolean
}

export type PublisherMessage =
  | { kind: 'ready'; events: number; swaps: number }
  | { kind: 'sample'; signature: string; atMs: number }
  | { kind: 'published'; fromMs: number; toMs: number; events: number; swaps: number }
  | { kind: 'state'; rssBytes: number; swaps: number }

const RUN_EVENTS = 1_000
/** Over many laps: events that may be on their way to their commit, some seconds of work. */
const LEAD_EVENTS_MAX = 200_000
const LEAD_PAUSE_MS = 5
/** Steady load comes in steps of this. */
const TICK_MS = 2

const market = marketEvents(programOptions<{ swaps: number }>().swaps)
const counts = { events: 0, swaps: 0 }
let isEnough = false
/** Swaps that the worker has committed, as last reported to this program. */
let committed = 0

/** Resets the counts and hands over the events of an order. */
async function* ordered(order: PublishOrder): AsyncGenerator<readonly Event[]> {
  counts.events = 0
  counts.swaps = 0
  isEnough = false
  committed = 0
  if (order.swapsPerSecond === undefined) yield* flatOut(order)
  else yield* steady(order, order.swapsPerSecond)
}

/** The events of an order in runs, lap after lap. */
function* runsOf(order: PublishOrder): Generator<Event[], undefined> {
  const { skip = 0, lap = 0, laps = 1, isHeavy } = order
  const marked = lap + laps > 1 ? withFirstUses(market) : undefined
  const plain = isHeavy ? withHeavyWallet(market) : market
  for (let current = lap; current < lap + laps; current++) {
    for (let at = skip; at < market.length; at += RUN_EVENTS) {
      const end = at + RUN_EVENTS
      const run = marked === undefined ? plain.slice(at, end) : relap(marked, at, end, current)
      if (run.length > 0) yield run
    }
  }
  return undefined
}

async function* flatOut(order: PublishOrder): AsyncGenerator<readonly Event[]> {
  const { laps = 1, swaps = Infinity } = order
  for (const run of runsOf(order)) {
    while (laps > 1 && counts.events - committed > LEAD_EVENTS_MAX && !isEnough) {
      await pause(LEAD_PAUSE_MS)
    }
    if (counts.swaps >= swaps || isEnough) return
    counts.events += run.length
    counts.swaps += swapCount(run)
    yield run
  }
}

/** Yields the events that are due, every tick; an event's index determines its time, so none drifts. */
async function* steady(
  order: PublishOrder,
  swapsPerSecond: number,
): AsyncGenerator<readonly Event[]> {
  const { swaps = Infinity, sampleEvery = Infinity } = order
  const runs = runsOf(order)
  let ready = runs.next().value ?? []
  let at = 0
  const fromMs = sharedClockMs()
  while (counts.swaps < swaps && at < ready.length && !isEnough) {
    const nowMs = sharedClockMs()
    const due = Math.min(swaps, Math.floor(((nowMs - fromMs) * swapsPerSecond) / 1000))
    const run: Event[] = []
    while (at < ready.length && counts.swaps < due) {
      const event = ready[at]!
      run.push(event)
      counts.events += 1
      if (event.kind === 'swap') {
        counts.swaps += 1
        if (counts.swaps % sampleEvery === 0) {
          sendToStarter<PublisherMessage>({
            kind: 'sample',
            signature: event.swap.signature,
            atMs: nowMs,
          })
        }
      }
      at += 1
      if (at < ready.length) continue
      ready = runs.next().value ?? []
      at = 0
    }
    if (run.length > 0) yield run
    await pause(TICK_MS)
  }
}

async function publish(order: PublishOrder): Promise<void> {
  const { natsUrl, prefix, laneCount, run } = order
  const jetStream = await connectJetStream(natsUrl, { name: 'bench-publisher', log: programLog })
  const topology = await ensureTopology(jetStream, { prefix, laneCount })
  const publisher = createPublisher(jetStream, topology, { run, log: programLog })
  const fromMs = sharedClockMs()
  // Flat out as from a file: batches fill up.
  const lingerMs = order.swapsPerSecond === undefined ? { lingerMs: Number.POSITIVE_INFINITY } : {}
  await publishEvents(ordered(order), {
    publish: publisher.publish,
    moreLingerMs: publisher.moreLingerMs,
    laneCount,
    prefix,
    ...lingerMs,
  })
  const toMs = sharedClockMs()
  await jetStream.close()
  sendToStarter<PublisherMessage>({ kind: 'published', fromMs, toMs, ...counts })
}

type PublisherCommand =
  | PublishOrder
  | { kind: 'state' }
  | { kind: 'enough' }
  | { kind: 'committed'; events: number }

process.on('message', (message: PublisherCommand) => {
  if (message.kind === 'publish') void publish(message)
  else if (message.kind === 'enough') isEnough = true
  else if (message.kind === 'committed') committed = message.events
  else {
    const rssBytes = process.memoryUsage.rss()
    sendToStarter<PublisherMessage>({ kind: 'state', rssBytes, swaps: counts.swaps })
  }
})
sendToStarter<PublisherMessage>({ kind: 'ready', events: market.length, swaps: swapCount(market) })
await untilStopRequested()
process.exit(0)
