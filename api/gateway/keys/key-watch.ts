/**
 * Propagates changes of keys to every process: invalidates cached keys, and ends the streams of keys that were revoked
 * or whose grace period is over.
 *
 * ```
 * change of a key -> NOTIFY on commit -> every process: invalidates the cached key, ends its streams
 * ```
 * Invariant: a lost notification only delays this. The whole key cache is invalidated whenever the listener
 * reconnects, and keys with open streams are polled every 10 s in any case.
 */

import type { Log } from '../../../domain/log.ts'
import { startListening } from '../../../sql/listen.ts'
import { query } from '../../../sql/query.ts'

const listenKeys = query<Record<string, never>>('gateway/listen_keys')

/** Milliseconds between two polls of the watched keys. */
const LOOK_EVERY_MS = 10_000

export type KeyWatch = {
  /**
   * Calls back once when the key has ended: within about a second of its revocation, within 11 s if the notification
   * was lost. The result ends the watch.
   */
  watch(keyId: number, onEnd: () => void): () => void
  end(): Promise<void>
}

type KeyWatchSources = {
  databaseUrl: string
  /** Lists the given keys that were revoked or expired. */
  listEnded: (keyIds: readonly number[]) => Promise<number[]>
  /** Invalidates the cached key of this hash; without a hash, all of them. */
  forget: (hash?: Buffer) => void
  log: Log
}

export function openKeyWatch({ databaseUrl, listEnded, forget, log }: KeyWatchSources): KeyWatch {
  const watched = new Map<number, Set<() => void>>()

  const look = async (keyIds: readonly number[]): Promise<void> => {
    if (keyIds.length === 0) return
    for (const keyId of await listEnded(keyIds)) {
      const listeners = watched.get(keyId) ?? []
      watched.delete(keyId)
      for (const onEnd of listeners) onEnd()
    }
  }
  // A failed look-up is repeated by the next poll.
  const lookAgain = (keyIds: readonly number[]): void => {
    look(keyIds).catch((error) =>
      log.warn({ err: error }, 'failed to look up watched keys; will retry'),
    )
  }
  const listening = startListening({
    databaseUrl,
    listen: listenKeys,
    applicationName: 'swaptide api keys',
    onStart() {
      forget()
      lookAgain([...watched.keys()])
    },
    onMessage(text) {
      const [id = '', hash = ''] = text.split(' ')
      forget(Buffer.from(hash, 'hex'))
      if (watched.has(Number(id))) lookAgain([Number(id)])
    },
    onLoss: (error) =>
      log.warn({ err: error }, 'lost the listener for revoked keys; polling until it reconnects'),
  })
  const timer = setInterval(() => lookAgain([...watched.keys()]), LOOK_EVERY_MS)

  return {
    watch(keyId, onEnd) {
      const listeners = watched.get(keyId) ?? new Set()
      watched.set(keyId, listeners.add(onEnd))
      return () => {
        listeners.delete(onEnd)
        if (listeners.size === 0 && watched.get(keyId) === listeners) watched.delete(keyId)
      }
    },
    async end() {
      clearInterval(timer)
      await listening.end()
    },
  }
}
