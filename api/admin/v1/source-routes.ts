/** /admin/v1/sources: progress of the sources of chain data, and which slots were read. */
import Type from 'typebox'
import { venuesOfBits } from '../../../domain/coverage.ts'
import { listWarnings } from '../../../sql/chain/decoder-warnings.ts'
import { listSources, type SourceState } from '../../../sql/chain/sources.ts'
import { presentCoverage, venueNames } from '../../resources/coverage/present.ts'
import { readCoverage } from '../../resources/coverage/read.ts'
import { type Route, route } from '../../routing/route.ts'
import { common } from '../operator-route.ts'
import { presentWarning } from './present.ts'
import { type SourceList, sourceList } from './source-schema.ts'

export const sourceRoutes: readonly Route[] = [
  route({
    ...common,
    path: '/admin/v1/sources',
    operationId: 'listSources',
    summary: 'Sources of chain data: progress, lag and errors, and the coverage',
    parameters: Type.Object({}),
    answer: sourceList,
    example: {},
    async read(_, db) {
      const sources = (await listSources(db)).map(presentSource)
      const coverage = presentCoverage(await readCoverage(db))
      const warnings = (await listWarnings(db)).map(presentWarning)
      return { success: true as const, data: { sources, coverage, warnings } }
    },
  }),
]

function presentSource({
  venues,
  rejects,
  mismatches,
  ended_at: _endedAt,
  moved_at: _movedAt,
  ...source
}: SourceState): SourceList['data']['sources'][number] {
  return {
    ...source,
    venues: venueNames(venuesOfBits(venues)),
    rejects: Object.entries(rejects).map(([reason, count]) => ({ reason, count })),
    mismatches: Object.entries(mismatches).map(([venue, count]) => ({ venue, count })),
    last_error_at: source.last_error_at?.toISOString() ?? null,
    started_at: source.started_at.toISOString(),
    seen_at: source.seen_at.toISOString(),
  }
}
