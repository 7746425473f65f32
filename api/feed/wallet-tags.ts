/**
 * Tags of wallets in memory, for streams that filter by them: read while there are any, and every few
 * seconds what was computed since.
 *
 * A tag counts for all swaps of its wallet. Swaps are judged by the tags that their wallets have when they
 * are sent, in a replay too: FEED does not carry tags.
 */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Log } from '../../streams/log.ts'
import type { Tag } from '../../streams/wallet-tag.ts'

type TaggedWallet = { wallet: string; computed_ms: number; tags: Tag[] }

const listTaggedWallets = query<TaggedWallet>('feed/list_tagged_wallets')

const REFRESH_MS = 5_000
/** Milliseconds that a commit may come later than the time in its rows, and clocks may differ. */
const OVERLAP_MS = 120_000
const NONE: readonly Tag[] = []

export type WalletTags = {
  /** Resolves when tags are known; the answer says that they are not needed any more. */
  use(): Promise<() => void>
  of(wallet: string): readonly Tag[]
}

export type WalletTagsSources = {
  run: <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>
  log: Log
  refreshMs?: number
}

export function createWalletTags({
  run,
  log,
  refreshMs = REFRESH_MS,
}: WalletTagsSources): WalletTags {
  let tags = new Map<string, readonly Tag[]>()
  let userCount = 0
  let newestMs = 0
  let loading: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const load = async (): Promise<void> => {
    const rows = await run((db) => listTaggedWallets(db, [Math.max(0, newestMs - OVERLAP_MS)]))
    for (const row of rows) {
      if (row.tags.length === 0) tags.delete(row.wallet)
      else tags.set(row.wallet, row.tags)
      newestMs = Math.max(newestMs, row.computed_ms)
    }
  }
  const refresh = (): void => {
    load().catch((fault) =>
      log.warn({ err: fault }, 'tags of wallets cannot be read: older ones stand'),
    )
  }
  const leave = (): void => {
    userCount--
    if (userCount > 0) return
    clearInterval(timer)
    tags = new Map()
    newestMs = 0
    loading = undefined
  }

  return {
    async use() {
      userCount++
      if (userCount === 1) {
        loading = load()
        timer = setInterval(refresh, refreshMs)
        timer.unref()
      }
      try {
        await loading
      } catch (fault) {
        leave()
        throw fault
      }
      let isUsed = true
      return () => {
        if (isUsed) leave()
        isUsed = false
      }
    },
    of: (wallet) => tags.get(wallet) ?? NONE,
  }
}
