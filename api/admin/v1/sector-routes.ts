/**
 * /admin/v1/sectors: sectors of tokens. A change is a token event of the stream, so that every consumer and every
 * replay sees it. The response waits until the workers have applied it and reports when they did not in time.
 */
import { sectorOfRow } from '../../../streams/ingest/token-row.ts'
import type { Reading } from '../../routing/declaration.ts'
import { ApiError } from '../../routing/error.ts'
import { decodeCursor } from '../../routing/reading/cursor.ts'
import { type Route, route } from '../../routing/route.ts'
import type { MintSector, Operations } from '../operations.ts'
import { BY, changing, common, refusalOf } from '../operator-route.ts'
import { listSectors, sectorOf } from '../sectors.ts'
import { presentSectors, SECTORS } from './present.ts'
import { newSector, ofSector, sectorList, sectorParameters, storedSector } from './schema.ts'

export function sectorRoutes(operations: Operations): Route[] {
  return [listed, stored(operations), removed(operations)]
}

const listed = route({
  ...common,
  path: '/admin/v1/sectors',
  operationId: 'listSectors',
  summary: 'Tokens that have a sector, by mint',
  parameters: sectorParameters,
  answer: sectorList,
  example: { limit: 10 },
  async read({ sector, limit, cursor }, db) {
    const [after = ''] = cursor === undefined ? [] : decodeCursor(SECTORS, cursor, 1)
    return presentSectors(await listSectors(db, { sector, after, limit }), limit)
  },
})

const stored = (operations: Operations): Route =>
  route({
    ...changing,
    method: 'put',
    errors: [...common.errors, 'FORBIDDEN', 'MISSING_PARAM'],
    path: '/admin/v1/sectors/{mint}',
    operationId: 'storeSector',
    summary: 'Sets the sector of a token',
    description: 'The mint need not have been traded yet.',
    parameters: newSector,
    answer: storedSector,
    example: ({ mint }) => ({ mint, sector: 'meme' }),
    async respond({ mint, sector }, reading) {
      // The slot is a placeholder: the implementation that stores the event sets it.
      const read = sectorOfRow({ mint, sector }, 0)
      if ('refusals' in read) throw refusalOf(read.refusals)
      const { sector: trimmed = sector } = read.token
      return await store(operations, { mint, sector: trimmed }, reading)
    },
  })

const removed = (operations: Operations): Route =>
  route({
    ...changing,
    method: 'delete',
    path: '/admin/v1/sectors/{mint}',
    operationId: 'removeSector',
    summary: 'Removes the sector of a token',
    parameters: ofSector,
    answer: storedSector,
    example: ({ mint }) => ({ mint }),
    async respond({ mint }, reading) {
      const known = await reading.reader.run(reading.signal, (db) => sectorOf(db, mint))
      if (known !== '') return await store(operations, { mint, sector: '' }, reading)
      throw new ApiError('NOT_FOUND', `sector of "${mint}": it has none`)
    },
  })

async function store(operations: Operations, wanted: MintSector, { reader, signal }: Reading) {
  const { mint } = wanted
  const { isCounted } = await operations.storeSectors([wanted], BY)
  // Another event may have changed the sector since, so the stored value is read.
  const sector = isCounted ? await reader.run(signal, (db) => sectorOf(db, mint)) : wanted.sector
  return { success: true as const, data: { mint, sector, is_counted: isCounted } }
}
