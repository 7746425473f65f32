/** Leaders of a back-test by their rank as of a slot at or before its first one, so that they are not chosen by what followed. */
import { rankedHours } from '../../../domain/wallet/leaderboard.ts'
import { query } from '../../../sql/query.ts'
import type { NearReading } from '../../routing/declaration.ts'
import { ApiError } from '../../routing/error.ts'
import { type AsOfReading, type AsOfSource, expectFoldable } from '../../routing/reading/as-of.ts'
import { readPastRanks } from '../leaderboard/past/ranks.ts'
import type { ChosenRequest, CopyRequest } from './schema.ts'

type Leaders = NonNullable<CopyRequest['leaders']>

/** Rows of hours that a request ranks; more are ranked by a job. */
const REQUEST_HOURS_MAX = 200_000
const HINT = 'rank them by POST /v2/asof/leaderboard, and give its wallets'

const countHours = query<{ row_count: number }>('leaderboard/count_hours', { isPlannedAnew: true })

type LeadersReading = Pick<NearReading, 'near' | 'signal'> & {
  /** Milliseconds that a list may search. */
  readonly walkMs: number
  /** Rows of hours that may be ranked; absent: those of a request. */
  readonly hoursMax?: number
}

/** The request with the wallets that it means. Rejects with ApiError. */
export async function withLeaders(
  request: CopyRequest,
  { near, walkMs, signal, hoursMax = REQUEST_HOURS_MAX }: LeadersReading,
  asOf: AsOfSource,
): Promise<ChosenRequest> {
  const { wallets, leaders } = request
  if (wallets !== undefined) {
    if (leaders === undefined) return { ...request, wallets }
    throw new ApiError('INVALID_PARAM', 'wallets and leaders exclude each other')
  }
  if (leaders === undefined) throw new ApiError('MISSING_PARAM', 'wallets or leaders is required')
  const { answer } = await asOf.read(
    { as_of_slot: leaders.as_of_slot },
    { near, signal, walkMs },
    async (past) => {
      await past.expectLedger()
      return await rankedWallets(past, leaders, { signal, hoursMax })
    },
  )
  if (answer.length > 0) return { ...request, wallets: answer }
  throw new ApiError(
    'INVALID_PARAM',
    `leaders: no wallet is ranked as of slot ${leaders.as_of_slot}`,
  )
}

async function rankedWallets(
  past: AsOfReading,
  { period, pnl_mode: mode, top_n: limit }: Leaders,
  { signal, hoursMax }: Required<Pick<LeadersReading, 'signal' | 'hoursMax'>>,
): Promise<string[]> {
  const { db, slot } = past
  const latestMs = await past.latestMs()
  if (latestMs === null) return []
  const { all } = rankedHours(period, latestMs)
  const [counted] = await countHours(db, [all.fromMs, all.toMs, hoursMax + 1])
  if ((counted?.row_count ?? 0) > hoursMax) {
    throw new ApiError(
      'AS_OF_TOO_COSTLY',
      `leaders: the ranking reads more than ${hoursMax} hours of positions: ${HINT}`,
      { details: { rows: hoursMax + 1, limit: hoursMax, hint: HINT } },
    )
  }
  const ranks = await readPastRanks(
    db,
    { slot, latestMs },
    { period, mode, isHonest: true, limit },
    {
      signal,
      onCounted: async ({ swaps }) => {
        expectFoldable(past, swaps, HINT)
      },
    },
  )
  return ranks.map(({ wallet }) => wallet)
}
