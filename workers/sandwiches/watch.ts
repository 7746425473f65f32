/**
 * Follows the pool lanes while they commit, without a poll: a commit notifies where no slots were noted, and what was noted meanwhile is
 * followed together, a run every some seconds. Each run reads pools around its slots, so that many slots in one run cost less.
 *
 * Law: a notification may be lost, with its connection or between two commits: the caller follows now and then, whatever happens.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../domain/log.ts'
import type { Db } from '../../sql/db.ts'
import { startListening } from '../../sql/listen.ts'
import { query } from '../../sql/query.ts'
import { followSandwiches } from './follow.ts'

/** A run that reads history ends after this time, and the next one continues: a process that stops waits for it. */
const FOLLOW_MS = 5_000
/** From the end of a run to the next. */
const APART_MS = 10_000

const listenDue = query<Record<string, never>>('sandwiches/listen_due')

export type Watching = { stop(): Promise<void> }

type WatchOptions = {
  databaseUrl: string
  log: Log
  /** Resolves to whether it followed any slots: then it runs again without a notification. */
  follow: (signal: AbortSignal) => Promise<boolean>
  /** Milliseconds from the end of a run to the next. Absent: 10 s. */
  apartMs?: number
}

/** Follows for some seconds at most. */
export function followForAWhile(db: Db, signal: AbortSignal): Promise<boolean> {
  return followSandwiches(db, AbortSignal.any([signal, AbortSignal.timeout(FOLLOW_MS)]))
}

/** Follows in the background; it never fails, but retries. */
export function watchSandwiches(options: WatchOptions): Watching {
  const { databaseUrl, log, follow, apartMs = APART_MS } = options
  const ending = new AbortController()
  const { signal } = ending
  let noted = Promise.withResolvers<void>()
  const listening = startListening({
    databaseUrl,
    listen: listenDue,
    applicationName: 'swaptide jobs',
    onStart: () => noted.resolve(),
    onMessage: () => noted.resolve(),
    onLoss: (error) =>
      log.warn({ err: error }, 'lost the listener for slots of sandwiches; following each minute'),
  })
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await noted.promise
      if (signal.aborted) return
      noted = Promise.withResolvers()
      const isAgain = await follow(signal).catch((error: unknown) => {
        log.warn({ err: error }, 'failed to follow sandwiches; will retry')
        return true
      })
      if (isAgain) noted.resolve()
      await pause(apartMs, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    async stop() {
      ending.abort()
      noted.resolve()
      await Promise.all([running, listening.end()])
    },
  }
}
