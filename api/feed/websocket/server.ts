/**
 * `/ws/v1` on the API's HTTP server: admission of WebSocket upgrades, and the open connections.
 *
 * Invariant: the key is authenticated before the upgrade, by the carriers of every route; the cookie of the pages counts
 * only in a handshake from this origin; refusals are HTTP responses. Where pages are public, a handshake of a page without a
 * key is a visitor's. A connection holds a stream slot of its lineage until it is closed. Only the path of a request is logged.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Log } from '../../../domain/log.ts'
import type { VenueNaming } from '../../../domain/venue.ts'
import type { AdmissionControl, Identified } from '../../gateway/admission-control.ts'
import type { Carriers } from '../../gateway/keys/authenticate.ts'
import type { KeyWatch } from '../../gateway/keys/key-watch.ts'
import { TIER_LIMITS } from '../../gateway/limits/tier.ts'
import { VISITOR_STREAMS_MAX } from '../../gateway/visitors.ts'
import { ApiError, isBug, toApiError } from '../../routing/error.ts'
import type { Reader } from '../../routing/reading/reader.ts'
import { OF_EVERY_QUERY, unknownAmong, unknownText } from '../../routing/unknown-names.ts'
import { FeedWebSocket } from '../feed-web-socket.ts'
import { FILTER_VALUES_MAX } from '../filter.ts'
import { FRAME_BYTES_MAX, FRAME_EVENTS_MAX } from '../frame.ts'
import { LatestValues } from '../latest/values.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import type { StoredEvents } from '../log/stored.ts'
import type { StreamSlot, StreamSlots } from '../stream-slots.ts'
import { Connection } from './connection.ts'
import { FanOut } from './fan-out.ts'
import { CLOSES } from './protocol/close.ts'
import { allOpen, allOpenHere, refusalText } from './protocol/refusal.ts'
import { TIMING, type Timing } from './protocol/timing.ts'
import { REQUESTS_PER_SECOND, Session } from './session.ts'

const FEED_PATH = '/ws/v1'
const PROTO = 1
const COMPRESS_FROM_BYTES = 1024
const GONE_WITHIN_MS = 3_000
/** Share of the connections that visitors may have, so that keys find room. */
const VISITORS_SHARE = 0.5

type FeedSockets = {
  /** Number of open connections. */
  count(): number
  /** Sends every client a goodbye and closes it; resolves when all are gone, after 3 s at most. */
  end(): Promise<void>
}

type FeedSocketsOptions = {
  server: Server
  /** Maximum connections of this process, over all keys. */
  socketsMax: number
  hub: FeedHub
  reader: Reader
  stored: StoredEvents
  admissionControl: AdmissionControl
  keyWatch: Pick<KeyWatch, 'watch'>
  streamSlots: Pick<StreamSlots, 'take'>
  log: Log
  timing?: Timing
  venueNames?: VenueNaming | undefined
}

export function openFeedSockets(options: FeedSocketsOptions): FeedSockets {
  return new Sockets(options)
}

class Sockets implements FeedSockets {
  private readonly options: FeedSocketsOptions
  private readonly timing: Timing
  private readonly acceptor = new WebSocketServer<typeof FeedWebSocket>({
    noServer: true,
    WebSocket: FeedWebSocket,
    // The connection answers pings itself: `ws` drops a connection with 60 pending pongs without a close frame.
    autoPong: false,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: {
      threshold: COMPRESS_FROM_BYTES,
      serverNoContextTakeover: true,
      clientNoContextTakeover: true,
      zlibDeflateOptions: { level: 1, memLevel: 7 },
    },
  })
  private readonly connections = new Set<Connection>()
  /** Connections without a key. */
  private visitorCount = 0
  /** Rate-limit headers of handshake responses. */
  private readonly headers = new WeakMap<IncomingMessage, Record<string, string>>()
  private readonly fanOut: FanOut
  private readonly latest: LatestValues
  private readonly ticking: NodeJS.Timeout
  private readonly unsubscribe: () => void
  private tickedAt = performance.now()
  private isEnding = false

  constructor(options: FeedSocketsOptions) {
    this.options = options
    this.timing = options.timing ?? TIMING
    this.fanOut = new FanOut(() => options.hub.epoch)
    this.latest = new LatestValues(options)
    this.unsubscribe = options.hub.subscribe({
      onBatch: (batch) => {
        this.fanOut.onBatch(batch)
        this.latest.onBatch(batch)
      },
      onReplaced: (why) => {
        this.fanOut.onReplaced()
        for (const connection of this.connections) connection.onReplaced(why)
      },
    })
    this.ticking = setInterval(() => this.tick(), this.timing.tickMs)
    this.acceptor.on('headers', (lines, request) => {
      const given = Object.entries(this.headers.get(request) ?? {})
      lines.push(...given.map(([name, value]) => `${name}: ${value}`))
    })
    this.acceptor.on('wsClientError', (error, socket) => {
      const headers = { 'Sec-WebSocket-Version': '13' }
      this.refuse(
        socket,
        new ApiError('INVALID_PARAM', `no handshake: ${error.message}`, { headers }),
      )
    })
    options.server.on('upgrade', (request, socket, head) => {
      void this.upgrade(request, socket, head)
    })
  }

  count(): number {
    return this.connections.size
  }

  async end(): Promise<void> {
    this.isEnding = true
    this.unsubscribe()
    const all = [...this.connections]
    for (const connection of all) connection.end(CLOSES.restart)
    const bound = AbortSignal.timeout(GONE_WITHIN_MS)
    const late = new Promise((resolve) => bound.addEventListener('abort', resolve))
    await Promise.race([Promise.all(all.map(({ closed }) => closed)), late])
    clearInterval(this.ticking)
    await this.latest.end()
  }

