/**
 * Settings of streams that exist: the nodes of a cluster that store them, and their bytes. Sets them, explains in one
 * sentence that the server has too few nodes or too little room, counts nodes that have all of a stream, finds out where
 * such a stream ends, and waits for one that another process creates.
 *
 * Decisions: docs/decisions/0056-a-lower-end-is-confirmed-by-a-write.md and
 * docs/decisions/0082-a-missing-message-is-looked-for-longer-than-a-heartbeat.md
 */

import { setTimeout as pause } from 'node:timers/promises'
import { counted } from '../../domain/text/plural.ts'
import {
  isNameTaken,
  isWithoutStorage,
  type JetStream,
  nodesLackedBy,
  type StoredMessage,
  WrongLastSequence,
} from './jetstream.ts'
import { isUnanswered, StreamFull } from './publish-ack.ts'
import { endSubject } from './subject.ts'

/** Answers that are below what the quorum acknowledged, until the leader has applied its log. */
const TRIES_MAX = 50
/** Reads of a stream that another process creates: on a loaded machine its nodes take many seconds to elect a leader. */
const ABSENCES_MAX = 600
const PAUSE_MS = 100
/** Reads without the message: three heartbeats of the nodes, which are a second apart. */
const MISSES_MAX = 30
const MIB = 1024 ** 2
const GIB = 1024 ** 3
const NOTHING = new Uint8Array(0)

class SingleServer extends Error {
  override message = 'NATS is a single server'
}

/** Nodes that store a stream, and bytes on disk at which it is full. */
export type StreamSettings = { replicas: number; maxBytes: number }

/** Changes what differs; undefined: as it is. */
export async function applySettings(
  jetStream: JetStream,
  { stream, name }: { stream: string; name: string },
  known: StreamSettings,
  wanted: { [Name in keyof StreamSettings]: number | undefined },
): Promise<void> {
  const { replicas = known.replicas, maxBytes = known.maxBytes } = wanted
  if (replicas !== known.replicas) await setReplicas(jetStream, stream, replicas)
  if (maxBytes !== known.maxBytes) await setMaxBytes(jetStream, stream, name, maxBytes)
}

/** Stores an existing stream on as many nodes from now on; its messages are copied in the background. */
async function setReplicas(jetStream: JetStream, stream: string, replicas: number): Promise<void> {
  const { config, cluster } = await jetStream.manager.streams.info(stream)
  await expectNodes(replicas, async () => {
    // A single server would write the number down, and store one copy.
    if (cluster?.name === undefined && replicas > 1) throw new SingleServer()
    await jetStream.manager.streams.update(stream, { ...config, num_replicas: replicas })
  })
}

/** Explains the rejection of a server that has too few nodes for these replicas. */
export async function expectNodes<Done>(
  replicas: number,
  request: () => Promise<Done>,
): Promise<Done> {
  try {
    return await request()
  } catch (cause) {
    const lack = cause instanceof SingleServer ? cause.message : nodesLackedBy(cause)
    if (lack === undefined) throw cause
    throw new Error(
      `STREAM_REPLICAS ${replicas}: ${lack}: start NATS as a cluster of ${counted(replicas, 'node')} with JetStream or more, ` +
        'or set it lower',
      { cause },
    )
  }
}

/**
 * Changes the bytes of an existing stream. A FEED that holds more drops its oldest messages; a SWAP that holds more
 * drops none, and refuses new ones until lanes have read and workers trimmed it.
 */
async function setMaxBytes(
  jetStream: JetStream,
  stream: string,
  name: string,
  maxBytes: number,
): Promise<void> {
  const { config } = await jetStream.manager.streams.info(stream)
  await expectRoom(name, maxBytes, () =>
    jetStream.manager.streams.update(stream, { ...config, max_bytes: maxBytes }),
  )
}

/** Explains the rejection of a server that cannot reserve the bytes of a stream. `name`: SWAP or FEED. */
export async function expectRoom<Done>(
  name: string,
  maxBytes: number,
  request: () => Promise<Done>,
): Promise<Done> {
  try {
    return await request()
  } catch (cause) {
    if (!isWithoutStorage(cause)) throw cause
    const size = maxBytes % GIB === 0 ? `${maxBytes / GIB}GB` : `${maxBytes / MIB}MB`
    throw new Error(
      `${name}_BYTES ${size}: NATS has no room for it: raise max_file_store of its settings for JetStream, or set it lower`,
      { cause },
    )
  }
}

/** Nodes that are to store a stream, and those that have all of it now. */
export type StreamCopies = { name: string; replicas: number; current: number }

