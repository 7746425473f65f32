/**
 * What the server says of FEED, and what it means for a process of the API: where its reading begins, and whether
 * FEED lost its end, so that what was read, and perhaps given to clients, stands there no more. FEED then gets
 * another epoch, lest a cursor of the old one is taken for a place in it.
 */
import type { JetStream } from '../../../streams/nats/jetstream.ts'
import { feedStreamSubject, type SubjectPrefix } from '../../../streams/nats/subject.ts'
import { renewEpoch, type StreamExtent, streamExtent } from '../../../streams/nats/topology.ts'
import type { FeedBatch } from './batch.ts'

type Deps = { jetStream: JetStream; stream: string }
export type FeedExtent = Pick<StreamExtent, 'epoch' | 'first' | 'last'>

/** Messages that are read into memory at first: clients of the process before come back to these. */
const PRELOADED_MESSAGES = 2_000

/** Behind this sequence. */
export function beginning({ first, last }: FeedExtent): number {
  return Math.max(first - 1, last - PRELOADED_MESSAGES)
}

/**
 * Whether FEED holds nothing behind the sequence: what an operator deleted there counts for its last. Of one that was
 * emptied, or whose messages are all too old, it is as true: whoever goes on by it looks at where FEED begins.
 */
export async function isAll(
  { jetStream, stream, prefix }: Deps & { prefix: SubjectPrefix },
  sequence: number,
): Promise<boolean> {
  const newest = await jetStream.lastOfSubject(stream, feedStreamSubject(prefix))
  return (newest?.sequence ?? 0) <= sequence
}

export type EndWatch = (
  extent: StreamExtent,
  seen: { epoch: string; newest: number; read: FeedBatch | undefined },
) => Promise<boolean>

/**
 * Whether FEED is another, or the newest message that was read (`read`, where that is at hand) is gone, or another
 * has its number by now. The last is looked for where the connection was lost since: only a server that went down
 * loses anything.
 */
export function endWatch({ jetStream, stream }: Deps): EndWatch {
  let losses = jetStream.losses()
  return async ({ epoch: now, first, last }, { epoch, newest, read }) => {
    if (now !== epoch || last < newest) return true
    const lossesNow = jetStream.losses()
    if (lossesNow === losses) return false
    if (read?.sequence === newest && newest >= first) {
      const stored = await jetStream.messageAt(stream, newest)
      if (stored !== undefined && Buffer.compare(read.payload, stored.payload) !== 0) return true
    }
    losses = lossesNow
    return false
  }
}

/**
 * FEED with an epoch that tells it from what it was, where it had none yet. Readers are told at once, also where it
 * cannot be changed just now: workers notice, too.
 */
export async function renewed(
  { jetStream, stream }: Deps,
  extent: StreamExtent,
  epoch: string,
  newest: number,
): Promise<StreamExtent> {
  if (extent.epoch !== epoch) return extent
  return renewEpoch(jetStream, stream, epoch, Math.min(extent.last, newest - 1))
    .then(async () => (await streamExtent(jetStream, stream)) ?? extent)
    .catch(() => extent)
}
