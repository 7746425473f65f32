/**
 * A witness of FEED: what its messages were when they were delivered, and which of them are others by now. With it, a
 * FEED that lost messages differs from one that a part only took for cut off. SIGKILL takes no message from NATS, which writes each
 * before it acknowledges it; `sync_interval` matters only where a machine loses power.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { openReader, type StoredMessage } from '../../streams/nats/jetstream.ts'
import { feedStreamSubject } from '../../streams/nats/subject.ts'
import { type Pipeline, readStream } from '../support/workers/pipeline.ts'

export type Witness = {
  /** Delivered messages that FEED no longer holds as they were, the first of them; waits until no node elects a leader. */
  changed(): Promise<string[]>
}

const TAKE_BYTES = 1024 * 1024
const TAKE_WAIT_MS = 1_000
const RETRY_MS = 500
const LISTED_MAX = 20

const describe = ({ subject, storedMs }: StoredMessage): string =>
  `${subject} of ${new Date(storedMs()).toISOString()}`

/** Reads FEED from its start until the test ends. */
export function witnessFeed(t: ExecutionContext, pipeline: Pipeline): Witness {
  const { jetStream, topology, prefix } = pipeline
  const subject = feedStreamSubject(prefix)
  const seen = new Map<number, string>()
  let newest = 0
  let isOver = false
  const readOn = async (): Promise<void> => {
    const reader = await openReader(jetStream, topology.feed.stream, subject, newest + 1)
    try {
      while (!isOver) {
        for (const message of await reader.take(TAKE_BYTES, TAKE_WAIT_MS)) {
          seen.set(message.sequence, describe(message))
          newest = message.sequence
        }
      }
    } finally {
      await reader.close().catch(() => {})
    }
  }
  const reading = (async () => {
    // Nodes that are away or elect a leader end a reader, or refuse another.
    while (!isOver) await readOn().catch(() => pause(RETRY_MS))
  })()
  const stop = async (): Promise<void> => {
    isOver = true
    await reading
  }
  t.teardown(stop)
  return {
    async changed() {
      await stop()
      const missing = new Map(seen)
      for await (const message of readStream(jetStream, topology.feed, subject)) {
        if (seen.get(message.sequence) === describe(message)) missing.delete(message.sequence)
      }
      return [...missing].slice(0, LISTED_MAX).map(([sequence, was]) => `${sequence}: ${was}`)
    },
  }
}
