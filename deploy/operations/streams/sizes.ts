/**
 * How long the streams hold what comes in: their bytes and bounds, the rate of the last hour, and the hours that a
 * stream of that bound holds at that rate. The rate is that of the stream's own messages: their number by the times at
 * which they were stored, their size by samples, because imported history has larger messages than a live source.
 */
import { FEED_DAYS } from '../../../domain/stream-bounds.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/time/time-bucket.ts'
import type { JetStream } from '../../../streams/nats/jetstream.ts'
import { type StreamCopies, streamCopies } from '../../../streams/nats/replicas.ts'
import { lastStoredBy, type Topology } from '../../../streams/nats/topology.ts'
import { counted, duration, grouped, table } from '../../cli/format.ts'

/** Held by a stream, its bound, and the rate of the last hour. */
type StreamRate = { bytes: number; maxBytes: number; bytesPerSecond: number | null }

export type StreamSize = StreamCopies & {
  bytes: number
  /** Null: without a bound. */
  max_bytes: number | null
  /** Null: nothing came within the last hour. */
  bytes_per_second: number | null
  /**
   * SWAP is full after so long where workers read nothing; in FEED it is the age of the oldest message once it is
   * full. Null: not known without a rate.
   */
  holds_ms: number | null
}

/** The rate is that of so many milliseconds, or of the age of a younger stream. */
const WINDOW_MS = HOUR_MS
/** No rate follows from a shorter time. */
const SPAN_MS_MIN = 1_000
const SAMPLES = 24
/** A stored message in addition to its subject and payload, about: lengths, checksum, headers. */
const RECORD_BYTES = 90

export async function listStreams(
  jetStream: JetStream,
  { swap, feed }: Topology,
  nowMs: number,
): Promise<StreamSize[]> {
  const ages = [
    { stream: swap.stream, ageMsMax: undefined },
    { stream: feed.stream, ageMsMax: FEED_DAYS * DAY_MS },
  ]
  return await Promise.all(
    ages.map(async ({ stream, ageMsMax }) => {
      const [copies, rate] = await Promise.all([
        streamCopies(jetStream, stream),
        readRate(jetStream, stream, nowMs),
      ])
      return {
        ...copies,
        bytes: rate.bytes,
        max_bytes: rate.maxBytes < 0 ? null : rate.maxBytes,
        bytes_per_second: rate.bytesPerSecond === null ? null : Math.round(rate.bytesPerSecond),
        holds_ms: holdsMs(rate, ageMsMax),
      }
    }),
  )
}

/** `ageMsMax`: age at which the stream drops a message whatever its size; undefined: at none. */
export function holdsMs(
  { maxBytes, bytesPerSecond }: StreamRate,
  ageMsMax: number | undefined,
): number | null {
  if (bytesPerSecond === null || maxBytes < 0) return ageMsMax ?? null
  const ms = Math.round((maxBytes / bytesPerSecond) * 1_000)
  return ageMsMax === undefined ? ms : Math.min(ms, ageMsMax)
}

async function readRate(jetStream: JetStream, stream: string, nowMs: number): Promise<StreamRate> {
  const { state, config } = await jetStream.manager.streams.info(stream)
  const { bytes, messages, first_seq: first, last_seq: last } = state
  const held = { bytes, maxBytes: config.max_bytes ?? -1 }
  const none = { ...held, bytesPerSecond: null }
  const sinceMs = nowMs - WINDOW_MS
  if (messages === 0) return none
  const [firstMs, lastMs] = await Promise.all(
    [first, last].map((sequence) => jetStream.storedAt(stream, sequence)),
  )
  // The stream was trimmed meanwhile.
  if (firstMs === undefined || lastMs === undefined || lastMs < sinceMs) return none
  if (firstMs >= sinceMs) {
    const spanMs = nowMs - firstMs
    return spanMs < SPAN_MS_MIN ? none : { ...held, bytesPerSecond: (bytes / spanMs) * 1_000 }
  }
  const before = await lastStoredBy(jetStream, stream, { first, last }, sinceMs)
  const size = await meanBytes(jetStream, stream, before + 1, last)
  // Sequences of which some are missing count fewer messages than they are.
  const count = (last - before) * Math.min(1, messages / (last - first + 1))
  return size === null ? none : { ...held, bytesPerSecond: (count * size * 1_000) / WINDOW_MS }
}

/** The mean size of messages that are spread over a range of sequences; null: none is stored any more. */
async function meanBytes(
  jetStream: JetStream,
  stream: string,
  first: number,
  last: number,
): Promise<number | null> {
  const step = (last - first) / (SAMPLES - 1)
  const sequences = Array.from({ length: SAMPLES }, (_, at) => Math.round(first + at * step))
  const read = [...new Set(sequences)].map((sequence) => jetStream.messageAt(stream, sequence))
  const sizes = (await Promise.all(read)).flatMap((message) =>
    message === undefined ? [] : [message.payload.length + message.subject.length + RECORD_BYTES],
  )
  return sizes.length === 0 ? null : sizes.reduce((sum, each) => sum + each, 0) / sizes.length
}

/** `streams: SWAP on 3 nodes, FEED on 2 of 3 nodes`, and a line for each with its bytes and hours. */
export function describeStreams(streams: readonly StreamSize[]): string {
  const listed = streams.map(({ name, replicas, current }) => {
    const nodes = counted(replicas, 'node')
    return `${name} on ${current < replicas ? `${current} of ${nodes}` : nodes}`
  })
  const rows = streams.map(({ name, bytes, max_bytes, bytes_per_second, holds_ms }) => [
    name,
    grouped(bytes),
    max_bytes === null ? 'none' : grouped(max_bytes),
    bytes_per_second === null ? '-' : grouped(bytes_per_second),
    holds_ms === null ? 'unknown' : duration(holds_ms),
  ])
  const columns = ['stream', 'bytes', 'bound', 'bytes/s, last hour', 'holds at this rate']
  return `streams: ${listed.join(', ')}\n${table(columns, rows)}`
}
