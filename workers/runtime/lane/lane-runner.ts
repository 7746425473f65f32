/**
 * The actor runtime: one lane of one actor, from its checkpoint on, for as long as it is owned.
 *
 * Laws (exactly-once): the checkpoint row is the truth about progress; a batch's effects, its checkpoint and its
 * messages for FEED are one transaction, compared and set by epoch and commit number; nothing is published
 * before its commit, and messages that FEED lacks after a crash are published from the committed rows. On any
 * failure the lane drops its memory, backs off and resumes from the checkpoint: it never skips.
 *
 *   pull -> fold -> (published so far?) -> commit -> publish        the next pull overlaps `publish`
 *
 *   opening --> waiting <--> working          a pull waits for messages | does not: background work is left
 *                  |            |
 *                  '------------'-- grant ended --> draining --> closed     a failed run closes in any state
 */
import assert from 'node:assert/strict'
import { allInOrder, type Connection, historyOf, inOnePiece, lossesOf } from '../../../sql/db.ts'
import { HistoryLost } from '../../../sql/history.ts'
import { sendCommitFailure } from '../../../streams/nats/commit-failures.ts'
import {
  openReader,
  type StoredMessage,
  type StreamReader,
} from '../../../streams/nats/jetstream.ts'
import type { PendingBatch } from '../../../streams/nats/micro-batch.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import type { Actor, Batch, Grant, LaneContext, LaneDeps, LaneMemory, Step } from '../actor.ts'
import {
  backoffMs,
  ConnectionLost,
  FeedAhead,
  Fenced,
  isCommitRefused,
  isPassing,
  ReaderLost,
  waitUnlessAborted,
} from '../backoff.ts'
import {
  advanceCheckpoint,
  beginOf,
  type CheckpointRow,
  notePublished,
  noteSeen,
  type ReadTo,
  readCheckpoint,
} from '../checkpoint.ts'
import { writeDeadLetters } from '../dead-letter.ts'
import { expectCommitted, expectNotAhead } from '../feed/feed-ahead.ts'
import { FeedEnd } from '../feed/feed-end.ts'
import { type FeedPublisher, openFeedPublisher, type Publication } from '../feed/feed-publisher.ts'
import { AT_ONCE, CommitPacing } from '../pacing/commit-pacing.ts'
import { LaneSource } from './lane-source.ts'

const NOTHING_READ: ReadTo = { sequence: 0, storedMs: undefined }
/** How long an empty pull waits before the lane looks after itself. */
const PULL_WAIT_MS = 1_000
/** The same where a lane has read more than is in: it may wait to be quiet. */
const HELD_BACK_WAIT_MS = 100
/** How long a busy lane defers work without a message. */
const IDLE_INTERVAL_MS = 250
/** Without a message for this long, the server is queried whether there are any. */
const STANDSTILL_MS = 8_000

/** State of a run of a lane, drawn above; runActor opens another run after one that failed. */
type LaneMode = 'opening' | 'waiting' | 'working' | 'draining' | 'closed'

const NEXT_MODES: Readonly<Record<LaneMode, readonly LaneMode[]>> = {
  opening: ['waiting', 'closed'],
  waiting: ['waiting', 'working', 'draining', 'closed'],
  working: ['waiting', 'working', 'draining', 'closed'],
  draining: ['closed'],
  closed: [],
}

/** Runs a lane until its grant ends. Rejects only on an assertion: a wrong ledger is worse than none. */
export async function runActor(actor: Actor, grant: Grant, deps: LaneDeps): Promise<void> {
  const end = new FeedEnd(deps, grant.lane)
  for (let failures = 0; !grant.signal.aborted; ) {
    const run = new LaneRun(actor, grant, deps, end)
    try {
      await run.open()
      await run.loop(() => {
        failures = 0
      })
    } catch (error) {
      if (grant.signal.aborted || error instanceof Fenced) {
        deps.log.warn({ actor: actor.name, lane: grant.lane, err: error }, 'lost lane')
        return
      }
      if (!isPassing(error)) throw error
      const wait = backoffMs(failures++)
      // A database that went back in time needs an operator: retries do not help.
      const isStopped = error instanceof FeedAhead || error instanceof HistoryLost
      if (isStopped || isCommitRefused(error)) {
        const text = `${actor.name} lane ${grant.lane} cannot commit: ${(error as Error).message}`
        sendCommitFailure(deps.jetStream, deps.topology.prefix, text)
      }
      const level = isStopped ? 'error' : 'warn'
      deps.log[level](
        { actor: actor.name, lane: grant.lane, err: error, wait },
        'restarting lane from checkpoint',
      )
      await waitUnlessAborted(wait, grant.signal)
    } finally {
      await run.close()
    }
  }
}

