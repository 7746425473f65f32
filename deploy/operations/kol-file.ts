/** KOLs as operators bring them, whether by `import kols` or through the console: one reader for both. */

import { KOL_COLUMNS, type Kol, kolOf, type ReadKol } from '../../streams/ingest/kol-line.ts'
import { operatorLines } from '../../streams/ingest/operator-line.ts'
import type { CommandContext } from '../cli/command.ts'
import { eachOnce, type Reporting, readOperatorFile } from './operator-file.ts'

/** The KOLs of a file or of `stdin`, each wallet once, and how many lines were refused. */
export async function readKols(
  file: string,
  reporting: Reporting & { mayBeEmpty?: boolean },
  context: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<{ kols: Kol[]; refusedLines: number }> {
  const rowOf = eachOnce('wallet', ({ kol }: ReadKol) => kol.wallet, kolOf)
  const read = operatorLines(KOL_COLUMNS)
  const { rows, refusedLines } = await readOperatorFile<ReadKol>(
    { ...reporting, file, read, rowOf },
    context,
  )
  return { kols: rows.map(({ kol }) => kol), refusedLines }
}
