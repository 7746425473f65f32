// The leaderboard of one database by two APIs: one that computes it, one that serves stored rankings.

import type { ExecutionContext } from 'ava'
import { type Api, startApi } from '../../../../api/main.ts'
import type { LeaderboardAnswer } from '../../../../api/resources/leaderboard/schema.ts'
import { apiUnderTest, PATIENT, SILENT } from '../../../support/api/api-under-test.ts'

export const PATH = '/v2/pnl/leaderboard/top'

export const times = <Made>(count: number, make: (n: number) => Made): Made[] =>
  Array.from({ length: count }, (_, n) => make(n))

/** The API for small windows, and one that serves only stored rankings. */
export async function bothApis(t: ExecutionContext) {
  const under = await apiUnderTest(t)
  const { databaseUrl, key } = under
  const stored: Api = await startApi({
    ...{ databaseUrl, port: 0, log: SILENT, directRowsMax: 0 },
    ...PATIENT,
  })
  t.teardown(() => stored.stop())
  const getStored = async (query: string) => {
    const response = await fetch(`${stored.url}${PATH}?${query}`, { headers: { 'X-API-Key': key } })
    return { status: response.status, body: (await response.json()) as LeaderboardAnswer }
  }
  const getDirect = async (query: string) => {
    const { status, body } = await under.get(`${PATH}?${query}`)
    return { status, body: body as unknown as LeaderboardAnswer }
  }
  return { ...under, getDirect, getStored }
}
