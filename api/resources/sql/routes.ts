/** REST of SQL over the daily files of swaps, for keys with that right. */
import { ApiError } from '../../routing/error.ts'
import { type Route, route } from '../../routing/route.ts'
import { SqlQueries } from './read.ts'
import { noParameters, sqlAnswer, sqlBody } from './schema.ts'

/** `lakeDir`: folder of the daily files; absent: none are offered. */
export function sqlRoutes({ lakeDir }: { lakeDir?: string | undefined }): Route[] {
  const queries = lakeDir === undefined ? undefined : new SqlQueries(lakeDir)
  const sql = route({
    path: '/v2/sql',
    operationId: 'querySql',
    graphqlField: 'sql',
    topic: { listedAt: 48, description: 'SQL over stored swaps' },
    tool: { listedAt: 163 },
    method: 'post',
    family: 'enveloped',
    deadlines: 4,
    summary: 'Answer of a SELECT over all stored swaps',
    description:
      'The table is swaps, a row a swap with the columns of /swaps, of whole UTC days: the last one is of yesterday or before. Needs a key with ' +
      'SQL access. One SELECT of DuckDB, 15 seconds, 512 MiB, 8 MiB of rows. Examples: /docs/sql.md.',
    parameters: noParameters,
    body: sqlBody,
    answer: sqlAnswer,
    rows: null,
    errors: [
      'INVALID_PARAM',
      'MISSING_PARAM',
      'FORBIDDEN',
      'GATEWAY_TIMEOUT',
      'UNAVAILABLE',
      'INTERNAL',
    ],
    example: { sql: 'from swaps select dex, count(*) as swaps group by dex order by dex' },
    respond: async (request, { caller, signal }) => {
      if (queries === undefined) {
        throw new ApiError('FORBIDDEN', 'this installation offers no SQL: LAKE_DIR is not set')
      }
      if (caller.hasSql !== true) {
        throw new ApiError(
          'FORBIDDEN',
          'the key has no SQL access: its operator makes keys that have',
        )
      }
      return await queries.answer(request, signal)
    },
  })
  return [sql]
}
