/**
 * Streams that several nodes of a cluster store: sets how many, counts those that have all of it, and explains in one
 * sentence that there are too few nodes.
 */
import { type JetStream, nodesLackedBy } from './jetstream.ts'

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
