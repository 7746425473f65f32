/**
 * Fills a gap of FEED from the tables: events of the lost messages' subject and slots that no message of FEED holds.
 *
 * Invariants: a lost event is filled even if its slot is out of order, because the message after the lost one names the
 * lost slots. An event that FEED still holds, or that is yet to be published, is not filled: the tables are read first,
 * then the filler waits until what they hold is published, then it reads the subject to its end.
 *
 *   FEED     .. a7 | lost a8 | a9          same subject; a9 names the slots of a8
 *   tables   slots of a7 .. a9             less the events of a7, a9 and all other messages of the subject
 */
import { setTimeout as pause } from 'node:timers/promises'
import { compareFully } from '../../../domain/events/event.ts'
import { decodeFeedBatch, type FeedEvent, slotOf } from '../../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../../streams/codec/protobuf.ts'
import { type JetStream, openReader } from '../../../streams/nats/jetstream.ts'
import { laneOfSubject, type SubjectPrefix, subjectIn } from '../../../streams/nats/subject.ts'
import { streamExtent, streamNotFound } from '../../../streams/nats/topology.ts'
import { identityOf } from '../gap.ts'
import type { StoredEvents } from './stored.ts'

export type Hole = {
  subject: string
  /** The lost message. */
  previous: number
  /** The message that names the lost one as its predecessor, and the slots that it gives for it. */
  sequence: number
  payload: Uint8Array
  slots: readonly [number, number] | undefined
}

type Filled = { slots: readonly [number, number]; events: FeedEvent[] }
/** Throws if the tables or FEED cannot be read. */
export type FillGap = (hole: Hole, signal: AbortSignal) => Promise<Filled>

type Deps = { jetStream: JetStream; stream: string; prefix: SubjectPrefix; stored: StoredEvents }

/** Messages of FEED before and after the lost one that are searched for events that are not lost. */
const REACH = 50_000
const TAKE = { bytes: 1024 * 1024, waitMs: 2_000 }
/** Pages of the tables: a million rows. */
const PAGES_MAX = 2_000
const PUBLISHED_BOUND_MS = 12_000
const POLL_MS = 250

export function gapFiller(deps: Deps): FillGap {
  return async (hole, signal) => {
    const extent = await streamExtent(deps.jetStream, deps.stream)
    if (extent === undefined) throw new Error(streamNotFound(deps.stream))
    const first = Math.max(extent.first, hole.previous - REACH)
    const before = await messagesOf(deps, hole, first, signal)
    const slots = slotsOf(hole, before)
    const found = await storedEvents(deps, hole, slots, extent.laneCount, signal)
    const held = await messagesOf(deps, hole, first, signal)
    const known = new Set(held.flatMap(({ events }) => events.map(identityOf)))
    const events = found.filter((event) => !known.has(identityOf(event)))
    return { slots, events: events.sort(compareFully) }
  }
}

type Held = { sequence: number; events: readonly FeedEvent[] }

/** Messages of the subject that FEED holds from a sequence on. */
async function messagesOf(
  { jetStream, stream }: Deps,
  { subject, sequence }: Hole,
  from: number,
  signal: AbortSignal,
): Promise<Held[]> {
  const newest = await jetStream.lastOfSubject(stream, subject)
  const end = Math.min(newest?.sequence ?? sequence, sequence + REACH)
  const reader = await openReader(jetStream, stream, subject, from)
  const held: Held[] = []
  try {
    while ((held.at(-1)?.sequence ?? 0) < end) {
      signal.throwIfAborted()
      const taken = await reader.take(TAKE.bytes, TAKE.waitMs)
      // The newest message of the subject may be lost, too.
      if (taken.length === 0) break
      for (const message of taken) {
        const events = unlessBroken(() => decodeFeedBatch(message.payload)) ?? []
        held.push({ sequence: message.sequence, events })
      }
    }
    return held
  } finally {
    await reader.close().catch(() => {})
  }
}

/**
 * Slots from the newest message of the subject before the lost one to the message after it, with those that this one
 * names: if several messages in a row are lost, it names only the slots of the last.
 */
function slotsOf({ previous, sequence, slots }: Hole, held: readonly Held[]): [number, number] {
  const around = [
    held.findLast((each) => each.sequence < previous),
    held.find((each) => each.sequence === sequence),
  ]
  const all = around.flatMap((each) => each?.events.map(slotOf) ?? []).concat(slots ?? [])
  return [
    all.reduce((least, slot) => Math.min(least, slot), Number.MAX_SAFE_INTEGER),
    all.reduce((greatest, slot) => Math.max(greatest, slot), 0),
  ]
}

/** Stored events of the subject in these slots; waits until all of them are published. */
async function storedEvents(
  { stored, prefix }: Deps,
  { subject }: Hole,
  [first, last]: readonly [number, number],
  laneCount: number,
  signal: AbortSignal,
): Promise<FeedEvent[]> {
  const isOfSubject = (event: FeedEvent): boolean =>
    slotOf(event) <= last && `${prefix}${subjectIn('FEED', event, laneCount)}` === subject
  const poolLane = laneOfSubject(subject)
  const events: FeedEvent[] = []
  let commit = 0
  let pages = 0
  for (const channel of ['swaps', 'pool_events'] as const) {
    for (let slot = first; slot <= last; ) {
      if (++pages > PAGES_MAX) throw new Error(`slots ${first} to ${last} are too many to fill`)
      const page = await stored.page(channel, slot, signal)
      commit = Math.max(commit, page.commits.get(poolLane) ?? 0)
      events.push(...page.events.filter(isOfSubject))
      slot = page.slotEnd
    }
  }
  await published(stored, new Map([[poolLane, commit]]), signal)
  return events
}

/** Resolves when the commits are in FEED, or after 12 s: then some of their events may be sent twice. */
async function published(
  stored: StoredEvents,
  commits: ReadonlyMap<number, number>,
  signal: AbortSignal,
): Promise<void> {
  const endsAt = performance.now() + PUBLISHED_BOUND_MS
  while (!(await stored.arePublished(commits, () => new Map())) && performance.now() < endsAt) {
    await pause(POLL_MS, undefined, { signal })
  }
}
