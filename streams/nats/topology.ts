/**
 * The streams as one table of values; ensureTopology() makes the server agree with it.
 *
 * SWAP: ingested events; when it is full the producer waits (discard new), and no event is dropped. FEED: committed
 * events, the one public log; when it is full its oldest messages are dropped. Each carries a random epoch in its
 * metadata, so that a recreated stream is noticed, and the lane count that it was created with. A stream that lost its
 * end gets another epoch (`renewEpoch`): new messages reuse the lost sequences.
 *
 * Decision: docs/decisions/0003-stream-epochs-after-data-loss.md
 */

import { hash, randomUUID } from 'node:crypto'
import { FEED_DAYS, STREAM_BYTES } from '../../domain/stream-bounds.ts'
import { counted } from '../../domain/text/plural.ts'
import {
  DiscardPolicy,
  isNotFound,
  type JetStream,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from './jetstream.ts'
import { DEFAULT_LANE_COUNT } from './lane.ts'
import {
  agreedOn,
  applySettings,
  createdMeanwhile,
  expectNodes,
  expectRoom,
  readSettled,
  type StreamSettings,
} from './replicas.ts'
import {
  feedLaneFilter,
  feedStreamSubject,
  type SubjectPrefix,
  swapLaneFilter,
  swapStreamSubject,
} from './subject.ts'

type StreamName = 'SWAP' | 'FEED'

/** A past epoch of a stream that lost its end: up to `through` its messages are unchanged. */
type PastEpoch = { epoch: string; through: number }

/** A stream's identity on the server; `before`: its former epochs, the newest last. */
export type StreamIdentity = { stream: string; epoch: string; before: readonly PastEpoch[] }

export type TopologyOptions = {
  prefix: SubjectPrefix
  /** Absent: the count that the streams were created with, the default for new ones. */
  laneCount?: number | undefined
  /** Bytes on disk at which a stream is full; absent: as the streams are, STREAM_BYTES for new ones. */
  swapMaxBytes?: number | undefined
  feedMaxBytes?: number | undefined
  /** Nodes of a cluster that store each stream; absent: as the streams are, 1 for new ones. */
  replicas?: number | undefined
}

/** The requested options and the streams that exist: may be passed to ensureTopology again. */
export type Topology = TopologyOptions & {
  laneCount: number
  swap: StreamIdentity
  feed: StreamIdentity
}

const DAY_NANOS = 24 * 3600 * 1e9
const EPOCH_KEY = 'swaptide_epoch'
const BEFORE_KEY = 'swaptide_before'
const LANES_KEY = 'swaptide_lanes'
const EPOCH_LENGTH = 8
/** A reader that was stopped while the stream lost its end more often reads it from its start. */
const PAST_EPOCHS_MAX = 16

type StreamPlan = {
  subject: (prefix: SubjectPrefix) => string
  discard: DiscardPolicy
  maxBytes: (options: TopologyOptions) => number | undefined
  maxAgeNanos: number
}

const PLANS: Record<StreamName, StreamPlan> = {
  SWAP: {
    subject: swapStreamSubject,
    discard: DiscardPolicy.New,
    maxBytes: (options) => options.swapMaxBytes,
    maxAgeNanos: 0,
  },
  FEED: {
    subject: feedStreamSubject,
    discard: DiscardPolicy.Old,
    maxBytes: (options) => options.feedMaxBytes,
    maxAgeNanos: FEED_DAYS * DAY_NANOS,
  },
}

/** The stream's name on the server: a prefix `test.` makes `test_SWAP`. */
function streamName(prefix: SubjectPrefix, name: StreamName): string {
  return `${prefix.replaceAll('.', '_')}${name}`
}

/**
 * Creates missing streams and returns the identity of all. Rejects when the streams were created with another lane
 * count: keys would change owners. Settings of existing streams are applied for options only: a process that looks
 * again, with its topology, does not take back those of a process that started later.
 */
export async function ensureTopology(
  jetStream: JetStream,
  options: TopologyOptions | Topology,
): Promise<Topology> {
  const laneCount = options.laneCount ?? (await laneCountOf(jetStream, options.prefix))
  const wanted = { ...options, laneCount }
  const [swap, feed] = await Promise.all([
    ensureStream(jetStream, wanted, 'SWAP'),
    ensureStream(jetStream, wanted, 'FEED'),
  ])
  return { ...wanted, swap, feed }
}

/** The lane count of the existing streams: one of them may have been lost. */
async function laneCountOf(jetStream: JetStream, prefix: SubjectPrefix): Promise<number> {
  const known =
    (await readIdentity(jetStream, streamName(prefix, 'SWAP'))) ??
    (await readIdentity(jetStream, streamName(prefix, 'FEED')))
  return known?.laneCount ?? DEFAULT_LANE_COUNT
}

type WantedTopology = TopologyOptions & { laneCount: number }

async function ensureStream(
  jetStream: JetStream,
  options: WantedTopology,
  name: StreamName,
): Promise<StreamIdentity> {
  const stream = streamName(options.prefix, name)
  let known =
    (await readIdentity(jetStream, stream)) ?? (await createStream(jetStream, options, name))
  if (!('swap' in options)) {
    if (known.replicas > 1) known = await agreedOn(known, () => readIdentity(jetStream, stream))
    const wanted = { replicas: options.replicas, maxBytes: PLANS[name].maxBytes(options) }
    await applySettings(jetStream, { stream, name }, known, wanted)
  }
  if (known.laneCount !== options.laneCount) {
    throw new Error(
      `stream "${stream}" was created with ${counted(known.laneCount, 'lane')}, not ${options.laneCount}: ` +
        'the count is fixed when the streams are created',
    )
  }
  return { stream, epoch: known.epoch, before: known.before }
}

type KnownStream = Omit<StreamIdentity, 'stream'> & StreamSettings & { laneCount: number }

/** The epochs of a stream, out of its metadata. */
function epochsOf({ config, created }: StreamInfo): Omit<StreamIdentity, 'stream'> {
  const { [EPOCH_KEY]: epoch = created, [BEFORE_KEY]: before = '' } = config.metadata ?? {}
  const past = before.split(' ').flatMap((text) => {
    const [name = '', through] = text.split('=')
    return through === undefined ? [] : [{ epoch: name, through: Number(through) }]
  })
  return { epoch, before: past }
}

/**
 * Gives a stream that lost its end another epoch, so that readers past `through` notice it: new messages reuse the lost
 * sequences. Any process that notices calls it. The new epoch follows from the old one, so that concurrent callers
 * agree; does nothing where the stream has another epoch already.
 */
export async function renewEpoch(
  jetStream: JetStream,
  stream: string,
  epoch: string,
  through: number,
): Promise<void> {
  const found = await jetStream.manager.streams.info(stream)
  const known = epochsOf(found)
  if (known.epoch !== epoch) return
  const before = [...known.before, { epoch, through }].slice(-PAST_EPOCHS_MAX)
  const metadata = {
    ...found.config.metadata,
    [EPOCH_KEY]: hash('sha256', `${epoch} ${found.created}`).slice(0, EPOCH_LENGTH),
    [BEFORE_KEY]: before.map((past) => `${past.epoch}=${past.through}`).join(' '),
  }
  await jetStream.manager.streams.update(stream, { ...found.config, metadata })
}

/**
 * The position in the present stream that equals `sequence` in the stream's `epoch`; undefined: that was another
 * stream.
 */
export function sequenceToday(
  identity: Pick<StreamIdentity, 'epoch' | 'before'>,
  epoch: string,
  sequence: number,
): number | undefined {
  if (epoch === identity.epoch) return sequence
  const at = identity.before.findIndex((past) => past.epoch === epoch)
  if (at < 0) return undefined
  return Math.min(sequence, ...identity.before.slice(at).map(({ through }) => through))
}

async function readIdentity(
  jetStream: JetStream,
  stream: string,
): Promise<KnownStream | undefined> {
  try {
    const found = await jetStream.manager.streams.info(stream)
    const { metadata, num_replicas: replicas, max_bytes: maxBytes } = found.config
    return { ...epochsOf(found), laneCount: Number(metadata?.[LANES_KEY]), replicas, maxBytes }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function createStream(
  jetStream: JetStream,
  options: WantedTopology,
  name: StreamName,
): Promise<KnownStream> {
  const plan = PLANS[name]
  const stream = streamName(options.prefix, name)
  const epoch = randomUUID().slice(0, EPOCH_LENGTH)
  const { replicas = 1 } = options
  const maxBytes = plan.maxBytes(options) ?? STREAM_BYTES[name]
  const config = {
    name: stream,
    subjects: [plan.subject(options.prefix)],
    storage: StorageType.File,
    num_replicas: replicas,
    retention: RetentionPolicy.Limits,
    discard: plan.discard,
    max_bytes: maxBytes,
    max_age: plan.maxAgeNanos,
    max_msg_size: 1024 * 1024,
    duplicate_window: 120 * 1e9,
    allow_direct: true,
    metadata: { [EPOCH_KEY]: epoch, [LANES_KEY]: `${options.laneCount}` },
  }
  try {
    await expectRoom(name, maxBytes, () =>
      expectNodes(replicas, () => jetStream.manager.streams.add(config)),
    )
  } catch (error) {
    // The epoch of the process that created it is the one that counts.
    return createdMeanwhile(error, () => readIdentity(jetStream, stream))
  }
  return { epoch, before: [], laneCount: options.laneCount, replicas, maxBytes }
}

/**
 * Recreates a stream with the same settings, empty, under another epoch, by which readers with old sequences notice the
 * change. Its de-duplication window starts empty.
 */
export async function recreateStream(jetStream: JetStream, stream: string): Promise<void> {
  const found = await jetStream.manager.streams.info(stream)
  const { config } = found
  const before = epochsOf(found).epoch
  const { [BEFORE_KEY]: _, ...retained } = config.metadata ?? {}
  const metadata = { ...retained, [EPOCH_KEY]: randomUUID().slice(0, EPOCH_LENGTH) }
  await jetStream.manager.streams.delete(stream)
  try {
    await jetStream.manager.streams.add({ ...config, metadata })
  } catch (error) {
    // A worker that missed it may have created it.
    await createdMeanwhile(error, () => readIdentity(jetStream, stream), before)
  }
}

/** First and last sequence, and the bytes that the stream holds and may hold. */
export async function streamState(
  jetStream: JetStream,
  stream: string,
): Promise<{ first: number; last: number; bytes: number; maxBytes: number }> {
  const { state, config } = await jetStream.manager.streams.info(stream)
  return {
    first: state.first_seq,
    last: state.last_seq,
    bytes: state.bytes,
    maxBytes: config.max_bytes ?? -1,
  }
}

/** Extent of a stream: sequences, bytes, and the bytes that it may hold, below 0 where it has no bound. */
export type StreamExtent = Omit<StreamIdentity, 'stream'> & {
  first: number
  last: number
  /** Missing sequences between these. */
  deletedCount: number
  laneCount: number
  /** Nodes that are to store it. */
  replicas: number
  subject: string
  bytes: number
  maxBytes: number
}

/** Text of an error; the stream may have been deleted since the start. */
export function streamNotFound(stream: string): string {
  return `stream "${stream}" not found: start "swaptide worker", which creates it`
}

/** In one request; undefined where there is no such stream. */
export async function streamExtent(
  jetStream: JetStream,
  stream: string,
): Promise<StreamExtent | undefined> {
  try {
    const found = await jetStream.manager.streams.info(stream)
    const { config, state } = found
    return {
      ...epochsOf(found),
      // A stream that never held a message reports 0.
      first: Math.max(1, state.first_seq),
      last: state.last_seq,
      deletedCount: state.num_deleted ?? 0,
      laneCount: Number(config.metadata?.[LANES_KEY]),
      replicas: config.num_replicas,
      subject: config.subjects[0] ?? '',
      bytes: state.bytes,
      maxBytes: config.max_bytes ?? -1,
    }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The same for a reader of a sequence: with an end below it only where the stream is cut off. */
export function settledExtent(
  jetStream: JetStream,
  stream: string,
  known: { epoch: string; sequence: number },
): Promise<StreamExtent | undefined> {
  return readSettled(jetStream, known, () => streamExtent(jetStream, stream))
}

/** Sequences after this one that are missing within a stream. */
export async function deletedAfter(
  jetStream: JetStream,
  stream: string,
  sequence: number,
): Promise<number[]> {
  const { state } = await jetStream.manager.streams.info(stream, { deleted_details: true })
  return (state.deleted ?? []).filter((each) => each > sequence)
}

/** The last sequence of SWAP that a pool lane will read; 0 without any. */
export async function swapHead(
  jetStream: JetStream,
  topology: Topology,
  lane: number,
): Promise<number> {
  const filter = swapLaneFilter(topology.prefix, lane)
  return (await jetStream.lastOfSubject(topology.swap.stream, filter))?.sequence ?? 0
}

/** The last sequence of FEED that a wallet lane will read; 0 without any. */
export async function feedHead(
  jetStream: JetStream,
  topology: Topology,
  lane: number,
): Promise<number> {
  const filter = feedLaneFilter(topology.prefix, lane)
  return (await jetStream.lastOfSubject(topology.feed.stream, filter))?.sequence ?? 0
}

/** Trims all messages before a sequence. */
export async function trimStream(
  jetStream: JetStream,
  stream: string,
  beforeSequence: number,
): Promise<void> {
  await jetStream.manager.streams.purge(stream, { seq: beforeSequence })
}

/**
 * The last message that was stored no later than `byMs` (Unix ms), `first - 1` without any. Trimmed messages count as
 * stored before. Reads about twenty messages of a million.
 */
export async function lastStoredBy(
  jetStream: JetStream,
  stream: string,
  { first, last }: { first: number; last: number },
  byMs: number,
): Promise<number> {
  let low = first - 1
  let high = last + 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const atMs = await jetStream.storedAt(stream, middle)
    if (atMs === undefined || atMs <= byMs) low = middle
    else high = middle
  }
  return low
}
