/** Requests to an API that runs as a process, with the deadlines of an installation, on a machine that may be busy. */
import { setTimeout as pause } from 'node:timers/promises'

const BOUND_MS = 60_000
const PAUSE_MS = 200
/** Statuses of an API without a connection or time for a request, which is to be sent again. */
const BUSY: ReadonlySet<number> = new Set([503, 504])

/** The answer to a GET, sent again for as long as the API is busy. */
export async function patientAnswer(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const endsAt = performance.now() + BOUND_MS
  for (;;) {
    const answer = await fetch(url, { headers })
    if (!BUSY.has(answer.status) || performance.now() > endsAt) return answer
    await answer.body?.cancel()
    await pause(PAUSE_MS)
  }
}

/**
 * Uses up the quota of a key, and all of it that becomes free, until it is ended: a slow machine would not reach it by a
 * count of requests.
 */
export function spendQuota(url: string, key: string) {
  let isRefused = false
  let isOver = false
  const request = async (): Promise<void> => {
    const answer = await fetch(`${url}/api/v1/stats`, { headers: { 'X-API-Key': key } })
    await answer.body?.cancel()
    if (answer.status === 429) isRefused = true
  }
  const spending = (async () => {
    while (!isOver) await Promise.all(Array.from({ length: 40 }, request))
  })()
  return {
    isRefused: () => isRefused,
    async end(): Promise<void> {
      isOver = true
      await spending
    },
  }
}
