/**
 * Streams that several nodes of a cluster store: sets how many, counts those that have all of it, explains in one
 * sentence that there are too few nodes, and finds out where such a stream ends.
 *
 * Decision: docs/decisions/0056-a-lower-end-is-confirmed-by-a-write.md
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type JetStream, nodesLackedBy, WrongLastSequence } from './jetstream.ts'
import { StreamFull } from './publish-ack.ts'
import { endSubject } from './subject.ts'

/** Answers that are below what the quorum acknowledged, until the leader has applied its log. */
const TRIES_MAX = 50
const PAUSE_MS = 100
const NOTHING = new Uint8Array(0)

class SingleServer extends Error {
  override message = 'NATS is a single server'
}

/** Stores an existing stream on as many nodes from now on; its messages are copied in the background. */
export async function setReplicas(
  jetStream: JetStream,
  stream: string,
  replicas: number,
): Promise<void> {
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
      `STREAM_REPLICAS ${replicas}: ${lack}: start NATS as a cluster of ${replicas} nodes with JetStream or more, ` +
        'or set it lower',
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
