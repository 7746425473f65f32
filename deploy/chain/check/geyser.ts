/**
 * Checks a Yellowstone stream for `swaptide source check`: subscribes as `source geyser` does and watches for some seconds.
 */

import type { Commitment } from '../../../chain/sources/blocks/block-answer.ts'
import { GRPC, GrpcError, GrpcStream } from '../../../chain/sources/geyser/grpc-stream.ts'
import { pingRequest, subscribeRequest } from '../../../chain/sources/geyser/request.ts'
import { callOf, GEYSER_TIMES } from '../../../chain/sources/geyser/subscription.ts'
import { readUpdate } from '../../../chain/sources/geyser/update.ts'
import { VENUES } from '../../../domain/venue.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import { clockFinding, type Finding, fail, pass, warn } from './finding.ts'
import { StreamTally } from './stream-tally.ts'

type GeyserCheck = {
  /** Scheme, host and port. */
  endpoint: string
  token: string | undefined
  commitment: Commitment
  watchMs: number
  signal: AbortSignal
}

type Watched = { tally: StreamTally; error: GrpcError | undefined; tookMs: number }

const WINDOW_BYTES = 8 * 1024 * 1024
/** So many complete slots suffice. */
const COMPLETE_SLOTS = 10
/** The newest blocks may be on their way. */
const YOUNG_BLOCKS = 8
const SECONDS_A_DAY = 86_400

/** Rejects only when the signal is aborted. */
export async function checkGeyser(check: GeyserCheck): Promise<Finding[]> {
  const { tally, error, tookMs } = await watch(check)
  check.signal.throwIfAborted()
  const { host } = new URL(check.endpoint)
  const { counts } = tally
  const hasUpdates = counts.slots + counts.transactions + counts.executed + counts.metas > 0
  if (!hasUpdates) return [refusal(error, check)]
  const findings = [
    pass('reachable', host),
    pass('x-token', check.token === undefined ? 'none needed' : 'accepted'),
    arrival('slots', counts.slots, Array.from(tally.statuses).join(', ')),
    arrival('transactions', counts.transactions, 'of the venues'),
    arrival('statuses', counts.executed, 'of transactions'),
    arrival('blocks_meta', counts.metas, `at ${check.commitment}`),
    order(tally, check.commitment),
    completeness(tally),
    traffic(tally, tookMs),
  ]
  const time = tally.newestMeta?.timestamp
  if (time !== undefined) findings.push(clockFinding(Date.now() - time))
  if (error !== undefined) {
    const advice = 'a source opens it again and fetches the rest by RPC'
    findings.push(warn('stream', `ended after ${duration(tookMs)}: ${error.message}: ${advice}`))
  }
  return findings
}

/** Reads the stream until enough came, it ended or the time is over. */
async function watch({
  endpoint,
  token,
  commitment,
  watchMs,
  signal,
}: GeyserCheck): Promise<Watched> {
  const url = new URL(endpoint)
  const tally = new StreamTally()
  const startedAt = performance.now()
  const ended = Promise.withResolvers<GrpcError | undefined>()
  const end = (): void => ended.resolve(undefined)
  let pings = 0
  const stream = new GrpcStream(
    callOf({ url, name: url.host, token }, GEYSER_TIMES, WINDOW_BYTES),
    {
      onMessage(message) {
        try {
          const update = readUpdate(message)
          if (update.kind === 'ping') stream.send(pingRequest(++pings))
          if (update.kind === 'ping' || update.kind === 'pong' || update.kind === 'other') return
          tally.add(update, message.length)
          if (update.kind === 'meta' && tally.completeness(0).complete >= COMPLETE_SLOTS) end()
        } catch (cause) {
          if (!(cause instanceof WireError)) throw cause
          const text = `update that cannot be read: ${cause.message}`
          ended.resolve(new GrpcError(GRPC.internal, text, { cause }))
        }
      },
      onEnd: (error) => ended.resolve(error),
    },
  )
  const timer = setTimeout(end, watchMs)
  signal.addEventListener('abort', end, { once: true })
  try {
    stream.send(subscribeRequest({ commitment, programs: VENUES.map(({ program }) => program) }))
    const error = await ended.promise
    return { tally, error, tookMs: performance.now() - startedAt }
  } finally {
    signal.removeEventListener('abort', end)
    clearTimeout(timer)
    stream.close()
  }
}

function refusal(error: GrpcError | undefined, { watchMs }: GeyserCheck): Finding {
  if (error === undefined) {
    const text = `no update within ${duration(watchMs)}`
    return fail('reachable', `${text}: the provider accepts the subscription and sends nothing`)
  }
  const { code, message } = error
  if (code === GRPC.unauthenticated || code === GRPC.permissionDenied) {
    return fail('x-token', `${message}: check --x-token-file or SOURCE_GEYSER_X_TOKEN`)
  }
  if (code === GRPC.unimplemented) {
    return fail('reachable', `${message}: the server has no Yellowstone service`)
  }
  if (code === GRPC.invalidArgument) {
    const needed = 'filters of transactions by program, transactions_status, slots and blocks_meta'
    return fail('filters', `${message}: the provider must allow ${needed}`)
  }
  return fail('reachable', `${message}: check host, port and network`)
}

function arrival(subject: string, count: number, text: string): Finding {
  if (count > 0) return pass(subject, `${counted(count, 'update')} ${text}`)
  return fail(subject, 'none came: the provider must allow this filter')
}

function order({ disordered, statuses }: StreamTally, commitment: Commitment): Finding {
  const [first] = disordered
  if (first !== undefined) {
    const text = `statuses of ${counted(disordered.length, 'slot')} came in another order`
    return warn('order', `${text}, slot ${first} among them: a source waits for the later one`)
  }
  if (!statuses.has(commitment)) {
    const text = `no slot became ${commitment}`
    return fail('order', `${text}: a source would yield nothing: watch longer (--seconds)`)
  }
  return pass('order', 'statuses came in the order processed, confirmed, finalized')
}

function completeness(tally: StreamTally): Finding {
  const { complete, incomplete } = tally.completeness(YOUNG_BLOCKS)
  if (incomplete.length > 0) {
    const text = `${counted(incomplete.length, 'slot')} incomplete, ${grouped(complete)} complete`
    const advice = 'set SOURCE_RPC_URL, so that a source fetches missing and incomplete slots'
    const finding = complete === 0 ? fail : warn
    return finding('complete', `${text}, slot ${incomplete[0]} first: ${advice}`)
  }
  if (complete > 0) {
    return pass('complete', `${counted(complete, 'slot')} with as many transactions as counted`)
  }
  return fail('complete', 'no slot came whole: watch longer (--seconds)')
}

function traffic({ bytes, counts }: StreamTally, tookMs: number): Finding {
  const seconds = tookMs / 1_000
  const perSecond = bytes / seconds
  const gigabytes = ((perSecond * SECONDS_A_DAY) / 1e9).toFixed(1)
  const blocks = (counts.metas / seconds).toFixed(1)
  const text = `${grouped(perSecond / 1_000)} kB/s, ${blocks} blocks/s`
  return pass('traffic', `${text}: ${gigabytes} GB a day at this pace`)
}
