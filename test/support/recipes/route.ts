/** Adds `GET /v2/venues`, which lists the table of venues. */
import type { Edit } from './edit.ts'

const SCHEMA = `/** Rows of the table of venues. */
import Type, { type Static } from 'typebox'
import { count, dex, nullable, venueName } from '../../routing/schema.ts'

export const ofNothing = Type.Object({})

export const venues = Type.Object({
  success: Type.Literal(true),
  data: Type.Array(
    Type.Object(
      {
        dex,
        protocol: venueName('Name, as parameters and feeds have it'),
        has_reserves: Type.Boolean({ description: 'false: its pools report no reserves' }),
        missing_lamports: nullable(count({ description: 'SOL that its pools do not report' })),
      },
      { title: 'StoredVenue' },
    ),
  ),
})
export type VenuesAnswer = Static<typeof venues>
`

const READ = `/** Reads the table of venues. */
import type { Int64 } from '../../../domain/amount.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

export type VenueRow = {
  dex: number
  name: string
  has_reserves: boolean
  missing_lamports: Int64 | null
}

const listVenues = query<VenueRow>('venues/list_venues')

export const readVenues = (db: Queryable): Promise<VenueRow[]> => listVenues(db)
`

const PRESENT = `/** Venues as the API shows them. Pure. */
import type { VenueRow } from './read.ts'
import type { VenuesAnswer } from './schema.ts'

export function presentVenues(rows: readonly VenueRow[]): VenuesAnswer {
  const shown = rows.map(({ name, ...row }) => ({ ...row, protocol: name }))
  return { success: true as const, data: shown }
}
`

const ROUTES = `/** REST of the table of venues. */
import { type Route, route } from '../../routing/route.ts'
import { presentVenues } from './present.ts'
import { readVenues } from './read.ts'
import * as schema from './schema.ts'

const list = route({
  path: '/v2/venues',
  operationId: 'listVenues',
  topic: { listedAt: 145, description: 'The table of venues' },
  family: 'enveloped',
  summary: 'The venues, with the SOL that their pools do not report',
  parameters: schema.ofNothing,
  answer: schema.venues,
  errors: ['GATEWAY_TIMEOUT', 'INTERNAL'],
  example: {},
  read: async (_, db) => presentVenues(await readVenues(db)),
})

export const venueRoutes: readonly Route[] = [list]
`

const STATEMENT = `-- name: venues/list_venues
-- The venues, ascending. Result: dex, name, has_reserves, missing_lamports: null where pools report everything.
-- Index: venue_pkey.
select dex, name, has_reserves, missing_lamports from venue order by dex
`

const TEST = `/** The table of venues by REST and GraphQL. */
import test from 'ava'
import { VENUES } from '../../../../domain/venue.ts'
import { apiUnderTest } from '../../../support/api/api-under-test.ts'
import { asker } from '../../graphql/send-query.ts'

test('lists every venue of the program', async (t) => {
  const { get } = await apiUnderTest(t)
  const { status, body } = await get('/v2/venues')
  t.is(status, 200)
  t.deepEqual(
    body.data.map(({ dex, protocol }) => [dex, protocol]),
    VENUES.map(({ dex, name }) => [dex, name]),
  )
  const { has_reserves, missing_lamports } = body.data[0] ?? {}
  t.deepEqual([has_reserves, missing_lamports], [true, null])
})

test('answers the same by GraphQL', async (t) => {
  const { send } = await asker(await apiUnderTest(t))
  const { data: answered } = await send('{ venues { dex has_reserves } }')
  const venues = (answered as { venues: { dex: number }[] }).venues
  t.deepEqual(
    venues.map(({ dex }) => dex),
    VENUES.map(({ dex }) => dex),
  )
})
`

const FOLDER = 'api/resources/venues'
const recipe = 'route'

export const ROUTE: readonly Edit[] = [
  { recipe, step: 1, path: `${FOLDER}/schema.ts`, text: SCHEMA },
  { recipe, step: 1, path: `${FOLDER}/read.ts`, text: READ },
  { recipe, step: 1, path: `${FOLDER}/present.ts`, text: PRESENT },
  { recipe, step: 1, path: `${FOLDER}/routes.ts`, text: ROUTES },
  { recipe, step: 2, path: 'sql/queries/venues.sql', text: STATEMENT },
  {
    recipe,
    step: 3,
    path: 'api/routes.ts',
    old: 'import { walletDayRoutes }',
    text: "import { venueRoutes } from './resources/venues/routes.ts'\nimport { walletDayRoutes }",
  },
  {
    recipe,
    step: 3,
    path: 'api/routes.ts',
    old: '    ...coverageRoutes,\n',
    text: '    ...coverageRoutes,\n    ...venueRoutes,\n',
  },
  { recipe, step: 4, path: 'test/api/resources/venues/venues.test.ts', text: TEST },
]
