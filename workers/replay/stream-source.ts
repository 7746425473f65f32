/**
 * Reads history from a stream: the messages after a sequence, up to the newest one at the start.
 *
 * Law: messages come in order, and none is skipped silently. The replay ends with an error when the stream trimmed
 * unread messages or was recreated; messages lost to a damaged file are reported (`onLost`). Events that the tables
 * already supplied are skipped by the commit that the snapshot of their slot's page held (in SWAP: by the sequence that
 * the lane had read).
 */
import { isChainEvent, type MarketEvent, payloadOf } from '../../domain/events/event.ts'
import type { RetractedBlocks } from '../../domain/events/retraction.ts'
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import {
  decodeEventBatch,
  decodeFeedBatch,
  decodeFeedMark,
  type FeedMark,
} from '../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../streams/codec/protobuf.ts'
import type { History } from '../../streams/feed/table-history.ts'
import { type JetStream, openReader, type StoredMessage } from '../../streams/nats/jetstream.ts'
import { laneOfSubject, patternFilter, type SubjectPattern } from '../../streams/nats/subject.ts'
import { SubjectChain } from '../../streams/nats/subject-chain.ts'
import {
  lastStoredBy,
  streamExtent,
  streamNotFound,
  type Topology,
} from '../../streams/nats/topology.ts'
import {
  historyOf,
  isWithin,
  type ReplayPlan,
  type ReplayPosition,
  type ReplayStep,
  TOKEN_SLOT,
} from '../../streams/replay/replay.ts'
import { asItCame } from './table-source.ts'

/** The replay is impossible; the message is for the operator. */
export class ReplayRefused extends Error {
  override name = 'ReplayRefused'
}

const TAKE_BYTES = 1024 * 1024
const TAKE_WAIT_MS = 1_000
/** An event is stored no earlier than this before its own time: 10 minutes by contract, and clocks differ. */
const CLOCKS_MS = HOUR_MS

/** Messages that a stream lost and a replay lacks; `after`: a message that was read shortly before. */
export type LostFromLog = { stream: string; after: number; messages: number }
export type LogDeps = {
  jetStream: JetStream
  topology: Topology
  onLost?: (lost: LostFromLog) => void
  /** Blocks whose events are left out; absent: none are. */
  retracted?: RetractedBlocks
}

type Extent = { epoch: string; first: number; last: number }

export function streamOf({ topology }: LogDeps, { stream }: SubjectPattern): string {
  return stream === 'SWAP' ? topology.swap.stream : topology.feed.stream
}

export async function extentOf(deps: LogDeps, pattern: SubjectPattern): Promise<Extent> {
  const stream = streamOf(deps, pattern)
  const extent = await streamExtent(deps.jetStream, stream)
  if (extent === undefined) throw new ReplayRefused(streamNotFound(stream))
  return extent
}

/**
 * The sequence before all messages that can hold an event of this time or a later one; undefined if the stream may
 * have trimmed some of them. An event is ingested after it happened, up to the difference of clocks.
 */
export async function sequenceBefore(
  { jetStream }: LogDeps,
  stream: string,
  extent: Extent,
  fromMs: number,
): Promise<number | undefined> {
  const sequence = await lastStoredBy(jetStream, stream, extent, fromMs - CLOCKS_MS - 1)
  return sequence < extent.first ? undefined : sequence
}

export async function* logSteps(
  deps: LogDeps,
  plan: ReplayPlan,
  pattern: SubjectPattern,
  from: ReplayPosition,
): AsyncGenerator<ReplayStep> {
  const filter = patternFilter(deps.topology.prefix, pattern)
  const stream = streamOf(deps, pattern)
  await expectHeld(deps, plan, pattern, from.sequence)
  const newest = (await deps.jetStream.lastOfSubject(stream, filter))?.sequence ?? 0
  const end = from.endSequence ?? Math.min(newest, plan.toSequence ?? newest)
  const history = historyOf(from)
  const reader = await openReader(deps.jetStream, stream, filter, from.sequence + 1)
  const chain = new SubjectChain()
  let sequence = from.sequence
  let newestRead: StoredMessage | undefined
  try {
    while (sequence < end) {
      const taken = await reader.take(TAKE_BYTES, TAKE_WAIT_MS)
      const [first] = taken
      if (first === undefined || first.sequence > sequence + 1 || reader.renewals() > 0) {
        await expectHeld(deps, plan, pattern, sequence)
      }
      await reportLost(deps, pattern, chain, taken, from.sequence)
      newestRead = taken.at(-1) ?? newestRead
      for (const message of taken) {
        if (sequence >= end) break
        sequence = Math.min(message.sequence, end)
        const events =
          message.sequence > end ? [] : eventsOf(message, plan, pattern, history, deps.retracted)
        yield { events, position: { ...from, sequence, endSequence: end } }
      }
    }
    if (newestRead !== undefined) await reportUndelivered(deps, pattern, newestRead)
  } finally {
    await reader.close().catch(() => {})
  }
}

