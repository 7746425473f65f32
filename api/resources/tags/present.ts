/** Tags as the interface shows them: times in whole seconds. Pure. */
import type { TagsRead } from './read.ts'
import type { WalletTagsAnswer } from './schema.ts'

const secondsOf = (ms: number): number => Math.floor(ms / 1000)

export function presentTags(wallet: string, read: TagsRead | undefined): WalletTagsAnswer {
  const tags = (read?.rows ?? []).map(({ tag, score, mint, computed_ms }) => ({
    tag,
    score,
    mint,
    computed_at: secondsOf(computed_ms),
  }))
  return { wallet, tags, computed_at: secondsOf(read?.computedMs ?? 0) }
}
