/** REST of sandwiches: of a transaction, as a list, in sums, and of a wallet. */
import type { Static } from 'typebox'
import { INT64_MAX } from '../../../domain/amount.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { inSnapshot } from '../../../sql/snapshot.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import { type Route, route } from '../../routing/route.ts'
import { unknownTransaction } from '../swaps/unknown-transaction.ts'
import { type Moment, momentOfNow, momentOfPast } from './moment.ts'
import { presentSandwich, presentSummary, presentTransaction, presentWallet } from './present.ts'
import { concernedBy, readSandwiches, readSettled, readSums, readTransaction } from './read.ts'
import { keyOfSandwichCursor, sandwichCursor } from './sandwich-key.ts'
import * as schema from './schema.ts'

const RULE = 'By the order of trades; intent is not proven. Rule: /docs/semantics.md, Sandwiches.'
const ERRORS = [
  ...(['INVALID_PARAM', 'GATEWAY_TIMEOUT', 'UNAVAILABLE', 'INTERNAL'] as const),
  'AS_OF_TOO_COSTLY',
] as const
/** Days of a wallet: ten years. */
const DAYS_MAX = 3_660

/** The same answer of now and as of a slot. */
const ofMoments = <Parameters, Answer>(
  answer: (parameters: Parameters, moment: Moment) => Promise<Answer>,
) => ({
  read: (parameters: Parameters, db: Queryable): Promise<Answer> =>
    inSnapshot(db, async () => answer(parameters, await momentOfNow(db))),
  readAsOf: async (parameters: Parameters, past: AsOfReading): Promise<Answer> =>
    answer(parameters, await momentOfPast(past)),
})

const ofTransaction = route({
  path: '/v2/mev/tx/{signature}',
  operationId: 'getTransactionMev',
  isOnPages: true,
  graphqlField: 'mevTransaction',
  topic: { listedAt: 47, description: 'Sandwiches and what they took' },
  tool: { listedAt: 158 },
  family: 'enveloped',
  summary: 'Part of a transaction in sandwiches, and what it lost',
  description:
    'Each swap of the transaction with its part: front or back leg of an attacker, victim with its loss, back-run, or none. A loss is ' +
    `exact where the pool can be run again without the attacker, else within bounds. 404: no indexed swap. ${RULE}`,
  parameters: schema.ofTransaction,
  answer: schema.transactionAnswer,
  errors: [...ERRORS, 'NOT_FOUND'],
  example: ({ signature }) => ({ signature }),
  ...ofMoments(async ({ signature }: { signature: string }, moment) => {
    const read = await readTransaction(moment, signature)
    if (read !== undefined) return presentTransaction(signature, read)
    throw await unknownTransaction(moment.db, signature)
  }),
})

const list = route({
  path: '/v2/mev/sandwiches',
  operationId: 'listSandwiches',
  graphqlField: 'mevSandwiches',
  tool: { listedAt: 159 },
  family: 'enveloped',
  summary: 'Sandwiches with their legs, victims and losses',
  description:
    'By their first legs. Those that sums do not count (of several slots or of two wallets, without repeats) are listed with include=wide, ' +
    `brackets that are no sandwiches, with the reason, with rejected=true. ${RULE}`,
  parameters: schema.listed,
  answer: schema.sandwichList,
  rows: 'data',
  errors: ERRORS,
  example: { limit: 1 },
  ...ofMoments(
    async ({ limit, cursor, order, ...filter }: Static<typeof schema.listed>, moment) => {
      const beginning = order === 'asc' ? [-1, -1, -1, '', ''] : [INT64_MAX, 0, 0, '', '']
      const after = cursor === undefined ? beginning : keyOfSandwichCursor(order, cursor)
      const until = order === 'desc' && cursor !== undefined ? Number(after[0]) : moment.slot
      const concerned = { ...concernedBy(filter), isRefused: filter.rejected }
      const shown = await moment.shown(until, concerned)
      const rows = await readSandwiches(shown, filter, { order, after, rows: limit + 1 })
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        success: true as const,
        data: page.map(presentSandwich),
        next_cursor: last === undefined ? null : sandwichCursor(order, last),
      }
    },
  ),
})

const summary = route({
  path: '/v2/mev/summary',
  operationId: 'getMevSummary',
  isOnPages: true,
  graphqlField: 'mevSummary',
  tool: { listedAt: 161 },
  family: 'enveloped',
  summary: 'Sums of what sandwiches took, by day, wallet, token, pool, attacker or venue',
  description:
    'Sums over victims in a period. A sandwich of two attackers is summed for each. Sandwiches of several slots or of two wallets are counted ' +
    `where their wallets repeat, and all of them with include=wide. ${RULE}`,
  parameters: schema.summed,
  answer: schema.summaryAnswer,
  rows: 'rows',
  errors: ERRORS,
  example: { by: 'day', limit: 3 },
  ...ofMoments(async ({ by, limit, ...filter }: Static<typeof schema.summed>, moment) => {
    const shown = await moment.shown(moment.slot, concernedBy(filter))
    const total = await readSums(shown, 'all', filter, 1)
    const rows = await readSums(shown, by, filter, limit)
    return presentSummary({ by, to: filter.to, total, rows, settled: await readSettled(moment) })
  }),
})

const ofWallet = route({
  path: '/v2/mev/wallets/{wallet}',
  operationId: 'getWalletMev',
  isOnPages: true,
  graphqlField: 'mevWallet',
  tool: { listedAt: 162 },
  family: 'enveloped',
  summary: 'Losses of a wallet to sandwiches, and what it took by its own',
  description: `In all and by day; an unknown wallet has neither. ${RULE}`,
  parameters: schema.ofWallet,
  answer: schema.walletAnswer,
  rows: 'days',
  errors: ERRORS,
  example: ({ wallet }) => ({ wallet }),
  ...ofMoments(async ({ wallet, ...period }: Static<typeof schema.ofWallet>, moment) => {
    const shown = await moment.shown(moment.slot, concernedBy({ wallet }))
    const sumsOf = async (who: { wallet: string } | { attacker: string }) => ({
      total: await readSums(shown, 'all', { ...period, ...who }, 1),
      days: await readSums(shown, 'day', { ...period, ...who }, DAYS_MAX),
    })
    const suffered = await sumsOf({ wallet })
    const made = await sumsOf({ attacker: wallet })
    const state = { settled: await readSettled(moment), to: period.to }
    return presentWallet(wallet, { suffered, made }, state)
  }),
})

export const mevRoutes: readonly Route[] = [ofTransaction, list, summary, ofWallet]
