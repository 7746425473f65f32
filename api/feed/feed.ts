/**
 * Opens and closes the feeds of a process: one hub over FEED, the slots of streams, `/ws/v1` on the API's server and
 * SwapStream on its own port.
 */

import type { Server } from 'node:http'
import type { Log } from '../../domain/log.ts'
import type { VenueNaming } from '../../domain/venue.ts'
import { countFeedSwaps } from '../../streams/codec/event-codec.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { AdmissionControl } from '../gateway/admission-control.ts'
import type { KeyRing } from '../gateway/keys/key-ring.ts'
import type { KeyWatch } from '../gateway/keys/key-watch.ts'
import type { Reader } from '../routing/reading/reader.ts'
import type { FeedState } from '../serving/metrics.ts'
import type { GrpcListening, SwapStreamServer } from './grpc/server.ts'
import { type FeedHub, openHub } from './log/feed-reader.ts'
import { gapFiller } from './log/fill.ts'
import { storedEvents } from './log/stored.ts'
import { openLocalStreamSlots, openStreamSlots, type StreamSlots } from './stream-slots.ts'
import type { Timing } from './websocket/protocol/timing.ts'
import { openFeedSockets } from './websocket/server.ts'

/** The FEED stream, and settings of the feeds that have defaults. */
export type FeedSource = {
  /** Owned by the caller: it outlives the feed. */
  jetStream: JetStream
  /** Name of the FEED stream on the server. */
  stream: string
  ringBytesMax?: number
  watchEveryMs?: number
  timing?: Timing
  /** Absent: no gRPC. */
  grpc?: GrpcListening
}

type FeedOptions = FeedSource & {
  server: Server
  /** Maximum open WebSockets. */
  socketsMax: number
  reader: Reader
  admissionControl: AdmissionControl
  ring: KeyRing
  keyWatch: KeyWatch
  redisUrl?: string
  prefix?: string
  /** Absent: venues are `venue_<id>`. */
  venueNames?: VenueNaming | undefined
  log: Log
}

export type Feed = {
  hub: FeedHub
  /** Port of SwapStream; absent: no gRPC. */
  grpcPort?: number
  state(): FeedState
  /** Sends all clients a goodbye and closes; resolves when they have disconnected. */
  end(): Promise<void>
}

/** Resolves when the hub has caught up with FEED. Rejects if FEED does not exist. */
export async function openFeed(options: FeedOptions): Promise<Feed> {
  const { prefix = '', reader } = options
  const stored = storedEvents(reader)
  const { jetStream, stream } = options
  const fill = gapFiller({ jetStream, stream, prefix, stored })
  const hub = await openHub({ ...options, prefix, fill })
  let swaps = 0
  hub.subscribe({
    onBatch({ payload }) {
      swaps += countFeedSwaps(payload)
    },
  })
  const streamSlots = streamSlotsOf(options, 'websocket')
  const callStreamSlots = streamSlotsOf(options, 'grpc')
  const sockets = openFeedSockets({ ...options, hub, streamSlots, stored })
  let calls: SwapStreamServer | undefined
  const end = async (): Promise<void> => {
    await Promise.all([sockets.end(), calls?.stop()])
    await Promise.all([streamSlots.end(), callStreamSlots.end(), hub.close()])
  }
  const state = (): FeedState => ({
    readers: { websocket: sockets.count(), grpc: calls?.count() ?? 0 },
    head: hub.head(),
    swaps,
    tailLagMs: hub.tailLagMs(),
    unreadable: hub.unreadable(),
    lost: hub.lost(),
  })
  if (options.grpc === undefined) return { hub, state, end }
  try {
    const given = { ...options, ...options.grpc, hub, stored, streamSlots: callStreamSlots }
    // Loaded where it is served: gRPC and its packages are a fifth of the API's modules by CPU.
    const { startSwapStream } = await import('./grpc/server.ts')
    calls = await startSwapStream({ ...given, now: Date.now })
  } catch (error) {
    await end()
    throw error
  }
  return { hub, grpcPort: calls.port, state, end }
}

function streamSlotsOf(
  { redisUrl, prefix = '', log }: FeedOptions,
  of: 'websocket' | 'grpc',
): StreamSlots {
  if (redisUrl === undefined) return openLocalStreamSlots()
  return openStreamSlots({ redisUrl, prefix: `swaptide:${prefix}${of}:`, log })
}
