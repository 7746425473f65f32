/**
 * The connection to JetStream: the only importer of @nats-io/*.
 *
 * Publishing uses one reply inbox for all acks, and checks every ack (the client's publish costs 2.5 times as much).
 * Reading uses an ordered consumer without acks: JetStream is a log that can be read again, and only PostgreSQL stores
 * progress.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import {
  connect,
  createInbox,
  credsAuthenticator,
  headers,
  type Msg,
  type NatsConnection,
} from '@nats-io/transport-node'
import type { Log } from '../../domain/log.ts'
import { type NatsAccess, natsAccess } from './nats-url.ts'
import { ConnectionCut, type PublishAck, PublishUnanswered, readAck } from './publish-ack.ts'
import { type Deliveries, readAhead, type StoredMessage, type StreamReader } from './read-ahead.ts'
import { PREVIOUS_HEADER } from './subject-chain.ts'

const ANSWER_MS = 5_000
const SWEEP_MS = 250
/** Error codes of JetStream. */
const NO_PEERS = 10005
const NO_CLUSTER = 10074
const NO_STORAGE = 10047
const NAME_TAKEN = 10_058

type PublishOptions = {
  /** De-duplication id (within the stream's window). */
  id?: string
  /** The publisher's idea of the last sequence of the subject; refused when it is not so. */
  expectedLastSubjectSequence?: number
  /** The same of the whole stream. */
  expectedLastSequence?: number
  /** Further headers. */
  headers?: Record<string, string>
}

type Waiting = { resolve: (ack: PublishAck) => void; reject: (error: Error) => void; due: number }

export type JetStream = {
  readonly manager: JetStreamManager
  readonly client: JetStreamClient
  /** Resolves with the ack. Rejects with one of the four errors above. */
  publish(subject: string, payload: Uint8Array, options?: PublishOptions): Promise<PublishAck>
  /** The newest message of a subject (wildcards allowed), if there is one. */
  lastOfSubject(stream: string, subject: string): Promise<StoredMessage | undefined>
  /** The message at a sequence, if it is still there. */
  messageAt(stream: string, sequence: number): Promise<StoredMessage | undefined>
  /** The first message of a subject, or of a pattern, at a sequence or after it; undefined if the stream holds none. */
  nextOfSubject(
    stream: string,
    subject: string,
    sequence: number,
  ): Promise<StoredMessage | undefined>
  /** Unix ms at which the message at a sequence was stored, if it is still there. */
  storedAt(stream: string, sequence: number): Promise<number | undefined>
  /** The stream that stores a subject's messages; undefined if none does. */
  streamOf(subject: string): Promise<string | undefined>
  /** Publishes to current subscribers, without an ack; `flush` resolves when the server has received it. */
  send(subject: string, payload: Uint8Array): void
  flush(): Promise<void>
  /** Subscribes to messages that others `send`; wildcards allowed. Returns the unsubscribe function. */
  listen(subject: string, take: (payload: Uint8Array) => void): () => void
  /** Whether the server answers. */
  isReachable(): boolean
  /** How often the connection was lost so far: the server may have crashed, and lost unsynced messages. */
  losses(): number
  close(): Promise<void>
}

/** The error of a socket that was cut names no server, and might be taken for another server's. */
function throwNamed(error: unknown): never {
  const { syscall, message } = error as NodeJS.ErrnoException
  if (syscall !== 'read' && syscall !== 'write') throw error
  throw new ConnectionCut(message, { cause: error })
}

/**
 * Connects to any server of the list, or rejects when none can be had within 10 s each; later losses heal by
 * themselves, at any server of the list.
 */