class LaneRun {
  private mode: LaneMode = 'opening'
  private readonly actor: Actor
  private readonly grant: Grant
  private readonly deps: LaneDeps
  private readonly context: LaneContext
  private memory: LaneMemory
  private readonly source: LaneSource
  private readonly end: FeedEnd
  /** Count of lost connections when the memory was opened. */
  private readonly losses: number
  /** The position of the checkpoint. */
  private read: ReadTo = NOTHING_READ
  /** The position of the newest message folded: ahead of `read` where the actor buffers some. */
  private taken: ReadTo = NOTHING_READ
  private commitNumber = 0
  private reader: StreamReader | undefined
  private publisher: FeedPublisher | undefined
  private published: Promise<void> = Promise.resolve()
  /**
   * The newest commit publishes something, and its checkpoint does not record that FEED has it. Independent of the
   * mode: set while opening, waiting and working.
   */
  private isToBeNoted = false
  private quietSince = performance.now()
  /** The sequence in the checkpoint. */
  private seenSequence = 0

  constructor(actor: Actor, grant: Grant, deps: LaneDeps, end: FeedEnd) {
    this.actor = actor
    this.end = end
    this.grant = grant
    this.deps = deps
    this.losses = lossesOf(deps.db)
    this.context = { ...deps, lane: grant.lane }
    this.source = new LaneSource(actor, this.context)
    this.memory = actor.openLane(this.context)
  }

  /** Reads the checkpoint, publishes what the last commit could not, and begins to read. */
  async open(): Promise<void> {
    const { actor, grant, deps } = this
    const topology = await ensureTopology(deps.jetStream, deps.topology)
    const [checkpoint] = await readCheckpoint(deps.db, [actor.name, grant.lane, grant.epoch])
    if (checkpoint === undefined) throw new Fenced(`the epoch of lane ${grant.lane} changed`)
    this.commitNumber = checkpoint.commit_number
    await expectNotAhead({ ...deps, topology })
    this.read = await this.source.resume(actor.source(topology), checkpoint)
    this.taken = this.read
    this.seenSequence = checkpoint.seen_sequence
    const subjects = actor.publishes(topology, grant.lane)
    if (subjects.length > 0) await this.end.open(topology.feed, checkpoint)
    const publishing = { ...deps, topology, end: this.end }
    this.publisher = await openFeedPublisher(publishing, actor.name, grant.lane, subjects)
    const { commitNumber } = this
    const feedCommit = this.publisher.newestCommit
    expectCommitted(topology, { lane: grant.lane, commitNumber, feedCommit })
    await this.publishCommitted(checkpoint)
    const filter = actor.filter(topology, grant.lane)
    const { stream } = this.source
    this.reader = await openReader(deps.jetStream, stream, filter, this.read.sequence + 1)
    this.enter('waiting')
  }

  /** The only writer of `mode`. */
  private enter(mode: LaneMode): void {
    assert(NEXT_MODES[this.mode].includes(mode), `a lane that is ${this.mode} cannot be ${mode}`)
    this.mode = mode
  }

  /** Publishes the messages of the newest commit that FEED lacks: its owner may have died in between. */
  private async publishCommitted(checkpoint: CheckpointRow): Promise<void> {
    const { transaction_id: transactionId, first_slots: firsts, last_slots: lasts } = checkpoint
    if (transactionId === null || firsts.length === 0) return
    assert(this.actor.recall !== undefined, 'an actor that publishes can recall a commit')
    const runs = firsts.map((first, at) => ({ first: Number(first), last: Number(lasts[at]) }))
    const commit = { commitNumber: checkpoint.commit_number, transactionId, runs }
    const recalled = await this.actor.recall(this.context, commit)
    await this.publisher?.publish(recalled, this.grant.signal)
    this.isToBeNoted = true
  }

