/** Answers of JetStream: decodes the acknowledgement of a publish, and names the errors that pass by themselves. Pure. */
import { Buffer } from 'node:buffer'

/** The stream refuses for now because it is full (or the server's disk is). */
export class StreamFull extends Error {}
/** Another publisher wrote to the subject in between: the publisher may have lost its lane. */
export class WrongLastSequence extends Error {}
/** No answer in time, or no connection for one: whether the message was stored is unknown. */
export class PublishUnanswered extends Error {}
/** The connection was cut before it was ready. */
export class ConnectionCut extends Error {}
/** Any other refusal by the server. */
export class PublishRefused extends Error {}

export type PublishAck = { sequence: number; duplicate: boolean }

const STORE_FAILED = 10077
const INSUFFICIENT_RESOURCES = new Set([10023, 10047, STORE_FAILED])
const WRONG_LAST_SEQUENCE = new Set([10071, 10164])

type AckBody = {
  seq?: number
  duplicate?: boolean
  error?: { err_code: number; description: string }
}

/** Throws one of the errors above, except for ConnectionCut. */
export function readAck(subject: string, answer: Uint8Array): PublishAck {
  if (answer.length === 0) {
    throw new PublishUnanswered(`no stream stores "${subject}": no stream acknowledged the publish`)
  }
  const body = JSON.parse(Buffer.from(answer).toString('utf8')) as AckBody
  if (body.error === undefined && body.seq !== undefined) {
    return { sequence: body.seq, duplicate: body.duplicate === true }
  }
  const code = body.error?.err_code ?? 0
  const text = `JetStream refused (${code}): ${body.error?.description ?? 'no reason given'}`
  if (INSUFFICIENT_RESOURCES.has(code)) throw new StreamFull(text)
  if (WRONG_LAST_SEQUENCE.has(code)) throw new WrongLastSequence(text)
  throw new PublishRefused(text)
}

/** Error code of a request that only the leader can answer. */
const NO_LEADER = 10008
/** Names of the client's errors of a request without an answer. */
const UNANSWERED = new Set([
  ...['ConnectionError', 'TimeoutError', 'RequestError', 'NoRespondersError'],
  ...['ClosedConnectionError', 'JetStreamNotEnabled'],
])

/** Whether the nodes of a cluster answer and have no leader: most of them are away. */
export function isLeaderless(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'JetStreamApiError') return false
  return (error as { code?: unknown }).code === NO_LEADER
}

/** Whether the client could not reach JetStream, or no node is its leader: the same request may succeed later. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof PublishUnanswered || error instanceof ConnectionCut) return true
  return UNANSWERED.has(error.name) || isLeaderless(error)
}