export async function connectJetStream(
  natsUrl: string,
  options: { name: string; log: Log; answerMs?: number },
): Promise<JetStream> {
  const { answerMs = ANSWER_MS } = options
  const { credsFile, tls, ...access } = natsAccess(natsUrl)
  const connection = await connect({
    ...access,
    ...(tls === undefined ? {} : { tls: await readTls(tls) }),
    ...(credsFile === undefined
      ? {}
      : { authenticator: credsAuthenticator(await readFile(credsFile)) }),
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 2 * answerMs,
  }).catch(throwNamed)
  let isUp = true
  let losses = 0
  watchStatus(connection, options.log, (up) => {
    if (isUp && !up) losses++
    isUp = up
  })
  const client = jetstream(connection, { timeout: answerMs })
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: answerMs })
  const acks = ackInbox(connection, answerMs)
  return {
    manager,
    client,
    publish: acks.publish,
    lastOfSubject: (stream, subject) => storedMessage(manager, stream, { last_by_subj: subject }),
    messageAt: (stream, sequence) => storedMessage(manager, stream, { seq: sequence }),
    nextOfSubject: (stream, subject, sequence) =>
      storedMessage(manager, stream, { seq: sequence, next_by_subj: subject }),
    async storedAt(stream, sequence) {
      const stored = await manager.streams.getMessage(stream, { seq: sequence })
      return stored?.time.getTime()
    },
    async streamOf(subject) {
      return await manager.streams.find(subject).catch((error: unknown) => {
        // The class is not exported; its errors are recognised by name.
        if (isNotFound(error) || (error as Error).name === 'StreamNotFoundError') return undefined
        throw error
      })
    },
    send: (subject, payload) => connection.publish(subject, payload),
    flush: () => connection.flush(),
    listen(subject, take) {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) take(message.data)
        },
      })
      return () => subscription.unsubscribe()
    },
    isReachable: () => isUp && !connection.isClosed(),
    losses: () => losses,
    async close() {
      acks.close()
      await connection.close()
    },
  }
}

/** The files' contents: the client reports a file that cannot be read like a server that does not answer. */
async function readTls({ caFile, certFile, keyFile }: NonNullable<NatsAccess['tls']>) {
  const [ca, cert, key] = await Promise.all(
    [caFile, certFile, keyFile].map((file) => file && readFile(file, 'utf8')),
  )
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) }
}

function watchStatus(connection: NatsConnection, log: Log, onChange: (up: boolean) => void): void {
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        onChange(false)
        log.warn('lost connection to NATS, reconnecting')
      } else if (status.type === 'reconnect') {
        onChange(true)
        log.info('reconnected to NATS')
      } else if (status.type === 'error')
        log.warn({ err: status.error }, 'received error from NATS')
    }
  })()
}

async function storedMessage(
  manager: JetStreamManager,
  stream: string,
  request: { last_by_subj: string } | { seq: number; next_by_subj?: string },
): Promise<StoredMessage | undefined> {
  const stored = await manager.streams.getMessage(stream, request)
  if (stored === null) return undefined
  return {
    subject: stored.subject,
    sequence: stored.seq,
    payload: stored.data,
    header: (name) => stored.header?.get(name) || undefined,
    storedMs: () => stored.time.getTime(),
  }
}

/** One wildcard subscription for all acks; a map from running numbers to waiters. */
function ackInbox(connection: NatsConnection, answerMs: number) {
  const inbox = createInbox()
  const waiting = new Map<string, Waiting>()
  let counter = 0
  connection.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      const asker = waiting.get(message.subject)
      if (asker === undefined) return
      waiting.delete(message.subject)
      if (error) asker.reject(new PublishUnanswered('no ack', { cause: error }))
      else settle(asker, message)
    },
  })
  const sweep = setInterval(() => {
    const now = performance.now()
    for (const [reply, asker] of waiting) {
      if (asker.due > now) break
      waiting.delete(reply)
      asker.reject(new PublishUnanswered(`no ack within ${answerMs} ms`))
    }
  }, SWEEP_MS)
  sweep.unref()

  const publish = (subject: string, payload: Uint8Array, options: PublishOptions = {}) =>
    new Promise<PublishAck>((resolve, reject) => {
      const reply = `${inbox}.${counter++}`
      const fields = headers()
      if (options.id !== undefined) fields.set('Nats-Msg-Id', options.id)
      if (options.expectedLastSubjectSequence !== undefined) {
        const expected = `${options.expectedLastSubjectSequence}`
        fields.set(PREVIOUS_HEADER, expected)
      }
      if (options.expectedLastSequence !== undefined) {
        fields.set('Nats-Expected-Last-Sequence', `${options.expectedLastSequence}`)
      }
      for (const [name, text] of Object.entries(options.headers ?? {})) fields.set(name, text)
      waiting.set(reply, { resolve, reject, due: performance.now() + answerMs })
      try {
        connection.publish(subject, payload, { reply, headers: fields })
      } catch (cause) {
        waiting.delete(reply)
        reject(new PublishUnanswered('cannot publish', { cause }))
      }
    })

  const close = () => {
    clearInterval(sweep)
    for (const asker of waiting.values()) asker.reject(new PublishUnanswered('connection closed'))
    waiting.clear()
  }
  return { publish, close }
}

