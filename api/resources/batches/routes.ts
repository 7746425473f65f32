/**
 * REST of batches: positions of many pairs of wallet and mint, summaries of many wallets. A batch is one request and one
 * statement.
 *
 * Decision: docs/decisions/0050-batches-are-posts-that-read.md
 */
import { READ_ERRORS } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { readPastSummaries } from '../summary/past.ts'
import { readSummaries } from '../summary/read.ts'
import { SUMMARY_MEANING } from '../summary/routes.ts'
import { presentPairs, presentWallets } from './present.ts'
import { readPairs, readPastPairs } from './read.ts'
import * as schema from './schema.ts'

const family = 'enveloped'
const method = 'post'
const errors = [...READ_ERRORS, 'AS_OF_TOO_COSTLY'] as const
const MEANING =
  'Positions as `/v2/pnl/wallets/{wallet}/positions` shows them, open and closed, in the order of the request; ' +
  'null where the wallet never traded the mint. One request, however many positions.'

const ofPairs = route({
  path: '/v2/pnl/positions/batch',
  operationId: 'getPositionsBatch',
  isOfHistory: true,
  graphqlField: 'positionBatch',
  method,
  family,
  summary: 'Positions of many pairs of wallet and mint',
  description: MEANING,
  parameters: schema.noParameters,
  body: schema.pairsBody,
  answer: schema.positionBatch,
  errors,
  example: ({ wallet, mint }) => ({ pairs: [{ wallet, mint }], pnl_mode: 'strict' }),
  read: async ({ pairs, pnl_mode }, db) => presentPairs(pnl_mode, await readPairs(db, pairs)),
  readAsOf: async ({ pairs, pnl_mode }, past) =>
    presentPairs(pnl_mode, await readPastPairs(past, pairs)),
})

const ofWallet = route({
  path: '/wallets/{w}/positions/batch',
  operationId: 'getWalletPositionsBatch',
  isOfHistory: true,
  graphqlField: 'walletPositionBatch',
  method,
  family,
  summary: 'Positions of a wallet in many mints',
  description: MEANING,
  parameters: schema.ofWallet,
  body: schema.mintsBody,
  answer: schema.positionBatch,
  errors,
  example: ({ wallet, otherMint, mint }) => ({
    w: wallet,
    mints: [mint, otherMint],
    pnl_mode: 'strict',
  }),
  read: async ({ w, mints, pnl_mode }, db) =>
    presentPairs(pnl_mode, await readPairs(db, pairsOf([w], mints))),
  readAsOf: async ({ w, mints, pnl_mode }, past) =>
    presentPairs(pnl_mode, await readPastPairs(past, pairsOf([w], mints))),
})

const ofToken = route({
  path: '/tokens/{t}/positions/batch',
  operationId: 'getTokenPositionsBatch',
  isOfHistory: true,
  graphqlField: 'tokenPositionBatch',
  method,
  family,
  summary: 'Positions of many wallets in a mint',
  description: MEANING,
  parameters: schema.ofToken,
  body: schema.walletsBody,
  answer: schema.positionBatch,
  errors,
  example: ({ wallet, mint }) => ({ t: mint, wallets: [wallet], pnl_mode: 'strict' }),
  read: async ({ t, wallets, pnl_mode }, db) =>
    presentPairs(pnl_mode, await readPairs(db, pairsOf(wallets, [t]))),
  readAsOf: async ({ t, wallets, pnl_mode }, past) =>
    presentPairs(pnl_mode, await readPastPairs(past, pairsOf(wallets, [t]))),
})

const ofWallets = route({
  path: '/wallets/batch',
  operationId: 'getWalletsBatch',
  isOfHistory: true,
  graphqlField: 'walletBatch',
  method,
  family,
  summary: 'Summaries of many wallets',
  description: `${SUMMARY_MEANING}In the order of the request; null for a wallet that never traded.`,
  parameters: schema.noParameters,
  body: schema.summariesBody,
  answer: schema.walletBatch,
  errors,
  example: ({ wallet }) => ({ wallets: [wallet] }),
  read: async ({ wallets }, db) => presentWallets(wallets, await readSummaries(db, wallets)),
  readAsOf: async ({ wallets }, past) =>
    presentWallets(wallets, await readPastSummaries(past, wallets)),
})

/** Each wallet with each mint. */
function pairsOf(wallets: readonly string[], mints: readonly string[]) {
  return wallets.flatMap((wallet) => mints.map((mint) => ({ wallet, mint })))
}

export const batchRoutes: readonly Route[] = [ofPairs, ofWallet, ofToken, ofWallets]
