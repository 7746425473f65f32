/**
 * A server of the Yellowstone protocol over real gRPC (grpc-js): it plays a script to each subscriber, filters
 * transactions, names the filters that an update passed, pings, answers pings, and replays from a slot within its ring.
 *
 * The script advances only while a client is subscribed, as fast as the client reads, so that a test needs no clock.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { decodeRequest, encodeUpdate, type ReceivedRequest } from './messages.ts'
import type { Step } from './script.ts'

export type GeyserServerOptions = {
  script: readonly Step[]
  /** The x-token that the server expects. */
  token?: string
  tls?: { certificate: Buffer; key: Buffer }
  /** Steps that a new subscriber may have replayed with from_slot; absent: replay is refused. */
  ringSteps?: number
  /** Steps between two turns of the event loop; the pauses let a client's answers in. */
  stepsATurn?: number
  /** Milliseconds between two blocks; absent: as fast as the client reads. */
  blockMs?: number
  port?: number
  /** Sends nothing more from this step on, and leaves the connection open. */
  silentAt?: number
}

export type GeyserServer = {
  url: string
  requests: ReceivedRequest[]
  /** Calls that are open. */
  open: number
  /** Position in the script. */
  position: number
  /** Cuts and bytes that were sent: each once. */
  happened: Set<Step>
  stop(): Promise<void>
}

type Call = ServerDuplexStream<Buffer, Buffer>

const METHOD = {
  path: '/geyser.Geyser/Subscribe',
  requestStream: true,
  responseStream: true,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
} as const

const STEPS_A_ROUND = 100
/** Every connection gets these last steps, since a real chain has no end. */
const TAIL_STEPS = 300

export async function startGeyserServer(options: GeyserServerOptions): Promise<GeyserServer> {
  const { tls } = options
  const server = new Server({ 'grpc.max_send_message_length': -1 })
  const geyser: GeyserServer = {
    url: '',
    requests: [],
    open: 0,
    position: 0,
    happened: new Set(),
    async stop() {
      server.forceShutdown()
    },
  }
  server.addService(
    { Subscribe: METHOD },
    {
      Subscribe(call: Call) {
        geyser.open++
        call.once('close', () => geyser.open--)
        serve(call, geyser, options)
      },
    },
  )
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ cert_chain: tls.certificate, private_key: tls.key }])
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${options.port ?? 0}`, credentials, (error, bound) => {
      if (error === null) resolve(bound)
      else reject(error)
    })
  })
  geyser.url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  return geyser
}

function serve(call: Call, geyser: GeyserServer, options: GeyserServerOptions): void {
  const { token } = options
  if (token !== undefined && call.metadata.get('x-token')[0] !== token) {
    fail(call, status.UNAUTHENTICATED, 'No valid auth token')
    return
  }
  call.on('error', () => {})
  call.on('data', (bytes: Buffer) => {
    const request = decodeRequest(bytes)
    geyser.requests.push(request)
    if (request.ping !== undefined) {
      if (!call.writableEnded) call.write(encodeUpdate({ pong: { id: request.ping.id } }))
      return
    }
    play(call, request, geyser, options).catch((error: unknown) => call.destroy(error as Error))
  })
}

async function play(
  call: Call,
  request: ReceivedRequest,
  geyser: GeyserServer,
  options: GeyserServerOptions,
): Promise<void> {
  const { script, stepsATurn = STEPS_A_ROUND, blockMs = 0 } = options
  const { silentAt = Number.POSITIVE_INFINITY } = options
  call.write(encodeUpdate({ ping: {} }))
  const start = startOf(request, geyser, options)
  if (start === undefined) {
    const text = `broadcast from ${request.fromSlot} is not available, last available: 1`
    fail(call, status.OUT_OF_RANGE, text)
    return
  }
  const ended = new Promise<void>((resolve) => {
    call.once('close', resolve)
    call.once('cancelled', resolve)
  })
  for (let at = start; at < script.length && at < silentAt; at++) {
    if (call.cancelled || call.destroyed) return
    geyser.position = Math.max(geyser.position, at + 1)
    const step = script[at] as Step
    // Once: what was sent before may be sent again.
    if (geyser.happened.has(step)) continue
    if (step.kind === 'cut' || step.kind === 'bytes') geyser.happened.add(step)
    if (step.kind === 'cut') {
      geyser.position = Math.max(0, at + 1 + step.skipped)
      fail(call, status.UNAVAILABLE, 'server is shutting down try again later')
      return
    }
    for (const bytes of sent(step, request)) {
      if (call.write(bytes)) continue
      await Promise.race([ended, new Promise((resolve) => call.once('drain', resolve))])
    }
    if (step.kind === 'meta' && blockMs > 0) await sleep(blockMs)
    if (at % stepsATurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

function startOf(
  { fromSlot }: ReceivedRequest,
  { position }: GeyserServer,
  { script, ringSteps }: GeyserServerOptions,
): number | undefined {
  const live = Math.min(position, Math.max(0, script.length - TAIL_STEPS))
  if (fromSlot === undefined) return live
  const oldest = Math.max(0, live - (ringSteps ?? 0))
  const wanted = script.findIndex((step) => 'slot' in step && step.slot >= Number(fromSlot))
  if (ringSteps === undefined || wanted < oldest) return undefined
  return Math.min(live, wanted)
}

/** The updates of a step that match the request. */
function sent(step: Step, request: ReceivedRequest): Buffer[] {
  const names = (filters: object | undefined): string[] => Object.keys(filters ?? {})
  switch (step.kind) {
    case 'slot':
      return [encodeUpdate({ filters: names(request.slots), slot: step.update })]
    case 'meta':
      return [encodeUpdate({ filters: names(request.blocksMeta), blockMeta: step.update })]
    case 'bytes':
      return [Buffer.from(step.bytes)]
    case 'cut':
      return []
    case 'transaction':
      return sentTransaction(step, request)
    default:
      return step satisfies never
  }
}

type TransactionStep = Extract<Step, { kind: 'transaction' }>

function sentTransaction(
  { slot, transaction, without }: TransactionStep,
  request: ReceivedRequest,
): Buffer[] {
  const { index, update, keys, isVote, hasFailed } = transaction
  const passed = (filters: ReceivedRequest['transactions'] = {}): string[] =>
    Object.entries(filters)
      .filter(([, { vote, failed, accountInclude }]) => {
        const isIncluded =
          accountInclude === undefined || accountInclude.some((key) => keys.has(key))
        const isRight = (vote ?? isVote) === isVote && (failed ?? hasFailed) === hasFailed
        return isIncluded && isRight
      })
      .map(([name]) => name)
  const updates: Buffer[] = []
  const ofTransactions = passed(request.transactions)
  if (ofTransactions.length > 0 && without === undefined) {
    updates.push(
      encodeUpdate({ filters: ofTransactions, transaction: { slot, transaction: update } }),
    )
  }
  const ofStatuses = passed(request.transactionsStatus)
  if (ofStatuses.length > 0 && without !== 'both') {
    const { signature } = update
    const err = hasFailed ? { err: { err: new Uint8Array(4) } } : {}
    const transactionStatus = { slot, signature, isVote, index, ...err }
    updates.push(encodeUpdate({ filters: ofStatuses, transactionStatus }))
  }
  return updates
}

function fail(call: Call, code: number, details: string): void {
  const error = { code, details, metadata: new Metadata() }
  call.emit('error', error as ServiceError)
}
