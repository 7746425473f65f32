/** REST of a wallet's tags; a first read enqueues the profile. */

import type { Log } from '../../../domain/log.ts'
import { areTagsDue, TAG_WORDS, THRESHOLDS } from '../../../domain/wallet/wallet-tag.ts'
import type { JobRequests } from '../../../streams/jobs/job.ts'
import { type Route, route } from '../../routing/route.ts'
import { presentTags } from './present.ts'
import { readTags } from './read.ts'
import { ofTags, walletTags } from './schema.ts'

type TagDeps = { jobs: JobRequests | undefined; now: () => number; log: Log }

export function tagRoutes({ jobs, now, log }: TagDeps): readonly Route[] {
  let isQueued = true
  /** Fire and forget: a failure to enqueue is logged once, and the next read tries again. */
  const requestProfile = async (wallet: string): Promise<void> => {
    try {
      await jobs?.request('wallet-tags', { wallet })
      isQueued = true
    } catch (error) {
      if (isQueued) log.warn({ err: error, wallet }, 'failed to enqueue a wallet profile')
      isQueued = false
    }
  }
  const tags = route({
    path: '/wallets/{wallet}/tags',
    operationId: 'getWalletTags',
    isOnPages: true,
    isOfHistory: true,
    graphqlField: 'walletTags',
    tool: { listedAt: 270 },
    family: 'enveloped',
    summary: 'Tags of a wallet, by mint',
    description:
      `sniper: bought ${TAG_WORDS.sniper} indexed swap of the mint. insider: created the ` +
      'mint, or bought in the creation transaction, or in its slot before any unrelated buyer. ' +
      `whale: one ${TAG_WORDS.buyOfWhale} or ${TAG_WORDS.openWhale}. smart_money: ${TAG_WORDS.smartMoney}; ` +
      `its ${THRESHOLDS.smartMoney.mintsMax} best mints. Computed in the background: a ` +
      'first read answers with computed_at 0 and requests a profile, which is ready seconds later; ' +
      'a profile of more than an hour is computed again when it is read. An unknown wallet has none.',
    parameters: ofTags,
    answer: walletTags,
    errors: ['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
    example: ({ wallet }) => ({ wallet }),
    read: async ({ wallet }, db) => {
      const read = await readTags(db, wallet)
      if (read !== undefined && areTagsDue(read.computedMs, now())) void requestProfile(wallet)
      return presentTags(wallet, read)
    },
  })
  return [tags]
}