  /** Ticks all connections. Time in which this process was blocked does not count towards their timeouts. */
  private tick(): void {
    const now = performance.now()
    const { tickMs } = this.timing
    const lateMs = now - this.tickedAt - tickMs
    this.tickedAt = now
    const wallMs = Date.now()
    for (const connection of this.connections) {
      if (lateMs > tickMs) connection.excuse(lateMs)
      connection.tick(now, wallMs)
    }
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // The client disconnected during admission: nothing to report.
    socket.on('error', () => {})
    try {
      const url = URL.parse(request.url ?? '/', 'http://feed')
      if (url === null) throw new ApiError('NOT_FOUND', `the feed is at ${FEED_PATH}`)
      const { admissionControl } = this.options
      const session = admissionControl.sessionKeyOf(request.headers)
      const carriers = { ...carriersOf(request, url), session }
      const identified = await admissionControl.identify(request, carriers)
      this.expectRoom(url, identified)
      // Before the rate limit: a handshake without a free slot is not counted.
      const streamSlot = await this.takeStreamSlot(identified)
      socket.once('close', () => void streamSlot.leave())
      if (socket.destroyed) void streamSlot.leave()
      const { headers } = await identified.enter().admission
      this.headers.set(request, headers)
      this.acceptor.handleUpgrade(request, socket, head, (client) => {
        this.enter(client, socket, identified)
      })
    } catch (error) {
      this.refuse(socket, toApiError(error))
    }
  }

  private refuse(socket: Duplex, error: ApiError): void {
    const requestId = randomUUID()
    const { status, text } = refusalText(error, requestId)
    const line = { requestId, path: FEED_PATH, status, code: error.code }
    const { log } = this.options
    if (isBug(error)) log.error({ ...line, err: error.cause ?? error }, 'failed to upgrade')
    else log.info(line, 'refused upgrade')
    socket.end(text, () => socket.destroy())
  }

  private expectRoom(url: URL, { isVisitor, noteCrowded }: Identified): void {
    if (url.pathname !== FEED_PATH) throw new ApiError('NOT_FOUND', `the feed is at ${FEED_PATH}`)
    const [unknown] = unknownAmong([...url.searchParams.keys()], OF_EVERY_QUERY)
    if (unknown !== undefined) {
      throw new ApiError('INVALID_PARAM', unknownText('parameter', unknown, ['api_key']))
    }
    if (this.isEnding) throw new ApiError('UNAVAILABLE', 'the server restarts: try again')
    const { socketsMax } = this.options
    const isFull = this.connections.size >= socketsMax
    if (isFull || (isVisitor && this.visitorCount >= VISITORS_SHARE * socketsMax)) {
      noteCrowded?.()
      throw new ApiError('UNAVAILABLE', 'too many connections: try again')
    }
  }

  private async takeStreamSlot(identified: Identified): Promise<StreamSlot> {
    const { caller, isVisitor, noteCrowded } = identified
    const { lineage, tier } = caller
    const cap = isVisitor ? VISITOR_STREAMS_MAX : (TIER_LIMITS[tier].streams ?? undefined)
    const streamSlot = await this.options.streamSlots.take(lineage, cap)
    if (streamSlot !== undefined) return streamSlot
    noteCrowded?.()
    throw isVisitor ? allOpenHere() : allOpen(tier)
  }

  private enter(socket: FeedWebSocket, wire: Duplex, { caller, isVisitor }: Identified): void {
    const { hub, stored, log, keyWatch } = this.options
    const { tier, keyId } = caller
    const { subscriptions, streams } = TIER_LIMITS[tier]
    const connections = isVisitor ? VISITOR_STREAMS_MAX : streams
    const state = () => ({ epoch: hub.epoch, first: hub.first(), head: hub.head() })
    const { timing, fanOut, latest } = this
    const expectRoom: LatestValues['expectRoom'] = (...requested) => latest.expectRoom(...requested)
    const session = new Session({
      ...{ tier, subscriptionsMax: subscriptions, state, expectRoom },
      venueNames: this.options.venueNames,
    })
    const deps = {
      socket,
      wire,
      session,
      hub,
      stored,
      fanOut,
      latest,
      timing,
      log,
      random: Math.random,
    }
    const connection = new Connection(deps)
    const conn = randomUUID()
    this.connections.add(connection)
    if (isVisitor) this.visitorCount += 1
    const onKeyEnd = (): void => connection.endKey(CLOSES.revoked)
    const unwatch = isVisitor ? () => {} : keyWatch.watch(keyId, onKeyEnd)
    log.info({ conn, keyId, path: FEED_PATH }, 'feed client connected')
    socket.once('close', (code) => {
      unwatch()
      this.connections.delete(connection)
      if (isVisitor) this.visitorCount -= 1
      log.info({ conn, keyId, code }, 'feed client disconnected')
    })
    connection.send({
      type: 'welcome',
      proto: PROTO,
      conn,
      tier,
      server_time: Date.now(),
      ...state(),
      heartbeat_ms: timing.heartbeatMs,
      limits: {
        subscriptions,
        connections,
        frame_bytes: FRAME_BYTES_MAX,
        frame_items: FRAME_EVENTS_MAX,
        filter_values: FILTER_VALUES_MAX,
        requests_per_second: REQUESTS_PER_SECOND,
      },
    })
    if (this.isEnding) connection.end(CLOSES.restart)
  }
}

function carriersOf({ headers }: IncomingMessage, url: URL): Carriers {
  const header = headers['x-api-key']
  const query = url.searchParams.getAll('api_key')
  return {
    header: Array.isArray(header) ? header[0] : header,
    authorization: headers.authorization,
    query,
  }
}
