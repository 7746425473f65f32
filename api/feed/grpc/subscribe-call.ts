/**
 * One Subscribe call: authentication, start position, and the loop that reads FEED and writes answers.
 *
 * Invariant: a client gets the filtered log in order, or the call ends with a status and, if it can be resumed, a
 * cursor in the trailers. Backpressure: buffered bytes are bounded, FEED is read no further until the transport has
 * taken them, and a client that reads nothing for 30 s is disconnected. The stream slot is released once the call is
 * gone from the wire, so that stalled calls count, too.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ServerWritableStream, status } from '@grpc/grpc-js'
import { counted } from '../../../domain/text/plural.ts'
import { type Cursor, writeCursor } from '../../../streams/feed/feed-cursor.ts'
import type { History } from '../../../streams/feed/table-history.ts'
import { authenticate } from '../../gateway/keys/authenticate.ts'
import type { StoredKey } from '../../gateway/keys/keys.ts'
import { TIER_LIMITS } from '../../gateway/limits/tier.ts'
import { hasRead, newestNeeded } from '../ahead.ts'
import { presentFilter, swapMatcher } from '../filter.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import { positionOfSlot, StoredPages, settle } from '../log/past.ts'
import type { StreamSlot } from '../stream-slots.ts'
import { endCall } from './call-end.ts'
import { Outlet } from './outlet.ts'
import type { StreamContext } from './stream-context.ts'
import {
  carriersOf,
  expectHeld,
  isExpired,
  metadataOf,
  outOfRange,
  StreamStatus,
  toStatus,
} from './stream-status.ts'
import { type GivenRequest, parseRequest, type Start, type Wanted } from './subscribe-request.ts'
import { SwapFrames } from './swap-frames.ts'

export type SubscribeCall = ServerWritableStream<GivenRequest, Buffer>

/** Milliseconds to wait for a position that another process has read and this one has not yet. */
const AHEAD_BOUND_MS = 2_000
/** Milliseconds of backpressure after which the read of FEED is closed until the client reads again. */
const PAUSE_MS = 250
/** Milliseconds of work after which the call yields to others. */
const SLICE_MS = 5
const REPLACED_TEXT = 'the stream was recreated'

/** Runs the call to its end; never rejects. `draining` is aborted when the server shuts down. */
export async function serveSubscribe(
  call: SubscribeCall,
  context: StreamContext,
  draining: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  // Emitted however the call ends, once it is gone from the wire.
  call.once('cancelled', () => over.abort())
  const line: StreamLine = { stream: 'grpc', peer: call.getPeer() }
  const startedAt = performance.now()
  let streamSlot: StreamSlot | undefined
  try {
    const stored = await authenticate(carriersOf(call.metadata), context.ring)
    line.keyId = stored.id
    const wanted = parseRequest(call.request, stored.tier)
    // Before any read: a client without a free slot must cost nothing.
    streamSlot = await takeStreamSlot(stored, context)
    const from = await beginning(wanted.start, context, over.signal)
    await new Subscription(call, context, wanted, from, over.signal).run(stored, draining)
    line.status = 'CANCELLED'
  } catch (error) {
    const ended = toStatus(error, context.hub)
    line.status = status[ended.code]
    if (ended.code === status.INTERNAL)
      context.log.error({ err: error }, 'failed to serve a stream')
    writeLine(context, line, startedAt)
    if (!over.signal.aborted) await endCall(call, ended, over.signal, context.times.endMs)
    return
  } finally {
    await streamSlot?.leave()
  }
  writeLine(context, line, startedAt)
}

/** Log line of a stream, one per stream: never its key or its filter. */
type StreamLine = { stream: 'grpc'; peer: string; keyId?: number; status?: string | undefined }

function writeLine({ log }: StreamContext, line: StreamLine, startedAt: number): void {
  const durationMs = Math.round(performance.now() - startedAt)
  log.info({ ...line, durationMs }, 'stream ended')
}