export async function streamCopies(jetStream: JetStream, stream: string): Promise<StreamCopies> {
  const { config, cluster } = await jetStream.manager.streams.info(stream)
  const followers = cluster?.replicas ?? []
  const current = 1 + followers.filter((each) => each.current && each.offline !== true).length
  return { name: stream, replicas: config.num_replicas, current }
}

type End = { epoch: string; last: number; replicas: number; subject: string }

/**
 * Reads the extent of a stream, with an end below `sequence` only where the stream ends there: a leader that was just
 * elected reports the end that it has applied, which may be below what the quorum acknowledged. Such an end counts once
 * the leader accepts a message that expects it.
 *
 *   last < sequence   the leader accepts a message after `last`    the stream is cut off there
 *                     the leader ends elsewhere                    read again
 *                     no answer                                    PublishUnanswered: there is no leader
 */
export async function readSettled<Extent extends End>(
  jetStream: JetStream,
  known: { epoch: string; sequence: number },
  read: () => Promise<Extent | undefined>,
): Promise<Extent | undefined> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const extent = await read()
    const isLower = extent?.epoch === known.epoch && extent.last < known.sequence
    if (extent === undefined || !isLower || extent.replicas <= 1) return extent
    if (await endsThere(jetStream, extent)) return extent
    await pause(PAUSE_MS)
  }
  throw new Error(`the end of the stream does not settle: expected ${known.sequence} or a leader`)
}

/**
 * The stream that another process created while this one tried to, or `error`, thrown, where there is none.
 * Nodes of a cluster agree on a name before the stream's leader answers for it. `before`: the epoch of a stream that was
 * deleted, which a node may still know.
 */
export async function createdMeanwhile<Known extends { epoch: string }>(
  error: unknown,
  read: () => Promise<Known | undefined>,
  before?: string,
): Promise<Known> {
  for (let tries = 1; ; tries++) {
    const isAwaited = isNameTaken(error) && tries < ABSENCES_MAX
    const found = await read().catch((reason: unknown) => {
      if (!isAwaited || !isUnanswered(reason)) throw reason
      return undefined
    })
    if (found !== undefined && found.epoch !== before) return found
    if (!isAwaited) throw error
    await pause(PAUSE_MS)
  }
}

/**
 * The stream on which parts that create it at once agree. A cluster accepts several requests that create a stream, answers
 * each as if there were no other, and gives the stream the settings of the last one: they are there when two reads are of one epoch.
 * Waits for a stream that another process has deleted to create it again.
 */
export async function agreedOn<Known extends { epoch: string }>(
  known: Known,
  read: () => Promise<Known | undefined>,
): Promise<Known> {
  let before = known
  for (let changes = 0, absences = 0; changes < TRIES_MAX && absences < ABSENCES_MAX; ) {
    await pause(PAUSE_MS)
    const found = await read()
    if (found !== undefined && found.epoch === before.epoch) return found
    if (found === undefined) absences++
    else changes++
    before = found ?? before
  }
  throw new Error(
    'the epoch of the stream does not settle: another process creates it again and again',
  )
}

/**
 * Resolves once the leader of a stream has applied all that its quorum acknowledged before the call: its end
 * from then on includes that. Writes a message that no lane reads, where several nodes store the stream; throws
 * PublishUnanswered without a leader.
 */
export async function untilApplied(jetStream: JetStream, stream: string): Promise<void> {
  const { config } = await jetStream.manager.streams.info(stream)
  if (config.num_replicas <= 1) return
  await jetStream.publish(endSubject(config.subjects[0] ?? ''), NOTHING).catch((error) => {
    // The message of a stream without room is rejected where it would have been applied.
    if (!(error instanceof StreamFull)) throw error
  })
}

/**
 * The message at a sequence of a stream that several nodes store; undefined where it is lost. A node that led before may
 * answer as well as the leader from what it held then, until a heartbeat of the new one reaches it: a message is missing
 * once the leader has applied its log, and no node has answered with it for longer than that.
 */
export async function findStored(
  jetStream: JetStream,
  stream: string,
  sequence: number,
): Promise<StoredMessage | undefined> {
  await untilApplied(jetStream, stream)
  for (let tries = 1; ; tries++) {
    const found = await jetStream.messageAt(stream, sequence)
    if (found !== undefined || tries === MISSES_MAX) return found
    await pause(PAUSE_MS)
  }
}

async function endsThere(jetStream: JetStream, { subject, last }: End): Promise<boolean> {
  try {
    const expected = { expectedLastSequence: last }
    const ack = await jetStream.publish(endSubject(subject), NOTHING, expected)
    return ack.sequence === last + 1
  } catch (error) {
    if (error instanceof WrongLastSequence) return false
    throw error
  }
}
