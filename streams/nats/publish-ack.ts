/** Decodes the acknowledgement of a JetStream publish. Pure. */
import { Buffer } from 'node:buffer'

/** The stream refuses for now because it is full (or the server's disk is). */
export class StreamFull extends Error {}
/** Another publisher wrote to the subject in between: the publisher may have lost its lane. */
export class WrongLastSequence extends Error {}
/** No answer in time, or no connection for one: whether the message was stored is unknown. */
export class PublishUnanswered extends Error {}
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

/** Throws one of the four errors above. */
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
