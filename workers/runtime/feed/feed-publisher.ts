/**
 * From a commit to FEED, each publication once.
 *
 * A subject has one writer, the pool lane, so the last message of a subject shows what FEED has. Every publish names
 * the sequence that it expects to follow: of two owners of a lane only one can be right, and the other is refused by
 * the stream. No effect hangs on JetStream's de-duplication window.
 *
 *   commit 7 ----- crash ----- new owner: last of subject is commit 6 -> publishes 7 from its rows
 *                              last of subject is commit 7          -> nothing to do
 * Decision: docs/decisions/0001-feed-subjects-name-their-writer.md, and for leaders that were just elected
 * docs/decisions/0060-a-new-leader-applies-its-log-first.md
 */
import {
  decodeFeedBatch,
  decodeFeedMark,
  type FeedMark,
  slotOf,
} from '../../../streams/codec/event-codec.ts'
import { unlessBroken } from '../../../streams/codec/protobuf.ts'
import {
  type JetStream,
  PublishRefused,
  type StoredMessage,
  WrongLastSequence,
} from '../../../streams/nats/jetstream.ts'
import { untilApplied } from '../../../streams/nats/replicas.ts'
import { PREVIOUS_SLOTS_HEADER, writePreviousSlots } from '../../../streams/nats/subject-chain.ts'
import type { Topology } from '../../../streams/nats/topology.ts'
import { FeedCut, ReaderLost } from '../backoff.ts'
import type { FeedEnd } from './feed-end.ts'

/** A FEED message to be: parts of a commit are numbered through from 0. `slots`: the first and the last of its events. */
export type Publication = {
  commitNumber: number
  part: number
  subject: string
  payload: Buffer
  slots: readonly [number, number]
}

export type FeedPublisher = {
  /** The newest commit of the lane that FEED publishes; 0 when it publishes none. */
  readonly newestCommit: number
  /**
   * Publishes what FEED lacks of these. Resolves when all are in FEED. Rejects when they cannot, or the signal ends it.
   */
  publish(publications: readonly Publication[], signal?: AbortSignal): Promise<void>
}

const RETRY_FROM_MS = 50
const RETRY_TO_MS = 1_000

type Deps = { jetStream: JetStream; topology: Topology; end: FeedEnd }
/** The end of a subject; `previous`: its newest message, as the next one describes it. */
type SubjectEnd = { sequence: number; mark: FeedMark | undefined; previous: string | undefined }

/** Opens the publisher of a lane after reading the end of each of its subjects. */
export async function openFeedPublisher(
  deps: Deps,
  actor: string,
  lane: number,
  subjects: readonly string[],
): Promise<FeedPublisher> {
  const publisher = new LanePublisher(deps, actor, lane)
  // Messages of the owner before may be in the log of a leader that has not applied them.
  if (subjects.length > 0) await untilApplied(deps.jetStream, deps.topology.feed.stream)
  await Promise.all(subjects.map((subject) => publisher.learn(subject)))
  return publisher
}

class LanePublisher implements FeedPublisher {
  private readonly deps: Deps
  private readonly actor: string
  private readonly lane: number
  private readonly ends = new Map<string, SubjectEnd>()

  constructor(deps: Deps, actor: string, lane: number) {
    this.deps = deps
    this.actor = actor
    this.lane = lane
  }

  async learn(subject: string): Promise<SubjectEnd> {
    const { jetStream, topology } = this.deps
    const last = await jetStream.lastOfSubject(topology.feed.stream, subject)
    const mark = last && markOf(last)
    const previous = last && mark && describe(mark.commitNumber, slotsOf(last))
    const subjectEnd: SubjectEnd = { sequence: last?.sequence ?? 0, mark, previous }
    this.ends.set(subject, subjectEnd)
    return subjectEnd
  }

  get newestCommit(): number {
    const commits = [...this.ends.values()].map(({ mark }) => mark?.commitNumber ?? 0)
    return commits.reduce((a, b) => Math.max(a, b), 0)
  }

  /** Subjects go side by side, the messages of one in order. */
  async publish(publications: readonly Publication[], signal?: AbortSignal): Promise<void> {
    const { end } = this.deps
    if (end.isDue()) await end.expectHeld()
    const { sequence: floor } = end.newest()
    const bySubject = Map.groupBy(publications, (publication) => publication.subject)
    await Promise.all(
      [...bySubject.values()].map(async (ordered) => {
        for (const publication of ordered) await this.put(publication, floor, signal)
      }),
    )
  }

  /** One message, until FEED has it, after `floor`: all earlier publications are in FEED. */
  private async put(
    publication: Publication,
    floor: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { subject } = publication
    for (let attempt = 0; ; attempt++) {
      const subjectEnd = this.ends.get(subject) ?? (await this.learn(subject))
      if (has(subjectEnd, publication)) return
      try {
        await this.publishOnce(publication, subjectEnd, floor)
        return
      } catch (error) {
        if (error instanceof PublishRefused || isCut(error) || signal?.aborted) throw error
        if (!(error instanceof WrongLastSequence)) {
          await delay(Math.min(RETRY_TO_MS, RETRY_FROM_MS * 2 ** Math.min(attempt, 8)))
        }
        await this.deps.end.expectHeld()
        // The message may be stored: a leader that has not applied it would store it again.
        await untilApplied(this.deps.jetStream, this.deps.topology.feed.stream)
        await this.learn(subject)
      }
    }
  }

  private async publishOnce(
    publication: Publication,
    { sequence: expected, previous }: SubjectEnd,
    floor: number,
  ): Promise<void> {
    const { subject, payload, commitNumber, part, slots } = publication
    const ack = await this.deps.jetStream.publish(subject, payload, {
      id: `${this.actor}-${this.lane}-${commitNumber}-${part}`,
      expectedLastSubjectSequence: expected,
      // For a reader that finds the message before this one lost.
      ...(previous === undefined ? {} : { headers: { [PREVIOUS_SLOTS_HEADER]: previous } }),
    })
    // Numbers that were given before: the stream lost its end.
    if (ack.sequence <= floor && !ack.duplicate) await this.deps.end.expectHeld()
    this.deps.end.note(ack.sequence)
    const mark = { poolLane: this.lane, commitNumber, part }
    const subjectEnd = { sequence: ack.sequence, mark, previous: describe(commitNumber, slots) }
    this.ends.set(subject, subjectEnd)
  }
}

/** The mark of a message; undefined where another process wrote FEED: the newest commit is then published again. */
const markOf = ({ payload }: StoredMessage): FeedMark | undefined =>
  unlessBroken(() => decodeFeedMark(payload))

const describe = (commitNumber: number, slots: Publication['slots'] | undefined) =>
  slots && writePreviousSlots({ commitNumber, slots })

/** Events of a message are in the order of their slots. */
function slotsOf({ payload }: StoredMessage): Publication['slots'] | undefined {
  const slots = unlessBroken(() => decodeFeedBatch(payload))?.map(slotOf)
  const [first] = slots ?? []
  return first === undefined ? undefined : [first, slots?.at(-1) ?? first]
}

const isCut = (error: unknown): boolean => error instanceof FeedCut || error instanceof ReaderLost

function has({ mark }: SubjectEnd, { commitNumber, part }: Publication): boolean {
  if (mark === undefined) return false
  return (
    mark.commitNumber > commitNumber || (mark.commitNumber === commitNumber && mark.part >= part)
  )
}

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
