/** Files of a mirror by HTTP: through the caller's proxies, with redirects, bounded in bytes and silence. */
import { createHash } from 'node:crypto'
import { get as getHttp, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { get as getHttps, Agent as HttpsAgent } from 'node:https'

type Env = Readonly<Record<string, string>>

export class FetchFailed extends Error {
  override name = 'FetchFailed'
  /** Status of the answer; undefined: there was none. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

const SILENCE_MS_MAX = 30_000
const REDIRECTS_MAX = 5
const ATTEMPTS = 3

export type FileFetcher = {
  /** At most `bytesMax` bytes. Rejects with FetchFailed. */
  text(url: string, bytesMax: number): Promise<string>
  /** Rejects with FetchFailed, also where size or hash differ. */
  proven(url: string, expected: { size: number; sha256: string }): Promise<Buffer>
  close(): void
}

/** `env`: variables that name proxies. */
export function fileFetcher(env: Env): FileFetcher {
  const options = { keepAlive: true, maxSockets: 4, proxyEnv: { ...env } }
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
  const fetchBytes = async (url: string, bytesMax: number): Promise<Buffer> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await received(new URL(url), bytesMax, agents, REDIRECTS_MAX)
      } catch (error) {
        const status = error instanceof FetchFailed ? error.status : undefined
        const isFinal = status !== undefined && status < 500
        if (isFinal || attempt === ATTEMPTS) throw failureOf(url, error as Error)
      }
    }
  }
  return {
    text: async (url, bytesMax) => (await fetchBytes(url, bytesMax)).toString('utf8'),
    async proven(url, { size, sha256 }) {
      const bytes = await fetchBytes(url, size)
      if (bytes.length < size) {
        throw new FetchFailed(`${url}: ${bytes.length} bytes of ${size}: the file is cut`)
      }
      const found = createHash('sha256').update(bytes).digest('hex')
      if (found !== sha256)
        throw new FetchFailed(`${url}: its SHA-256 is not the one that was signed`)
      return bytes
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const failureOf = (url: string, error: Error): FetchFailed =>
  error instanceof FetchFailed ? error : new FetchFailed(`${url}: ${error.message}`)

type Agents = { 'http:': HttpAgent; 'https:': HttpsAgent }

async function received(
  url: URL,
  bytesMax: number,
  agents: Agents,
  redirects: number,
): Promise<Buffer> {
  const response = await answerOf(url, agents)
  const { statusCode: status = 0, headers } = response
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    response.destroy()
    if (redirects === 0) throw new FetchFailed(`${url}: too many redirects`, status)
    return await received(new URL(headers.location, url), bytesMax, agents, redirects - 1)
  }
  if (status !== 200) {
    response.destroy()
    throw new FetchFailed(`${url}: HTTP status ${status}`, status)
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) {
      throw new FetchFailed(`${url}: more than the ${bytesMax} bytes expected`, status)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function answerOf(url: URL, agents: Agents): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? getHttps(url, { agent: agents['https:'] }, resolve)
        : url.protocol === 'http:'
          ? getHttp(url, { agent: agents['http:'] }, resolve)
          : undefined
    if (request === undefined) return reject(new FetchFailed(`${url}: expected http or https`, 0))
    request.setTimeout(SILENCE_MS_MAX, () =>
      request.destroy(new Error(`no byte for ${SILENCE_MS_MAX / 1_000} s`)),
    )
    request.once('error', reject)
  })
}
