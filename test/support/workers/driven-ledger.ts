/**
 * A lane of the ledger that a test drives: the test decides how many messages of FEED a batch has, when idle work runs,
 * and where the lane dies: before a commit, or after one whose answer is lost.
 */
import type { ExecutionContext } from 'ava'
import { connect, type Db } from '../../../sql/db.ts'
import {
  openReader,
  type StoredMessage,
  type StreamReader,
} from '../../../streams/nats/jetstream.ts'
import { feedLaneFilter } from '../../../streams/nats/subject.ts'
import { openLedgerLane, type Reordering } from '../../../workers/ledger/actor.ts'
import type { Batch, LaneContext, LaneMemory } from '../../../workers/runtime/actor.ts'
import type { Pipeline } from './pipeline.ts'

export type Death = 'before its commit' | 'behind its commit'

const CONSUMED_BYTES = 16 * 1024 * 1024
/** No reordering. */
const UNORDERED: Reordering = { fromBytes: Number.POSITIVE_INFINITY, depth: 0 }

export class DrivenLedger {
  /** Messages of FEED that no commit has applied. */
  unread: StoredMessage[] = []
  private readonly pipeline: Pipeline
  private readonly context: LaneContext
  private readonly reader: StreamReader
  private readonly reordering: Reordering
  private memory: LaneMemory
  /** The sequence up to which all is applied, like a checkpoint. */
  private sequence = 0
  /** Messages after it that are applied only in part. */
  private stored: StoredMessage[] = []

  private constructor(
    pipeline: Pipeline,
    context: LaneContext,
    reader: StreamReader,
    reordering: Reordering,
  ) {
    this.pipeline = pipeline
    this.context = context
    this.reader = reader
    this.reordering = reordering
    this.memory = openLedgerLane(context, reordering)
  }

  static async open(
    t: ExecutionContext,
    pipeline: Pipeline,
    lane: number,
    reordering = UNORDERED,
  ): Promise<DrivenLedger> {
    const { databaseUrl, jetStream, topology, prefix, recording } = pipeline
    const db: Db = connect(databaseUrl, { max: 4, isPipelined: true })
    t.teardown(() => db.end())
    const filter = feedLaneFilter(prefix, lane)
    const reader = await openReader(jetStream, topology.feed.stream, filter, 1)
    t.teardown(() => reader.close())
    const context = { db, jetStream, topology, lane, log: recording.log }
    return new DrivenLedger(pipeline, context, reader, reordering)
  }

  /** Decodes all messages of FEED. */
  async consume(): Promise<void> {
    const { jetStream, topology, prefix } = this.pipeline
    const filter = feedLaneFilter(prefix, this.context.lane)
    const head = await jetStream.lastOfSubject(topology.feed.stream, filter)
    const consumed = () => (this.unread.at(-1) ?? this.stored.at(-1))?.sequence ?? this.sequence
    while (consumed() < (head?.sequence ?? 0)) {
      const taken = await this.reader.take(CONSUMED_BYTES, 60_000)
      if (taken.length === 0) throw new Error(`FEED ends before ${head?.sequence}`)
      this.unread.push(...taken)
    }
  }

  /** The next `messages` messages are read twice. */
  repeat(messages: number): void {
    this.unread.unshift(...this.unread.slice(0, messages))
  }

  /** How many messages are in only in part. */
  get storedBack(): number {
    return this.stored.length
  }

  /** One batch of so many messages. */
  async fold(messages: number, death?: Death): Promise<void> {
    const batch = this.unread.slice(0, messages)
    const folded = await this.memory.fold(batch)
    const newest = batch.at(-1)?.sequence ?? this.sequence
    if (await this.commit(folded, death)) {
      this.unread = this.unread.slice(messages)
      this.isRead([...this.stored, ...batch], folded.readTo ?? newest)
    }
    if (death !== undefined) this.readAgain()
  }

  /** Whether there was anything to do. */
  async idle(death?: Death): Promise<boolean> {
    const folded = await this.memory.foldIdle(this.sequence)
    if (folded === undefined) return false
    if (await this.commit(folded, death)) this.isRead(this.stored, folded.readTo ?? this.sequence)
    if (death !== undefined) this.readAgain()
    return true
  }

  private isRead(taken: readonly StoredMessage[], readTo: number): void {
    this.sequence = readTo
    this.stored = taken.filter(({ sequence }) => sequence > readTo)
  }

  private readAgain(): void {
    this.memory = openLedgerLane(this.context, this.reordering)
    this.unread = [...this.stored, ...this.unread]
    this.stored = []
  }

  private async commit(batch: Batch, death: Death | undefined): Promise<boolean> {
    const isCommitted = death !== 'before its commit'
    const connection = await this.context.db.connect()
    let isStored = false
    try {
      await connection.query('begin')
      await batch.write(connection)
      await connection.query(isCommitted ? 'commit' : 'rollback')
      isStored = isCommitted
    } finally {
      // Temporary tables of a failed transaction are lost: the connection is closed, as an actor's is.
      connection.release(!isStored)
    }
    return isCommitted
  }
}
