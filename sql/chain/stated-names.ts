/** Names that transactions state of mints, stored until the mints are seen (table `mint_name`). */
import type { StatedName } from '../../domain/events/stated-name.ts'
import { cleanTexts } from '../../domain/text/token-text.ts'
import type { Connection } from '../db.ts'
import { query } from '../query.ts'

const mergeStated = query('token-names/merge_stated')

/** Cleaned; of several of a mint the first counts. */
export async function storeStatedNames(
  connection: Connection,
  names: readonly StatedName[],
): Promise<void> {
  const byMint = new Map<string, StatedName>()
  for (const { mint, slot, ...texts } of names.toSorted((a, b) => a.slot - b.slot)) {
    const cleaned = cleanTexts(texts)
    if (byMint.has(mint) || (cleaned.name === undefined && cleaned.symbol === undefined)) continue
    byMint.set(mint, { mint, slot, ...cleaned })
  }
  // In one order, so that two writers never wait crosswise.
  const rows = [...byMint.values()].sort((a, b) => (a.mint < b.mint ? -1 : 1))
  if (rows.length === 0) return
  await mergeStated(connection, [
    rows.map(({ mint }) => mint),
    rows.map(({ slot }) => slot),
    rows.map(({ symbol }) => symbol ?? null),
    rows.map(({ name }) => name ?? null),
    rows.map(({ uri }) => uri ?? null),
  ])
}
