/**
 * The result in a node's response, or the error why there is none. A gateway may send errors of JSON-RPC with another
 * status than 200, and the response to another request, which its id shows.
 */
import { isObject } from '../../domain/text/exact-json.ts'
import { HttpStatus, STATUS_OK, STATUS_THROTTLED } from './failure.ts'
import type { HttpResponse } from './http.ts'
import { throwIfRefused, UnusableAnswer } from './rpc-answer.ts'

/** The largest blocks are some 20 MB of JSON. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024
const ERROR_BYTES_MAX = 64 * 1024

export type ParseAnswer = (body: Buffer) => unknown

const parseJson: ParseAnswer = (body) => JSON.parse(body.toString('utf8'))

/** `parse` throws SyntaxError. Throws UnusableAnswer, HttpStatus, SyntaxError, and the errors of a response. */
export async function resultOf(
  response: HttpResponse,
  id: number,
  parse = parseJson,
): Promise<unknown> {
  const { status } = response
  if (status === STATUS_OK) {
    const answer = await response.read(ANSWER_BYTES_MAX, parse)
    throwIfRefused(answer)
    if (!isObject(answer) || !('result' in answer)) throw new UnusableAnswer('no result', false)
    if (answer.id !== id) throw new UnusableAnswer('the id of another request', false)
    return answer.result
  }
  if (status === STATUS_THROTTLED) response.discard()
  else throwIfRefused(await errorOf(response))
  throw new HttpStatus(status)
}

/** The body as JSON; undefined where it is none. */
async function errorOf(response: HttpResponse): Promise<unknown> {
  try {
    return await response.read(ERROR_BYTES_MAX, parseJson)
  } catch {
    return undefined
  }
}
