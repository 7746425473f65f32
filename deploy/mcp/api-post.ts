/**
 * Sends messages to /mcp of an API with a key. An answer of JSON-RPC is passed on; all else becomes a reason in one sentence,
 * because it is shown to a language model: without the key, and without the text of a server that is no API.
 */
import type { RpcId } from '../../api/mcp/message.ts'
import { writeExact } from '../../api/routing/json.ts'
import { isObject, type JsonObject, parseExact } from '../../domain/text/exact-json.ts'
import { cut } from '../../domain/text/truncate.ts'
import type { Post } from './relay.ts'

/** Milliseconds: longer than the API lets any request take. */
const TIMEOUT_MS = 60_000
const ACCEPTED = 'application/json, text/event-stream'
const REDIRECTS_MAX = 5
/** The redirects that keep method and body. */
const SAME_REQUEST = new Set([307, 308])

export function apiPost(url: URL, key: string): Post {
  return async ({ id, text, version }, signal) => {
    const headers = {
      ...{ 'X-API-Key': key, 'Content-Type': 'application/json', Accept: ACCEPTED },
      ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
    }
    const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    try {
      const init = { method: 'POST', body: text, headers, signal: until } as const
      const response = await sendWithin(url, init)
      return answerOf(response, await response.text(), id)
    } catch (error) {
      const reason = error instanceof Refused ? error.message : unansweredText(error)
      throw new Error(reason.replaceAll(key, '***'))
    }
  }
}

/** The reason is for the host as it is. */
class Refused extends Error {}

function unansweredText(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string } }
  const reason =
    name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1_000} s` : (cause?.code ?? message)
  return `the API did not answer: ${reason}`
}

/** Follows redirects within the origin: the key is for no other. */
async function sendWithin(url: URL, init: RequestInit): Promise<Response> {
  let target = url
  for (let count = 0; count <= REDIRECTS_MAX; count++) {
    const response = await fetch(target, { ...init, redirect: 'manual' })
    const location = response.headers.get('Location')
    if (response.status < 300 || response.status > 399 || location === null) return response
    await response.body?.cancel()
    target = new URL(location, target)
    if (target.origin !== url.origin || !SAME_REQUEST.has(response.status)) {
      throw new Refused(
        `${url.origin} redirects to ${target.origin} by ${response.status}: name the final address by --url`,
      )
    }
  }
  throw new Refused(`${url.origin} redirects more than ${REDIRECTS_MAX} times`)
}

/** Throws Refused. */
function answerOf({ status }: Response, text: string, id: RpcId): string {
  const answer = objectOf(text)
  if (answer?.jsonrpc === '2.0' && ('result' in answer || 'error' in answer)) {
    // An error about the whole body does not know the request.
    if (answer.id === null) return writeExact({ ...answer, id })
    // A line feed of JSON is white space.
    if (answer.id === id) return text.replaceAll(/[\r\n]+/g, ' ')
  }
  const { code, message } = isObject(answer?.error) ? answer.error : {}
  if (typeof code === 'string' && typeof message === 'string') {
    throw new Refused(`${cut(code)}: ${cut(message)}`)
  }
  throw new Refused(`the server answered with status ${status}, not as an API: check --url`)
}

function objectOf(text: string): JsonObject | undefined {
  try {
    const value = parseExact(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
