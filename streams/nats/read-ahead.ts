/**
 * Messages of a stream, read ahead of their consumer up to a bound of bytes, and handed over in batches.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { BLOCK_HEADER, BlockMarks, fillBatch, type PendingBatch } from './micro-batch.ts'

export type StoredMessage = {
  subject: string
  sequence: number
  payload: Uint8Array
  header(name: string): string | undefined
  /** When it was stored, Unix ms. */
  storedMs(): number
  /**
   * Messages that the server had for the reader after this one when it was delivered; undefined: not read by a
   * reader. Messages that the server cannot deliver stay among them.
   */
  pending?(): number
}

export type StreamReader = {
  /**
   * The buffered messages, in order, at most about `maxBytes` of payload (at least one). Waits up to `waitMs` for the
   * first; empty when none arrived. After the first it waits for as many bytes: to the end of the event loop's turn,
   * and until `batchUntilMs` (of performance.now()), which is called then and, where more arrived, at that moment
   * again; absent: without a further wait. Rejects when reading broke: open a new reader.
   */
  take(
    maxBytes: number,
    waitMs: number,
    batchUntilMs?: (held: PendingBatch) => number,
  ): Promise<StoredMessage[]>
  /** Whether messages are buffered. */
  hasMessages(): boolean
  /**
   * How often the server's consumer was recreated, as of the messages handed over: the connection was lost, or the
   * stream is another one of the same name.
   */
  renewals(): number
  close(): Promise<void>
}

/** A message as the client hands it on. */
type Delivered = {
  subject: string
  seq: number
  data: Uint8Array
  info: { consumer: string; pending: number }
  headers?: { get(name: string): string } | undefined
  timestampNanos: bigint
}
/** Messages of a consumer. `stop` ends it at once, `close` after all buffered messages are delivered. */
export type Deliveries = AsyncIterable<Delivered> & {
  stop(): void
  close(): Promise<unknown>
  /** Whether it ended because the server's consumer is lost, and the stream is not. */
  isLost(): boolean
}

const NANOS_A_MS = 1_000_000n

/**
 * Milliseconds without room after which reading pauses. From the second heartbeat on that it misses, the client would
 * request as many messages again and again, and hold all of them.
 */
const PAUSE_MS_MAX = 3_000
/** Tries to read on where the consumer was lost. */
const OPEN_TRIES = 5
const OPEN_PAUSE_MS = 250

export function readAhead(open: Open, first: Deliveries, prefetchBytes: number): StreamReader {
  return new ReadAhead(open, first, prefetchBytes)
}

/** Opens the messages from a sequence on; undefined: from where reading began. */
type Open = (from: number | undefined) => Promise<Deliveries>

class ReadAhead implements StreamReader {
  private readonly open: Open
  private readonly prefetchBytes: number
  /** The newest message that was delivered. */
  private last: number | undefined
  /** Undefined: closed until there is room. */
  private deliveries: Deliveries | undefined
  private isClosed = false
  private readonly held: (StoredMessage & { renewals: number; isMarked: boolean })[] = []
  private readonly marks = new BlockMarks()
  /** Held messages that are of a block. */
  private markedCount = 0
  private heldBytes = 0
  private newestMs = 0
  private failure: Error | undefined
  private wake = () => {}
  /** Fewer bytes wake no waiter: a batching consumer would be woken by each message in vain. */
  private wakeBytes = 0
  private resume = () => {}
  private consumerName: string | undefined
  private madeAnew = 0
  private renewalsTaken = 0

  constructor(open: Open, first: Deliveries, prefetchBytes: number) {
    this.open = open
    this.deliveries = first
    this.prefetchBytes = prefetchBytes
    this.pump().catch((error: Error) => {
      this.failure = error
      this.wake()
    })
  }

  hasMessages(): boolean {
    return this.held.length > 0
  }

  renewals(): number {
    return this.renewalsTaken
  }

