/**
 * Requests to the public API, like those of every client. The browser's session is the key: no script ever has it, except
 * while a person pastes one.
 */

import {
  type Answer,
  call,
  type OperationId,
  type Parameters,
  SwaptideError,
} from '../../clients/typescript/request.ts'

export type { Answer, Parameters } from '../../clients/typescript/request.ts'

type ProblemKind =
  /** No key, or one that is not valid any more. */
  | 'key'
  /** Over the limit of the tier. */
  | 'limited'
  | 'unreachable'
  /** An error of the server itself, which may be gone at the next attempt. */
  | 'failed'
  | 'unknown'
  /** More swaps to fold than a request may, as of a slot. */
  | 'too-costly'
  /** Replaced by a later value, as of a slot. */
  | 'not-stored'
  | 'refused'

/** Problems of a request as of a slot that the same request of now does not have. */
export const NOT_OF_SLOT = ['too-costly', 'not-stored'] as const

/** A request without an answer. `waitMs`: how long the server wants to be left alone. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly waitMs: number

  constructor(kind: ProblemKind, text: string, waitMs = 0) {
    super(text)
    this.kind = kind
    this.waitMs = waitMs
  }
}

const SESSION_PATH = '/session'
const SECOND_MS = 1_000
const SERVER_ERROR = 500
const KINDS: Readonly<Record<number, ProblemKind>> = {
  401: 'key',
  404: 'unknown',
  429: 'limited',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
}

/** A parameter that is left out may be undefined, and a number the text of the address, which the API checks. */
export type Given<Id extends OperationId> = {
  [Name in keyof Parameters<Id>]: Parameters<Id>[Name] | undefined | TextOf<Parameters<Id>[Name]>
}
type TextOf<Value> = NonNullable<Value> extends number | bigint ? string : never

/** A late swap changes answers as of a slot for which the browser would store them: the figures of a page must be of one state. */
const revalidate: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' })

/** One attempt: the page itself tries again, and shows the wait. Rejects with Problem. */
export async function get<Id extends OperationId>(
  id: Id,
  parameters: Given<Id>,
  signal?: AbortSignal,
): Promise<Answer<Id>> {
  const options = { url: '', retries: 0, ...('as_of_slot' in parameters && { fetch: revalidate }) }
  try {
    return await call(
      options,
      id,
      parameters as Parameters<Id>,
      signal === undefined ? {} : { signal },
    )
  } catch (error) {
    if (signal?.aborted) throw error
    throw problemOf(error)
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof SyntaxError) return new Problem('failed', 'the answer cannot be read')
  if (!(error instanceof SwaptideError)) {
    return new Problem('unreachable', 'the server does not answer')
  }
  const { status, code, message, retryAfterMs } = error
  if (code === 'AS_OF_TOO_COSTLY') return new Problem('too-costly', message)
  if (code === 'AS_OF_UNSUPPORTED') return new Problem('not-stored', message)
  const usual = status >= SERVER_ERROR ? 'failed' : 'refused'
  return new Problem(KINDS[status] ?? usual, message, retryAfterMs)
}

/** Answer of a route that the client does not have: of operators. Rejects with Problem. */
export async function readJson<Value>(path: string, options: RequestInit = {}): Promise<Value> {
  const response = await send(path, options)
  try {
    return (await response.json()) as Value
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    throw problemOf(cause)
  }
}

/** Exchanges a key for a session of this browser. Rejects with Problem. */
export async function signIn(key: string): Promise<void> {
  await send(SESSION_PATH, { method: 'POST', headers: { 'X-API-Key': key } })
}

export async function signOut(): Promise<void> {
  await send(SESSION_PATH, { method: 'DELETE' })
}

/** The answer of a path without parameters of the client. Rejects with Problem. */
export async function send(url: string, options: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, {
      ...options,
      headers: { Accept: 'application/json', ...options.headers },
    })
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    throw new Problem('unreachable', 'the server does not answer')
  }
  if (response.ok) return response
  const wait = Number(response.headers.get('Retry-After') ?? 0) * SECOND_MS
  const usual = response.status >= SERVER_ERROR ? 'failed' : 'refused'
  throw new Problem(KINDS[response.status] ?? usual, await textOf(response), wait)
}

/** The text of an error in each of the shapes of the API. */
async function textOf(response: Response): Promise<string> {
  try {
    const { error, message } = await response.json()
    return String(error?.message ?? message ?? error)
  } catch {
    return `the server answered with status ${response.status}`
  }
}