async function takeStreamSlot(
  { lineage, tier }: StoredKey,
  { streamSlots }: StreamContext,
): Promise<StreamSlot | undefined> {
  const cap = TIER_LIMITS[tier].streams ?? undefined
  const streamSlot = await streamSlots.take(lineage, cap)
  if (streamSlot !== undefined) return streamSlot
  throw new StreamStatus(
    status.RESOURCE_EXHAUSTED,
    `tier "${tier}" allows ${counted(cap ?? 0, 'concurrent stream')}: close one or upgrade`,
  )
}

/** Position that the call starts after; with `history` the tables come before FEED. */
type Beginning = { cursor: Cursor; history: History | undefined }

/** Throws StreamStatus, and the errors of reading FEED. */
async function beginning(
  start: Start,
  context: StreamContext,
  over: AbortSignal,
): Promise<Beginning> {
  const { hub } = context
  const { epoch } = hub
  if (start.kind === 'live') {
    return { cursor: { epoch, sequence: hub.head(), eventCount: 0 }, history: undefined }
  }
  if (start.kind === 'slot') return beginStored(hub, start.slot)
  const { cursor, slot } = start
  await hasRead(hub, newestNeeded(cursor), AHEAD_BOUND_MS, over)
  if (slot !== undefined && isExpired(cursor, hub)) return beginStored(hub, slot)
  expectHeld(cursor, hub)
  return { cursor, history: undefined }
}

function beginStored(hub: FeedHub, slot: number): Beginning {
  const { sequence, history } = positionOfSlot(hub, slot)
  return { cursor: { epoch: hub.epoch, sequence, eventCount: 0 }, history }
}

class Subscription {
  private readonly call: SubscribeCall
  private readonly context: StreamContext
  private readonly wanted: Wanted
  private readonly from: Beginning
  private readonly frames: SwapFrames
  private readonly outlet: Outlet
  /** Aborted when the client disconnects, or with the status that ends the call. */
  private readonly ended = new AbortController()
  private writtenAt = performance.now()
  /** The head when the call began, until it is reached: then CAUGHT_UP is sent. */
  private catchUpTo: number | undefined

  constructor(
    call: SubscribeCall,
    context: StreamContext,
    wanted: Wanted,
    from: Beginning,
    over: AbortSignal,
  ) {
    this.call = call
    this.context = context
    this.wanted = wanted
    this.from = from
    const { filter, countMax } = wanted
    const { cursor, history } = from
    const matches = swapMatcher(filter)
    const { encode, venueNames: naming } = context
    const start = { from: cursor, history }
    this.frames = new SwapFrames({ ...start, matches, countMax, encode, naming })
    this.outlet = new Outlet(call)
    over.addEventListener('abort', () => this.ended.abort(), { once: true })
    call.once('close', () => this.ended.abort())
    if (over.aborted) this.ended.abort()
  }

  /** Resolves when the client disconnects; rejects with the error that ends the call. */
  async run(stored: StoredKey, draining: AbortSignal): Promise<void> {
    const { context, ended } = this
    const drain = (): void => this.stop(status.UNAVAILABLE, 'the server ends: subscribe again')
    draining.addEventListener('abort', drain, { once: true })
    const beat = setInterval(() => this.beat(), this.wanted.heartbeatMs / 4)
    const noKey = (): void => this.stop(status.UNAUTHENTICATED, 'the API key is no longer good')
    const unwatch = context.keyWatch.watch(stored.id, noKey)
    const onReplaced = ({ message }: Error): void => this.stopReplaced(message)
    const leave = context.hub.subscribe({ onBatch() {}, onReplaced })
    try {
      if (draining.aborted) drain()
      if (this.from.cursor.epoch !== context.hub.epoch) this.stopReplaced(REPLACED_TEXT)
      this.open(stored)
      await this.readStored()
      while (!ended.signal.aborted) {
        await this.readOn()
        await this.makeRoom()
      }
    } finally {
      draining.removeEventListener('abort', drain)
      leave()
      clearInterval(beat)
      unwatch()
    }
    if (ended.signal.reason instanceof StreamStatus) throw ended.signal.reason
  }

