/** Sectors as operators bring them, whether by `import sectors` or through the console: one reader for both. */

import type { Token } from '../../domain/events/token.ts'
import { operatorLines } from '../../streams/ingest/operator-line.ts'
import { type ReadToken, SECTOR_COLUMNS, sectorOfRow } from '../../streams/ingest/token-row.ts'
import type { CommandContext } from '../cli/command.ts'
import { eachOnce, type Reporting, readOperatorFile } from './operator-file.ts'

/**
 * The sectors of a file or of `stdin` as tokens of that slot, each mint once, and how many lines were refused. Of one
 * slot the greater text would win, not the later line.
 */
export async function readSectors(
  file: string,
  slot: number,
  reporting: Reporting,
  context: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<{ tokens: Token[]; refusedLines: number }> {
  const rowOf = eachOnce(
    'mint',
    ({ token }: ReadToken) => token.tokenAddress,
    (fields) => sectorOfRow(fields, slot),
  )
  const read = operatorLines(SECTOR_COLUMNS)
  const { rows, refusedLines } = await readOperatorFile<ReadToken>(
    { ...reporting, file, read, rowOf },
    context,
  )
  return { tokens: rows.map(({ token }) => token), refusedLines }
}
