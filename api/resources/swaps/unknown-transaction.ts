/** The error of a transaction of which no swap is stored. */
import { storedSince } from '../../../history/sealed/find/stored.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { ApiError } from '../../routing/error.ts'
import { shown } from '../../routing/parameters.ts'

/** Where swaps were dropped, the signature may be that of one of them: the message names the first stored slot. */
export async function unknownTransaction(db: Queryable, signature: string): Promise<ApiError> {
  const since = await storedSince(db)
  const dropped =
    since === undefined ? '' : `; swaps before slot ${since.slot} are no longer stored`
  return new ApiError('NOT_FOUND', `signature "${shown(signature)}" has no indexed swap${dropped}`)
}
