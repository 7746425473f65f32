/**
 * Publishes batches of events to SWAP: each until it is stored, with the same bytes and the same id
 * however often it is sent. The id is a hash of the contents, so a batch that is already stored is not stored again;
 * duplicates outside the stream's de-duplication window are found by the database.
 *
 * Failures: the stream is full (wait, send again: never drop), the ack is lost (send again),
 * the server is away (send again). Only closing the publisher gives a batch up.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../domain/log.ts'
import { encodeEventBatch } from '../codec/event-codec.ts'
import { listenForPaceHint } from '../nats/backpressure.ts'
import { type JetStream, PublishRefused, StreamFull } from '../nats/jetstream.ts'
import { BLOCK_HEADER, writeBlockMark } from '../nats/micro-batch.ts'
import type { SubjectPrefix } from '../nats/subject.ts'
import type { StreamIdentity } from '../nats/topology.ts'
import type { PublishBatch } from './batcher.ts'

/** Names the run of `ingest` that a message came by, so that its events can be counted for it. */
export const RUN_HEADER = 'Swaptide-Run'

export type Publisher = {
  publish: PublishBatch
  /** For the batcher of a live input: see backpressure.ts. */
  moreLingerMs(): number
  close(): void
}

type PublisherOptions = {
  /** Run id for `ingest`; absent: the results of these events are not counted. */
  run?: string
  log: Log
}

const RETRY_FROM_MS = 50
const RETRY_TO_MS = 2_000

export function createPublisher(
  jetStream: JetStream,
  topology: { swap: StreamIdentity; prefix: SubjectPrefix },
  options: PublisherOptions,
): Publisher {
  const closed = new AbortController()
  const pace = listenForPaceHint(jetStream, topology.prefix)
  const headers: Record<string, string> = options.run ? { [RUN_HEADER]: options.run } : {}
  let isFullLogged = false

  const publish: PublishBatch = async ({ subject, events, block }) => {
    const payload = encodeEventBatch(events)
    const hash = createHash('sha1').update(payload)
    // Every lane gets the same bytes of a retraction.
    if (events.some(({ kind }) => kind === 'retract')) hash.update(subject)
    const id = hash.digest('base64url')
    const mark = block === undefined ? {} : { [BLOCK_HEADER]: writeBlockMark(block) }
    for (let attempt = 0; ; attempt++) {
      try {
        const ack = await jetStream.publish(subject, payload, {
          id,
          headers: { ...headers, ...mark },
        })
        isFullLogged = false
        if (!ack.duplicate) return 'stored'
        if (attempt === 0) return 'duplicate'
        // Sent before without an answer: the stored one may well be ours.
        return (await isOurs(ack.sequence)) ? 'stored' : 'duplicate'
      } catch (error) {
        if (error instanceof PublishRefused || closed.signal.aborted) throw error
        if (error instanceof StreamFull && !isFullLogged) {
          isFullLogged = true
          options.log.warn('waiting for workers to make room in full stream SWAP')
        }
        const wait = Math.min(RETRY_TO_MS, RETRY_FROM_MS * 2 ** Math.min(attempt, 10))
        await sleep(wait, undefined, { signal: closed.signal })
      }
    }
  }

  const isOurs = async (sequence: number): Promise<boolean> => {
    const stored = await jetStream.messageAt(topology.swap.stream, sequence)
    return stored?.header(RUN_HEADER) === options.run
  }

  return {
    publish,
    moreLingerMs: pace.moreMs,
    close() {
      pace.close()
      closed.abort()
    },
  }
}