  async loop(onCommit: () => void): Promise<void> {
    const reader = this.reader
    assert(reader !== undefined, 'the lane is open')
    const { bytesMax, ...batching } = this.actor.batching ?? AT_ONCE
    const { commitEveryMs: everyMs = batching.everyMs, isCpuShort, blockWaitMs } = this.deps
    const pacing = new CommitPacing({ ...batching, everyMs }, isCpuShort, blockWaitMs)
    let [pulledAtMs, lastIdleMs] = [0, performance.now()]
    const untilMs = (held: PendingBatch) =>
      Math.min(pacing.untilMs(pulledAtMs, held), this.memory.idleDueMs?.() ?? Infinity)
    const batchUntil = batching.waitMs + everyMs > 0 ? untilMs : undefined
    while (!this.grant.signal.aborted) {
      await this.memory.untilDue?.(this.grant.signal)
      const emptyMs = this.taken.sequence > this.read.sequence ? HELD_BACK_WAIT_MS : PULL_WAIT_MS
      const messages = await reader.take(
        bytesMax,
        this.mode === 'waiting' ? emptyMs : 0,
        batchUntil,
      )
      pulledAtMs = performance.now()
      this.assertConnected()
      if (this.end.isDue()) await this.end.expectHeld()
      const isPassedOver = await this.source.hasPassedOver(this.taken, messages.length)
      const isLost = await this.source.hasLost(messages, reader.renewals())
      if (isPassedOver || isLost) {
        this.memory = this.actor.openLane(this.context)
      }
      if (messages.length > 0) {
        await this.commitMessages(messages)
        pacing.took(performance.now() - pulledAtMs)
        this.actor.publishPaceHint?.(this.context, pacing.moreMs)
      }
      const idleDueMs = this.memory.idleDueMs?.() ?? lastIdleMs + IDLE_INTERVAL_MS
      if (messages.length === 0 || performance.now() >= idleDueMs) {
        this.enter((await this.commitIdle()) ? 'working' : 'waiting')
        lastIdleMs = performance.now()
      }
      if (messages.length === 0 && this.mode === 'waiting') {
        await this.published
        await this.assertReading()
        continue
      }
      this.quietSince = performance.now()
      onCommit()
    }
    this.enter('draining')
    await this.published
    await this.notePublished()
    // A stream that is away now is examined when the lane continues.
    if (this.deps.jetStream.isReachable()) await this.look().catch(() => {})
  }

  /** Where an actor meant a fold or a commit to fail (`afterRefusal`), the same messages are taken again at once. */
  private async commitMessages(messages: readonly StoredMessage[]): Promise<void> {
    const last = messages[messages.length - 1]
    assert(last !== undefined && last.sequence > this.taken.sequence, 'sequences rise')
    this.taken = { sequence: last.sequence, storedMs: last.storedMs() }
    await this.step('pulled')
    const take = async (): Promise<void> => {
      const batch = await this.memory.fold(messages)
      await this.step('folded')
      await this.commit(batch, batch.readTo ?? last.sequence, messages.length)
    }
    await take().catch((error: unknown) => {
      const memory = this.memory.afterRefusal?.(error)
      if (memory === undefined) throw error
      this.memory = memory
      return take()
    })
  }

  private async commitIdle(): Promise<boolean> {
    const batch = await this.memory.foldIdle(this.read.sequence)
    if (batch === undefined) return false
    await this.commit(batch, batch.readTo ?? this.read.sequence, 0)
    return true
  }

  /** One transaction: checkpoint, effects, dead letters. Then the publication begins. */
  private async commit(batch: Batch, sequence: number, messageCount: number): Promise<void> {
    const read = this.readTo(sequence)
    const { deps, actor, grant } = this
    const startedAt = performance.now()
    const publications = batch.publish(this.commitNumber + 1)
    // The checkpoint remembers one commit: the publications of the one before must be in FEED by now.
    await this.published
    const connection = await deps.db.connect()
    let failure: Error | undefined
    try {
      this.assertConnected()
      await inOnePiece(connection, () => this.write(connection, batch, read, publications))
      await this.step('written')
      await connection.query('commit')
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      // A connection whose transaction failed is closed: the server rolls back, whatever happened.
      connection.release(failure)
    }
    this.commitNumber += 1
    this.read = read
    this.seenSequence = this.source.seenSequence
    this.isToBeNoted = publications.length > 0
    await this.step('committed', batch)
    this.published = this.publish(publications)
    // The next await observes a rejection; until then it must not count as unhandled.
    this.published.catch(() => {})
    const ms = Math.round((performance.now() - startedAt) * 10) / 10
    deps.log.debug(
      { actor: actor.name, lane: grant.lane, sequence, messageCount, events: batch.eventCount, ms },
      'committed batch',
    )
  }