  async take(
    maxBytes: number,
    waitMs: number,
    batchUntilMs?: (held: PendingBatch) => number,
  ): Promise<StoredMessage[]> {
    const { held } = this
    if (held.length === 0 && this.failure === undefined) await this.waitForBytes(0, waitMs)
    if (held.length > 0 && batchUntilMs !== undefined) {
      const enough = Math.min(maxBytes, this.prefetchBytes)
      const isWaiting = () => !this.failure && this.heldBytes < enough
      const atHand = () => ({
        newestMs: this.newestMs,
        bytes: this.heldBytes,
        block: this.blockAtHand(),
      })
      const wait = (ms: number) => this.waitForBytes(enough, ms)
      await fillBatch({ isWaiting, atHand, wait }, batchUntilMs)
    }
    if (held.length === 0 && this.failure !== undefined) throw this.failure
    let [count, bytes] = [0, 0]
    while (count < held.length && (count === 0 || bytes < maxBytes)) {
      bytes += held[count++]!.payload.length
    }
    const taken = held.splice(0, count)
    this.heldBytes -= bytes
    for (const { isMarked } of taken) if (isMarked) this.markedCount--
    this.renewalsTaken = taken.at(-1)?.renewals ?? this.renewalsTaken
    if (this.hasRoom()) this.resume()
    return taken
  }

  /** Ends once the client has handed over its messages: from then on none waits for room. */
  async close(): Promise<void> {
    this.isClosed = true
    this.heldBytes = Number.NEGATIVE_INFINITY
    this.resume()
    await this.deliveries?.close()
  }

  private blockAtHand(): PendingBatch['block'] {
    if (this.markedCount === 0) return undefined
    const openSinceMs = this.marks.openSinceMs()
    return openSinceMs === undefined ? 'complete' : { openSinceMs }
  }

  private hasRoom(): boolean {
    return this.heldBytes <= this.prefetchBytes
  }

  private async pump(): Promise<never> {
    for (let from = this.deliveries; from !== undefined; from = this.deliveries) {
      const isPaused = await this.pumpOne(from)
      if (this.isClosed || !(isPaused || from.isLost())) break
      this.deliveries = undefined
      from.stop()
      while (!this.hasRoom()) await this.untilRoom()
      const again = await this.openAgain()
      if (this.isClosed) again.stop()
      else this.deliveries = again
    }
    throw new Error('the stream reader ended')
  }

  /** Nodes that elect leaders refuse a consumer, or do not answer. */
  private async openAgain(): Promise<Deliveries> {
    const from = this.last === undefined ? undefined : this.last + 1
    for (let tries = 1; ; tries++) {
      try {
        return await this.open(from)
      } catch (error) {
        if (this.isClosed || tries === OPEN_TRIES) throw error
        await pause(OPEN_PAUSE_MS)
      }
    }
  }

  /** True where there was no room for long; false: it ended. */
  private async pumpOne(deliveries: Deliveries): Promise<boolean> {
    for await (const message of deliveries) {
      const { consumer } = message.info
      if (this.consumerName !== undefined && consumer !== this.consumerName) this.madeAnew++
      this.consumerName = consumer
      this.last = message.seq
      this.newestMs = performance.now()
      const isMarked = this.marks.note(message.headers?.get(BLOCK_HEADER), this.newestMs)
      this.held.push({ renewals: this.madeAnew, isMarked, ...readMessage(message) })
      if (isMarked) this.markedCount++
      this.heldBytes += message.data.length
      const endsBlock = isMarked && this.marks.openSinceMs() === undefined
      if (this.heldBytes >= this.wakeBytes || endsBlock) this.wake()
      if (this.hasRoom()) continue
      await this.untilRoom()
      if (!this.hasRoom()) return true
    }
    return false
  }

  private untilRoom(): Promise<void> {
    return untilWoken(PAUSE_MS_MAX, (waker) => {
      this.resume = waker
    })
  }

  private waitForBytes(bytes: number, waitMs: number): Promise<void> {
    this.wakeBytes = bytes
    return untilWoken(waitMs, (waker) => {
      this.wake = waker
    })
  }
}

/** Waits until the waker that `register` receives is called, for so long at most. */
function untilWoken(waitMs: number, register: (waker: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMs)
    register(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const readMessage = (message: Delivered): StoredMessage => ({
  subject: message.subject,
  sequence: message.seq,
  payload: message.data,
  header: (name) => message.headers?.get(name) || undefined,
  storedMs: () => Number(message.timestampNanos / NANOS_A_MS),
  pending: () => message.info.pending,
})