/** Reports lost messages of FEED after `from`: each message names its predecessor. */
async function reportLost(
  deps: LogDeps,
  pattern: SubjectPattern,
  chain: SubjectChain,
  taken: readonly StoredMessage[],
  from: number,
): Promise<void> {
  const broken = taken
    .flatMap((message) => chain.note(message) ?? [])
    .filter(({ previous }) => previous > from)
  if (broken.length === 0) return
  const { first } = await extentOf(deps, pattern)
  for (const { previous, read } of broken) {
    if (previous < first) continue
    deps.onLost?.({ stream: streamOf(deps, pattern), after: read ?? from, messages: 1 })
  }
}

/** Reports lost messages of SWAP, which has no such chain: the server counts them as pending and delivers none. */
async function reportUndelivered(
  deps: LogDeps,
  pattern: SubjectPattern,
  newest: StoredMessage,
): Promise<void> {
  const messages = newest.pending?.() ?? 0
  if (pattern.stream !== 'SWAP' || messages === 0) return
  const stream = streamOf(deps, pattern)
  const filter = patternFilter(deps.topology.prefix, pattern)
  const head = await deps.jetStream.lastOfSubject(stream, filter)
  if (head?.sequence === newest.sequence) deps.onLost?.({ stream, after: 0, messages })
}

/** Rejects if the stream was recreated, or messages after the sequence were trimmed. */
async function expectHeld(
  deps: LogDeps,
  { epoch }: ReplayPlan,
  pattern: SubjectPattern,
  sequence: number,
): Promise<void> {
  const extent = await extentOf(deps, pattern)
  if (extent.epoch !== epoch) {
    throw new ReplayRefused('the stream was recreated: start a new replay, from the tables')
  }
  if (extent.first > sequence + 1) {
    throw new ReplayRefused(
      `the stream begins at ${extent.first} now, messages after ${sequence} were trimmed: ` +
        'start a new replay from a time, which the tables serve',
    )
  }
}

function eventsOf(
  message: StoredMessage,
  plan: ReplayPlan,
  { stream }: SubjectPattern,
  history: History,
  retracted: RetractedBlocks | undefined,
): MarketEvent[] {
  // Every reader of the stream dead-letters a message that does not decode.
  const found = unlessBroken(() => (stream === 'SWAP' ? cameIn(message) : published(message)))
  if (found === undefined) return []
  return found.events.filter(
    (event) =>
      isWithin(plan, event) &&
      !(plan.isStored && isKnown(event, history, found.mark)) &&
      !(isChainEvent(event) && retracted?.has(payloadOf(event))),
  )
}

function slotOf(event: MarketEvent): number {
  if (event.kind === 'token') return TOKEN_SLOT
  return event.kind === 'swap' ? event.swap.slot : event.poolEvent.slot
}

function isKnown(event: MarketEvent, history: History, mark: FeedMark): boolean {
  return history.has(slotOf(event), mark)
}

type Found = { events: MarketEvent[]; mark: FeedMark }

function published({ payload }: StoredMessage): Found {
  const events = decodeFeedBatch(payload)
    .filter(({ isRetraction }) => !isRetraction)
    .map(
      (event): MarketEvent =>
        event.kind === 'swap'
          ? { kind: 'swap', swap: asItCame(event.swap) }
          : { kind: 'pool_event', poolEvent: event.poolEvent },
    )
  return { events, mark: decodeFeedMark(payload) }
}

function cameIn({ payload, subject, sequence }: StoredMessage): Found {
  const mark = { poolLane: laneOfSubject(subject), commitNumber: sequence, part: 0 }
  return { events: decodeEventBatch(payload).filter((event) => event.kind !== 'retract'), mark }
}
