/**
 * Sectors of tokens as the workers have applied them. They are set only through events in the stream.
 *
 * Decision: docs/decisions/0035-operators-change-data-through-the-stream.md
 */

import { storedSearchKey } from '../../domain/text/search-key.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

const selectSectors = query<SectorRow>('admin/list_sectors')
const selectOfSector = query<SectorRow>('admin/list_of_sector')
const selectSector = query<{ sector: string }>('admin/find_sector')

export type SectorRow = { mint: string; symbol: string | null; sector: string }

/** Mints with a sector (or one sector, compared as search does) after a mint in order; '' comes first. */
export function listSectors(
  db: Queryable,
  { sector, after, limit }: { sector: string | undefined; after: string; limit: number },
): Promise<SectorRow[]> {
  if (sector === undefined) return selectSectors(db, [after, limit])
  return selectOfSector(db, [after, limit, storedSearchKey(sector)])
}

/** Empty: it has none. */
export async function sectorOf(db: Queryable, mint: string): Promise<string> {
  const [row] = await selectSector(db, [mint])
  return row?.sector ?? ''
}
