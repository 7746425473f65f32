/**
 * Interprets the extent of FEED on the server: where a process starts to read, and whether FEED lost its end, including
 * messages that were read and perhaps sent to clients. FEED then gets a new epoch, so that old cursors are refused
 * instead of pointing to other messages.
 */
import type { Log } from '../../../domain/log.ts'
import type { JetStream } from '../../../streams/nats/jetstream.ts'
import { feedStreamSubject, type SubjectPrefix } from '../../../streams/nats/subject.ts'
import {
  renewEpoch,
  type StreamExtent,
  settledExtent,
  streamExtent,
} from '../../../streams/nats/topology.ts'
import type { FeedBatch } from './batch.ts'

type Deps = { jetStream: JetStream; stream: string }
/** Why FEED is not the one that was read. */
type Change = 'another epoch' | 'a lower end' | 'another message'
export type FeedExtent = Pick<StreamExtent, 'epoch' | 'first' | 'last'>

/** Messages that are read into memory at the start: clients of the previous process resume from these. */
const PRELOADED_MESSAGES = 2_000

/** Sequence after which a process starts to read. */
export function beginning({ first, last }: FeedExtent): number {
  return Math.max(first - 1, last - PRELOADED_MESSAGES)
}

/**
 * Whether FEED holds no message after the sequence. The `last` of the stream does not answer that: it counts messages
 * that an operator deleted. `known`: up to where FEED is known to exist. Also true if FEED was purged or all messages
 * expired: callers check where it begins, too.
 */
export async function isAll(
  { jetStream, stream, prefix }: Deps & { prefix: SubjectPrefix },
  sequence: number,
  known: { epoch: string; sequence: number },
): Promise<boolean> {
  const isNewest = async (): Promise<boolean> => {
    const newest = await jetStream.lastOfSubject(stream, feedStreamSubject(prefix))
    return (newest?.sequence ?? 0) <= sequence
  }
  if (!(await isNewest())) return false
  const extent = await settledExtent(jetStream, stream, known)
  // Another node may lead since, which had not applied all of FEED.
  return extent === undefined || extent.replicas <= 1 || (await isNewest())
}

export type EndWatch = (
  extent: StreamExtent,
  seen: { epoch: string; newest: number; read: FeedBatch | undefined },
) => Promise<boolean>

/**
 * Whether FEED is another stream, or the newest message that was read is gone, or its sequence was reused (compared
 * with `read`, if present). Reuse is checked only after a lost connection: only a server that went down loses messages.
 */
export function endWatch({ jetStream, stream, log }: Deps & { log: Log }): EndWatch {
  let losses = jetStream.losses()
  const changeOf: (...of: Parameters<EndWatch>) => Promise<Change | undefined> = async (
    { epoch: now, first, last },
    { epoch, newest, read },
  ) => {
    if (now !== epoch) return 'another epoch'
    if (last < newest) return 'a lower end'
    const lossesNow = jetStream.losses()
    if (lossesNow === losses) return undefined
    if (read?.sequence === newest && newest >= first) {
      const stored = await jetStream.messageAt(stream, newest)
      const isSame = stored === undefined || Buffer.compare(read.payload, stored.payload) === 0
      if (!isSame) return 'another message'
    }
    losses = lossesNow
    return undefined
  }
  return async (extent, seen) => {
    const found = await changeOf(extent, seen)
    if (found === undefined) return false
    const { first, last } = extent
    log.warn({ stream, found, read: seen.newest, first, last }, 'found that FEED was replaced')
    return true
  }
}

/**
 * Extent of FEED after bumping its epoch, unless that changed already. Readers are notified in any case, also if the
 * epoch cannot be bumped now: workers detect the loss, too.
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
