/**
 * One GET of a JSON document at an address that strangers chose, with the rules of webhooks: HTTPS on public addresses,
 * checked where the connection is opened. Bounded in time and bytes; a redirect is followed to the same host only.
 */
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { PrivatePolicy } from '../../domain/webhook-target.ts'
import { guardedLookup, readTarget, TargetRefused } from './target.ts'

export type DocumentBounds = { boundMs?: number; bytesMax?: number }

/** No document, or none of JSON; the text has the reason. */
export class DocumentUnusable extends Error {
  override name = 'DocumentUnusable'
}

const BOUND_MS = 5_000
const BYTES_MAX = 256 * 1024
const HEADER_BYTES_MAX = 16 * 1024
const REDIRECTS_MAX = 3
const USER_AGENT = 'swaptide-metadata/1'

/** Throws DocumentUnusable, TargetRefused, and the reason of the signal. */
export async function getDocument(
  text: string,
  policy: PrivatePolicy,
  signal: AbortSignal,
  { boundMs = BOUND_MS, bytesMax = BYTES_MAX }: DocumentBounds = {},
): Promise<unknown> {
  const bound = AbortSignal.timeout(boundMs)
  const ended = AbortSignal.any([signal, bound])
  try {
    return parse(await follow(readTarget(text, policy), policy, ended, bytesMax))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TargetRefused || error instanceof DocumentUnusable) throw error
    const reason = bound.aborted ? `no answer within ${boundMs} ms` : (error as Error).message
    throw new DocumentUnusable(reason, { cause: error })
  }
}

async function follow(
  first: URL,
  policy: PrivatePolicy,
  signal: AbortSignal,
  bytesMax: number,
): Promise<string> {
  let url = first
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const answer = await send(url, policy, signal)
    const { statusCode: status = 0, headers } = answer
    if (status >= 200 && status < 300) return await textWithin(answer, bytesMax)
    answer.destroy()
    if (status < 300 || status >= 400 || headers.location === undefined) {
      throw new DocumentUnusable(`status ${status}`)
    }
    url = redirected(url, headers.location, policy)
  }
  throw new DocumentUnusable(`more than ${REDIRECTS_MAX} redirects`)
}

/** The same protocol, host and port, checked as the first one. */
function redirected(from: URL, location: string, policy: PrivatePolicy): URL {
  if (!URL.canParse(location, from.href)) throw new DocumentUnusable('redirect without an address')
  const to = new URL(location, from.href)
  if (to.origin !== from.origin) throw new DocumentUnusable('redirect to another host')
  to.hash = ''
  return readTarget(to.href, policy)
}

function send(url: URL, policy: PrivatePolicy, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      lookup: guardedLookup(policy),
      maxHeaderSize: HEADER_BYTES_MAX,
      signal,
      headers: { accept: 'application/json', 'user-agent': USER_AGENT },
    })
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end()
  })
}

async function textWithin(answer: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length
    if (bytes > bytesMax) {
      answer.destroy()
      throw new DocumentUnusable(`more than ${bytesMax} bytes`)
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new DocumentUnusable('not JSON', { cause })
  }
}
