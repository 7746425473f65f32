/**
 * The result in a node's response, or the error why there is none. A gateway may send errors of JSON-RPC with another
 * status than 200, and the response to another request, which its id shows.
 */
import { isObject } from '../../../domain/text/exact-json.ts'
import { throwIfRefused, UnusableAnswer } from '../rpc-answer.ts'
import { HttpStatus, STATUS_OK, STATUS_THROTTLED } from './failure.ts'
import { readBounded } from './http.ts'

/** The largest blocks are some 20 MB of JSON. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024
const ERROR_BYTES_MAX = 64 * 1024

/** Throws UnusableAnswer, HttpStatus, SyntaxError, AnswerTooLong, and the errors of fetch. */
export async function resultOf(response: Response, id: number): Promise<unknown> {
  const { status } = response
  if (status === STATUS_OK) {
    const answer = JSON.parse(await readBounded(response, ANSWER_BYTES_MAX))
    throwIfRefused(answer)
    if (!isObject(answer) || !('result' in answer)) throw new UnusableAnswer('no result', false)
    if (answer.id !== id) throw new UnusableAnswer('the id of another request', false)
    return answer.result
  }
  if (status === STATUS_THROTTLED) await response.body?.cancel()
  else throwIfRefused(await errorOf(response))
  throw new HttpStatus(status)
}

/** The body as JSON; undefined where it is none. */
async function errorOf(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await readBounded(response, ERROR_BYTES_MAX))
  } catch {
    return undefined
  }
}