  /** Where a commit leaves the lane. */
  private readTo(sequence: number): ReadTo {
    const { read, taken } = this
    assert(sequence >= read.sequence && sequence <= taken.sequence, 'a checkpoint never goes back')
    const known = [taken, read].find((progress) => progress.sequence === sequence)
    return known ?? { sequence, storedMs: undefined }
  }

  /** All of the transaction but its end. Statements that need no answer are pipelined. */
  private async write(db: Connection, batch: Batch, read: ReadTo, published: unknown[]) {
    const { actor, deps, commitNumber } = this
    const { lane, epoch } = this.grant
    const streamEpoch = this.source.epoch
    const origin = { actor: actor.name, lane, streamEpoch, log: deps.log }
    const before = { actor: actor.name, lane, epoch, commitNumber }
    const [runs, publishedParts] = [batch.publishedRuns ?? [], published.length]
    const { seenSequence } = this.source
    const after = { streamEpoch, read, seenSequence, runs, publishedParts }
    const history = historyOf(deps.db)
    const advance = () =>
      advanceCheckpoint(db, before, { ...after, feed: this.end.newest() }, history)
    const begun = db.query(beginOf(actor.publishes(deps.topology, lane)))
    const effects = () => [batch.write(db), writeDeadLetters(db, batch.deadLetters, origin)]
    if (batch.isLong) {
      await allInOrder([begun, ...effects()])
      return advance()
    }
    // Fenced or not comes first: of a lane that was lost, the effects may well fail.
    await allInOrder([begun, advance(), ...effects()])
  }

  private async publish(publications: Publication[]): Promise<void> {
    assert(this.publisher !== undefined, 'the lane is open')
    await this.publisher.publish(publications, this.grant.signal)
    await this.step('published')
  }

  /**
   * A server that went down has forgotten what it had not put on disk, ids that were interned among it: nothing
   * that was read before is to be relied on.
   */
  private assertConnected(): void {
    historyOf(this.deps.db).assertRetained()
    if (lossesOf(this.deps.db) === this.losses) return
    throw new ConnectionLost('the database ended a connection: dropping the state of the lane')
  }

  /**
   * FEED trims old messages. Without a record, the next owner of the lane would take old publications for missing ones.
   */
  private async notePublished(): Promise<void> {
    if (!this.isToBeNoted) return
    const { lane, epoch } = this.grant
    const feed = this.end.newest()
    const noted = [this.actor.name, lane, epoch, this.commitNumber, feed.epoch, feed.sequence]
    await notePublished(this.deps.db, noted)
    this.isToBeNoted = false
  }

  /** A lane without messages queries the server whether there are any. */
  private async assertReading(): Promise<void> {
    if (performance.now() - this.quietSince < STANDSTILL_MS) return
    await this.notePublished()
    const head = await this.look()
    if (head > this.taken.sequence && !this.reader?.hasMessages()) {
      throw new ReaderLost(`no message arrived although the stream is at ${head}`)
    }
    this.quietSince = performance.now()
  }

  /** Where the stream is for this lane; notes up to where it has nothing unread. */
  private async look(): Promise<number> {
    const head = await this.source.look(this.read.sequence)
    const { epoch: streamEpoch, seenSequence } = this.source
    if (seenSequence === this.seenSequence) return head
    const { lane, epoch } = this.grant
    const { actor, commitNumber, deps } = this
    await noteSeen(deps.db, [actor.name, lane, epoch, commitNumber, streamEpoch, seenSequence])
    this.seenSequence = seenSequence
    return head
  }

  private async step(step: Step, batch?: Batch): Promise<void> {
    await this.deps.onStep?.(step, this.grant.lane, batch)
  }

  async close(): Promise<void> {
    this.enter('closed')
    // The outcome of the publication does not matter now: the next owner determines it.
    await this.published.catch(() => {})
    await this.reader?.close().catch(() => {})
  }
}