function settle(asker: Waiting, { subject, data }: Msg): void {
  try {
    asker.resolve(readAck(subject, data))
  } catch (refusal) {
    asker.reject(refusal as Error)
  }
}

/** Payload bytes held ahead of the fold, a lane. */
const PREFETCH_BYTES = 8 * 1024 * 1024
const PREFETCH_MESSAGES = 256

const HEARTBEAT_MS = 2_000
/** Without a message or a heartbeat for so long, a consumer is requested to answer. */
const SILENT_MS = 4_500
/** How long a silent consumer may take to answer. */
const CONSUMER_MS = 1_500
/** The server removes a consumer without a reader after this time. */
const ABANDONED_MS = 60_000

type Prefetch = { bytes: number; messages: number }

/**
 * Reads the messages that match `filter` from a sequence on, in order, with a bounded read-ahead. One filter: for each
 * message of a consumer of several, nats-server 2.10 reads a whole block of the stream's file.
 *
 * The consumer is in the memory of one node, whatever the replicas of the stream: where that node is lost, another
 * consumer reads on after the newest message.
 * Decision: docs/decisions/0055-consumers-are-made-again-by-their-readers.md
 */
export async function openReader(
  jetStream: JetStream,
  stream: string,
  filter: string,
  fromSequence: number,
  prefetch: Prefetch = { bytes: PREFETCH_BYTES, messages: PREFETCH_MESSAGES },
): Promise<StreamReader> {
  const open = async (from = fromSequence): Promise<Deliveries> => {
    const consumer: Consumer = await jetStream.client.consumers.get(stream, {
      filter_subjects: filter,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(1, from),
      inactive_threshold: ABANDONED_MS,
    })
    const messages = await consumer.consume({
      max_messages: prefetch.messages,
      expires: 4_000,
      idle_heartbeat: HEARTBEAT_MS,
    })
    return stoppedWhenLost(jetStream, stream, consumer, messages)
  }
  return readAhead(open, await open(), prefetch.bytes)
}

/**
 * Stops the messages of a consumer that is silent and does not answer while its stream does. The client itself requests
 * the consumer again and again, until its node is back.
 */
function stoppedWhenLost(
  jetStream: JetStream,
  stream: string,
  consumer: Consumer,
  messages: ConsumerMessages,
): Deliveries {
  let isLost = false
  let received = 0
  let aliveAt = performance.now()
  const look = async (): Promise<void> => {
    const isIdle = received === messages.getReceived()
    received = messages.getReceived()
    if (!isIdle || !jetStream.isReachable()) aliveAt = performance.now()
    if (performance.now() - aliveAt < SILENT_MS) return
    const isThere = consumer.info().then(() => true, isNotFound)
    const isHeld = await Promise.race([isThere, pause(CONSUMER_MS, false, { ref: false })])
    if (isHeld || (await isUnavailable(jetStream.manager, stream))) return
    isLost = true
    messages.stop()
  }
  const watch = async (): Promise<void> => {
    const timer = setInterval(() => void look(), HEARTBEAT_MS)
    timer.unref()
    for await (const { type } of messages.status()) {
      if (type === 'heartbeat' || type === 'discard') aliveAt = performance.now()
    }
    clearInterval(timer)
  }
  void watch()
  return Object.assign(messages, { isLost: () => isLost })
}

function isUnavailable(manager: JetStreamManager, stream: string): Promise<boolean> {
  return manager.streams.info(stream).then(
    () => false,
    () => true,
  )
}

/** Whether an error of the client means that the requested object does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof JetStreamApiError && (error.code === 10059 || error.code === 10037)
}

/** Whether another stream has the name, with other settings. */
export function isNameTaken(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === NAME_TAKEN
}

/** Whether a server has less storage left for a stream than the stream may hold. */
export function isWithoutStorage(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === NO_STORAGE
}

/** Why there are too few nodes for the replicas of a stream; undefined: the error has another reason. */
export function nodesLackedBy(error: unknown): string | undefined {
  if (!(error instanceof JetStreamApiError)) return undefined
  if (error.code === NO_CLUSTER) return 'NATS is a single server'
  return error.code === NO_PEERS ? 'too few nodes of NATS can store a stream now' : undefined
}

export { DiscardPolicy, RetentionPolicy, StorageType, type StreamInfo } from '@nats-io/jetstream'
export { isUnanswered, PublishRefused, StreamFull, WrongLastSequence } from './publish-ack.ts'
export type { StoredMessage, StreamReader } from './read-ahead.ts'
