/**
 * Requests to the public API, like those of every client. The browser's session is the key: no script ever has it, except
 * while a person pastes one.
 */

import type { Answers } from './answers.ts'
import { parseExact } from './exact-json.ts'

export type ProblemKind =
  /** No key, or one that is not valid any more. */
  | 'key'
  /** Over the limit of the tier. */
  | 'limited'
  | 'unreachable'
  /** An error of the server itself, which may be gone at the next attempt. */
  | 'failed'
  | 'unknown'
  | 'refused'

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

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>

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

/** Parameters in braces go into the path, the rest into the query. Rejects with Problem. */
export async function get<Path extends keyof Answers>(
  path: Path,
  parameters: Parameters = {},
  signal?: AbortSignal,
): Promise<Answers[Path]> {
  const query = new URLSearchParams()
  let filled: string = path
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    const part = `{${name}}`
    if (filled.includes(part)) filled = filled.replace(part, encodeURIComponent(String(value)))
    else query.set(name, String(value))
  }
  const search = query.size === 0 ? '' : `?${query}`
  const response = await send(filled + search, signal === undefined ? {} : { signal })
  return parseExact(await response.text()) as Answers[Path]
}

/** Exchanges a key for a session of this browser. Rejects with Problem. */
export async function signIn(key: string): Promise<void> {
  await send(SESSION_PATH, { method: 'POST', headers: { 'X-API-Key': key } })
}

export async function signOut(): Promise<void> {
  await send(SESSION_PATH, { method: 'DELETE' })
}

async function send(url: string, options: RequestInit): Promise<Response> {
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
  const text = await response.text()
  try {
    const { error, message } = JSON.parse(text)
    return String(error?.message ?? message ?? error)
  } catch {
    return `the server answered with status ${response.status}`
  }
}
