/**
 * The lag of each actor in each lane: its committed sequence against the end of its stream.
 */
import type { LaneState } from '../../api/admin/operations.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { JetStream, StoredMessage } from '../../streams/nats/jetstream.ts'
import {
  type StreamIdentity,
  sequenceToday,
  streamExtent,
  type Topology,
} from '../../streams/nats/topology.ts'
import { ACTORS } from '../../workers/actors.ts'
import type { Actor } from '../../workers/runtime/actor.ts'
import { lanesOf } from '../../workers/runtime/lane/lease.ts'

type CheckpointRow = {
  actor: string
  lane: number
  owner: string | null
  stream_epoch: string | null
  sequence: number
  committed_at: Date | null
  age_ms: number | null
}

const listCheckpoints = query<CheckpointRow>('status/list_checkpoints')

/** Every lane of every actor, lanes that never had an owner included. */
export async function listLanes(
  db: Db,
  jetStream: JetStream,
  wanted: Topology,
): Promise<LaneState[]> {
  const topology = {
    ...wanted,
    swap: await identityNow(jetStream, wanted.swap),
    feed: await identityNow(jetStream, wanted.feed),
  }
  const lanes = ACTORS.flatMap((actor) =>
    Array.from({ length: lanesOf(actor, topology.laneCount) }, (_, lane) => ({ actor, lane })),
  )
  // Heads first: a commit between the two reads must not make a lane look further than it is.
  const heads = await Promise.all(
    lanes.map(({ actor, lane }) => headOf(jetStream, topology, actor, lane)),
  )
  const checkpoints = await listCheckpoints(db)
  const read = lanes.map(async ({ actor, lane }, index) => {
    const row = checkpoints.find((each) => each.actor === actor.name && each.lane === lane)
    // Sequences of another stream cannot be compared with this one's.
    const epoch = row?.stream_epoch
    const sequence = epoch ? (sequenceToday(actor.source(topology), epoch, row.sequence) ?? 0) : 0
    const head = heads[index] ?? 0
    const committedAt = row?.committed_at ?? null
    return {
      actor: actor.name,
      lane,
      owner: row?.owner ?? null,
      sequence,
      head,
      lag: Math.max(0, head - sequence),
      committed_at: committedAt,
      age_ms: row?.age_ms ?? null,
      latency_ms: latencyOf(
        await messageOf(jetStream, topology, actor, lane, sequence),
        committedAt,
      ),
    }
  })
  return await Promise.all(read)
}

/** Streams get another epoch while this process runs. */
async function identityNow(
  jetStream: JetStream,
  identity: StreamIdentity,
): Promise<StreamIdentity> {
  const { epoch, before } = (await streamExtent(jetStream, identity.stream)) ?? identity
  return { stream: identity.stream, epoch, before }
}

/** The message that a lane committed last; undefined where it is of another lane, or no longer stored. */
async function messageOf(
  jetStream: JetStream,
  topology: Topology,
  actor: Actor,
  lane: number,
  sequence: number,
): Promise<StoredMessage | undefined> {
  if (sequence === 0) return undefined
  const { stream } = actor.source(topology)
  const next = await jetStream.nextOfSubject(stream, actor.filter(topology, lane), sequence)
  return next?.sequence === sequence ? next : undefined
}

function latencyOf(message: StoredMessage | undefined, committedAt: Date | null): number | null {
  if (message === undefined || committedAt === null) return null
  // Two machines have two clocks.
  return Math.max(0, committedAt.getTime() - message.storedMs())
}

/** The last message that a lane will read; 0 without any. */
async function headOf(
  jetStream: JetStream,
  topology: Topology,
  actor: Actor,
  lane: number,
): Promise<number> {
  const { stream } = actor.source(topology)
  const last = await jetStream.lastOfSubject(stream, actor.filter(topology, lane))
  return last?.sequence ?? 0
}

const listWorkerSessions = query<{ pid: number }>('lease/list_worker_sessions')

/** Processes of the database's server that work for workers or vacuum. */
export async function workerSessions(db: Db): Promise<number[]> {
  return (await listWorkerSessions(db)).map(({ pid }) => pid)
}