  private open({ tier }: StoredKey): void {
    const { locked, filter } = this.wanted
    const { hub, encode, venueNames } = this.context
    const tierLocked = { 'x-swaptide-tier-locked-filter': locked.join(',') }
    this.call.sendMetadata(
      metadataOf({
        'x-swaptide-tier': tier,
        'x-swaptide-stream-epoch': hub.epoch,
        ...(locked.length === 0 ? {} : tierLocked),
      }),
    )
    const { cursor, history } = this.from
    const replay = history !== undefined || cursor.sequence < hub.head()
    const subscribed = {
      filter: presentFilter(filter, venueNames),
      replay,
      tier_locked_filters: locked,
    }
    this.write(encode({ cursor: this.frames.cursor, subscribed }))
    this.catchUpTo = replay ? hub.head() : undefined
  }

  /** Sends the events of the tables that precede FEED, as fast as the client reads. */
  private async readStored(): Promise<void> {
    const { context, ended } = this
    const { signal } = ended
    const { cursor, history } = this.from
    if (history === undefined) return
    const from = { sequence: cursor.sequence, history }
    const pages = new StoredPages(context.stored, 'swaps', from)
    try {
      for (let page = await pages.next(signal); page !== undefined; ) {
        for (const frame of this.frames.take(page)) {
          this.write(frame)
          await this.makeRoom()
          if (signal.aborted) return
        }
        page = await pages.next(signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    this.flush()
    void settle(history, context, () => true, signal)
    // If FEED has no message after the tables, none triggers CAUGHT_UP: send it here.
    if (this.catchUpTo !== undefined && this.frames.next > this.catchUpTo) this.sendCaughtUp()
  }

  /** Reads FEED and writes matching swaps until the client lags or the call ends. */
  private async readOn(): Promise<void> {
    const { hub } = this.context
    const { signal } = this.ended
    let sliceFrom = performance.now()
    for await (const batch of hub.readFrom(this.frames.next, signal)) {
      for (const frame of this.frames.take(batch)) this.write(frame)
      if (batch.sequence >= hub.head()) this.flush()
      if (this.catchUpTo !== undefined && batch.sequence >= this.catchUpTo) this.sendCaughtUp()
      if (this.outlet.isFull && !(await this.outlet.hasRoom(PAUSE_MS, signal))) return
      if (performance.now() - sliceFrom > SLICE_MS) {
        await nextTurn()
        sliceFrom = performance.now()
      }
    }
    if (!signal.aborted) this.stop(status.UNAVAILABLE, 'the stream is not read: subscribe again')
  }

  private async makeRoom(): Promise<void> {
    const { slowMs } = this.context.times
    const { signal } = this.ended
    if (!this.outlet.isFull || (await this.outlet.hasRoomInTime(slowMs, signal))) return
    if (!signal.aborted) {
      this.stop(status.ABORTED, `nothing was read for ${slowMs / 1_000} s: too slow`)
    }
  }

  private sendCaughtUp(): void {
    this.catchUpTo = undefined
    this.flush()
    const notice = { code: 'CAUGHT_UP', message: 'sent all events that were stored at the start' }
    this.write(this.context.encode({ cursor: this.frames.cursor, notice }))
  }

  private flush(): void {
    const frame = this.frames.flush()
    if (frame !== undefined) this.write(frame)
  }

  private write(frame: Buffer): void {
    this.writtenAt = performance.now()
    this.outlet.write(frame)
  }

  private beat(): void {
    const { hub, now, encode } = this.context
    const { heartbeatMs } = this.wanted
    if (this.outlet.isFull || performance.now() - this.writtenAt < heartbeatMs * 0.75) return
    this.flush()
    const head = writeCursor({ epoch: hub.epoch, sequence: hub.head(), eventCount: 0 })
    const heartbeat = { timestamp: String(now()), head }
    this.write(encode({ cursor: this.frames.cursor, heartbeat }))
  }

  private stopReplaced(text: string): void {
    this.ended.abort(outOfRange(text, this.context.hub))
  }

  /** Ends the call, with the cursor to resume from in the trailers. */
  private stop(code: status, details: string): void {
    const { cursor } = this.frames
    const trailers = cursor === '' ? {} : { 'x-swaptide-cursor': cursor }
    this.ended.abort(new StreamStatus(code, details, trailers))
  }
}
