/**
 * A lane of the ledger that is driven by hand: a test says how many messages of FEED a batch has, when what
 * no message asks for has its turn, and where it dies: before a commit, or behind one that it does not hear of.
 */
import type { ExecutionContext } from 'ava'
import { connect, type Db } from '../../sql/db.ts'
import { openReader, type StoredMessage, type StreamReader } from '../../streams/jetstream.ts'
import { feedLaneFilter } from '../../streams/subject.ts'
import type { Batch, LaneContext, LaneMemory } from '../../workers/actor.ts'
import { ledgerActor } from '../../workers/ledger/actor.ts'
import type { Pipeline } from './pipeline.ts'

export type Death = 'before its commit' | 'behind its commit'

const HEARD_BYTES = 16 * 1024 * 1024

export class DrivenLedger {
  /** What FEED has told and no commit has taken in. */
  unread: StoredMessage[] = []
  private readonly pipeline: Pipeline
  private readonly context: LaneContext
  private readonly reader: StreamReader
  private memory: LaneMemory
  private sequence = 0

  private constructor(pipeline: Pipeline, context: LaneContext, reader: StreamReader) {
    this.pipeline = pipeline
    this.context = context
    this.reader = reader
    this.memory = ledgerActor.openLane(context)
  }

  static async open(t: ExecutionContext, pipeline: Pipeline, lane: number): Promise<DrivenLedger> {
    const { databaseUrl, jetStream, topology, prefix, recording } = pipeline
    const db: Db = connect(databaseUrl, { max: 4, isPipelined: true })
    t.teardown(() => db.end())
    const filter = feedLaneFilter(prefix, lane)
    const reader = await openReader(jetStream, topology.feed.stream, filter, 1)
    t.teardown(() => reader.close())
    const context = { db, jetStream, topology, lane, log: recording.log }
    return new DrivenLedger(pipeline, context, reader)
  }

  /** Hears all that FEED has. */
  async hear(): Promise<void> {
    const { jetStream, topology, prefix } = this.pipeline
    const filter = feedLaneFilter(prefix, this.context.lane)
    const head = await jetStream.lastOfSubject(topology.feed.stream, filter)
    const heard = () => this.unread.at(-1)?.sequence ?? this.sequence
    while (heard() < (head?.sequence ?? 0)) {
      const taken = await this.reader.take(HEARD_BYTES, 60_000)
      if (taken.length === 0) throw new Error(`FEED ends before ${head?.sequence}`)
      this.unread.push(...taken)
    }
  }

  /** As many messages as it reads next, it will read twice. */
  repeat(messages: number): void {
    this.unread.unshift(...this.unread.slice(0, messages))
  }

  /** One batch of so many messages. */
  async fold(messages: number, death?: Death): Promise<void> {
    const batch = this.unread.slice(0, messages)
    const folded = await this.memory.fold(batch)
    if (await this.commit(folded, death)) {
      this.unread = this.unread.slice(messages)
      this.sequence = batch.at(-1)?.sequence ?? this.sequence
    }
  }

  /** Whether there was anything to do. */
  async idle(death?: Death): Promise<boolean> {
    const folded = await this.memory.foldIdle(this.sequence)
    if (folded !== undefined) await this.commit(folded, death)
    return folded !== undefined
  }

  private async commit(batch: Batch, death: Death | undefined): Promise<boolean> {
    const isCommitted = death !== 'before its commit'
    const connection = await this.context.db.connect()
    let isKept = false
    try {
      await connection.query('begin')
      await batch.write(connection)
      await connection.query(isCommitted ? 'commit' : 'rollback')
      isKept = isCommitted
    } finally {
      // What a connection has made for itself in a transaction is gone with that: it is closed, as an actor's is.
      connection.release(!isKept)
    }
    if (death !== undefined) this.memory = ledgerActor.openLane(this.context)
    return isCommitted
  }
}
