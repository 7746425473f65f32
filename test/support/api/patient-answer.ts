/** Answers of an API that runs as a process, with the deadlines of an installation, on a machine that may be busy. */
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
