/**
 * A client of REST that reads without a pause from several APIs in turn, as through a balancer, and tries a request that
 * failed once more, on the next API.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'

type RestReader = {
  /** Answers by status. */
  answered: Map<number, number>
  /** Requests that were tried once more, and why: a status with its message, or the code of a cut connection. */
  retried: Map<string, number>
  /** Requests that failed twice. */
  failed: string[]
  stop(): Promise<void>
}

type RestReaderOptions = {
  ports: readonly number[]
  key: string
  paths: readonly string[]
}

const REQUEST_MS_MAX = 30_000

export function readRest(
  t: ExecutionContext,
  { ports, key, paths }: RestReaderOptions,
): RestReader {
  const answered = new Map<number, number>()
  const retried = new Map<string, number>()
  const failed: string[] = []
  let isStopped = false
  const request = async (round: number): Promise<string | undefined> => {
    const url = `http://127.0.0.1:${ports[round % ports.length]}${paths[round % paths.length]}`
    const signal = AbortSignal.timeout(REQUEST_MS_MAX)
    try {
      const answer = await fetch(url, { headers: { 'X-API-Key': key }, signal })
      const body = await answer.text()
      count(answered, answer.status)
      if (answer.ok) return undefined
      // A client that is refused for a while comes again when it may.
      await pause(1_000 * Number(answer.headers.get('retry-after') ?? 0))
      return `${answer.status} ${messageOf(body)}`
    } catch (error) {
      const { code } = ((error as Error).cause ?? error) as { code?: string }
      return code ?? String(error)
    }
  }
  const reading = (async () => {
    for (let tick = 0; !isStopped; tick++) {
      const reason = await request(tick)
      if (reason === undefined) continue
      count(retried, reason)
      // The next API, with the same path.
      const again = await request(tick + paths.length)
      if (again !== undefined)
        failed.push(`${paths[tick % paths.length]}: ${reason}, then ${again}`)
    }
  })()
  const stop = async (): Promise<void> => {
    isStopped = true
    await reading
  }
  t.teardown(stop)
  return { answered, retried, failed, stop }
}

/** The message of an error in either shape, or the beginning of another text. */
function messageOf(body: string): string {
  const { message } = /"message":"(?<message>[^"]*)/.exec(body)?.groups ?? {}
  return message ?? body.slice(0, 200)
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
