/** /admin/v1/kols: wallets of people who are known. Every change is written to the audit. */
import { kolOf } from '../../../streams/ingest/kol-line.ts'
import { listKols, removeKol, storeKol } from '../../resources/leaderboard/kols.ts'
import { ApiError } from '../../routing/error.ts'
import { decodeCursor } from '../../routing/reading/cursor.ts'
import { type Route, route } from '../../routing/route.ts'
import { BY, changing, common, refusalOf } from '../operator-route.ts'
import { KOLS, presentKols } from './present.ts'
import { kolList, kolParameters, newKol, ofKol, removedKol, storedKol } from './schema.ts'

export const kolRoutes: readonly Route[] = [
  route({
    ...common,
    path: '/admin/v1/kols',
    operationId: 'listKols',
    summary: 'Wallets of known people, by address',
    parameters: kolParameters,
    answer: kolList,
    example: { limit: 10 },
    async read({ limit, cursor }, db) {
      const [after = ''] = cursor === undefined ? [] : decodeCursor(KOLS, cursor, 1)
      return presentKols(await listKols(db, after, limit), limit)
    },
  }),
  route({
    ...changing,
    method: 'put',
    errors: [...common.errors, 'FORBIDDEN', 'MISSING_PARAM'],
    path: '/admin/v1/kols/{wallet}',
    operationId: 'storeKol',
    summary: 'Adds a KOL, or changes it',
    parameters: newKol,
    answer: storedKol,
    example: ({ wallet }) => ({
      wallet,
      display_name: 'Ann',
      twitter_handle: 'ann',
    }),
    async read(fields, db) {
      const read = kolOf(fields)
      if ('refusals' in read) throw refusalOf(read.refusals)
      // One KOL by hand: a handle that cannot be used is refused, not left out.
      if (read.warnings !== undefined) throw refusalOf(read.warnings)
      const is_new = await storeKol(db, read.kol, BY)
      const { wallet, displayName, twitterHandle = '' } = read.kol
      const stored = { wallet, display_name: displayName, twitter_handle: twitterHandle }
      return { success: true as const, data: { ...stored, is_new } }
    },
  }),
  route({
    ...changing,
    method: 'delete',
    path: '/admin/v1/kols/{wallet}',
    operationId: 'removeKol',
    summary: 'Removes a KOL',
    parameters: ofKol,
    answer: removedKol,
    example: ({ wallet }) => ({ wallet }),
    async read({ wallet }, db) {
      if (await removeKol(db, wallet, BY)) {
        return { success: true as const, data: { wallet, removed: true as const } }
      }
      throw new ApiError('NOT_FOUND', `KOL "${wallet}" not found`)
    },
  }),
]
