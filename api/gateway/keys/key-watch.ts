/**
 * Word of keys that change, and of those that end: revoked, or out of their grace.
 *
 * ```
 * change of a key -> NOTIFY with its commit -> every process: forgets what it remembers of the key,
 *                                              ends the streams that stand on it
 * ```
 * Law: a message may be lost. Whenever listening begins anew everything remembered is forgotten; and who
 * watches a key is asked about every few seconds whatever was said.
 */

import type { Log } from '../../../domain/log.ts'
import { startListening } from '../../../sql/listen.ts'
import { query } from '../../../sql/query.ts'

const listenKeys = query<Record<string, never>>('gateway/listen_keys')

/** Milliseconds between two looks whether watched keys have ended. */
export const LOOK_EVERY_MS = 10_000

export type KeyWatch = {
  /**
   * Calls back once when the key has ended: within a second or so of its revocation, within 11 s where the
   * word of it was lost. The answer ends the watch.
   */
  watch(keyId: number, onEnd: () => void): () => void
  end(): Promise<void>
}

export type KeyWatchSources = {
  databaseUrl: string
  /** Lists the given keys that were revoked or expired. */
  listEnded: (keyIds: readonly number[]) => Promise<number[]>
  /** A key was made or changed; without a hash: any may have been. */
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
    look(keyIds).catch((fault) =>
      log.warn({ err: fault }, 'failed to look up watched keys; will retry'),
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
    onLoss: (fault) =>
      log.warn({ err: fault }, 'lost the listener for revoked keys; polling until it reconnects'),
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
