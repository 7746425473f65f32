/**
 * Requests to a Solana node over HTTP: what the providers of balances and mints and the source of blocks have in common.
 * The URL may hold a key, in its path too: messages name the host alone.
 */

import { AnswerTooLong } from './failure.ts'

export type Endpoint = {
  url: string
  host: string
  headers: Readonly<Record<string, string>>
  /** Parts of the URL that may be a key. */
  secrets: readonly string[]
}

/** Shorter parts of a path are words such as `v2`. */
const SECRET_LENGTH_MIN = 8

/** fetch accepts no password in a URL. */
export function endpointOf(rpcUrl: string): Endpoint {
  const url = new URL(rpcUrl)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const secrets = [url.username, url.password, ...url.searchParams.values()]
    .concat(url.pathname.split('/').filter(({ length }) => length >= SECRET_LENGTH_MIN))
    .filter((part) => part !== '')
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    url.username = ''
    url.password = ''
  }
  return { url: url.href, host: url.host, headers, secrets }
}

/** A text without the keys of the URL: a node may repeat one in its error. */
export function withoutSecrets({ secrets }: Endpoint, text: string): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}

/** The response of a POST. fetch requests and unpacks gzip by itself; redirects could leak a key and are not followed. */
export function post(
  { url, headers }: Endpoint,
  question: object,
  signal: AbortSignal,
): Promise<Response> {
  const body = JSON.stringify(question)
  return fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
}

/** Text of an unpacked body. Throws AnswerTooLong. */
export async function readBounded({ body }: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new AnswerTooLong(`answer of more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes).toString('utf8')
}
