/** KOLs as operators bring them, whether by `import kols` or through the console: one reader for both. */
import type { Refusal } from '../streams/contract.ts'
import { KOL_COLUMNS, type Kol, kolOf } from '../streams/kol.ts'
import { operatorLines } from '../streams/operator-line.ts'
import type { CommandContext } from './command.ts'
import { eachOnce, readOperatorFile } from './operator-file.ts'

/** The KOLs of a file or of `stdin`, each wallet once, and how many lines were refused. */
export async function readKols(
  file: string,
  onRefusal: (line: number, refusal: Refusal) => void,
  context: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<{ kols: Kol[]; refusedLines: number }> {
  const rowOf = eachOnce('wallet', ({ kol }: { kol: Kol }) => kol.wallet, kolOf)
  const read = operatorLines(KOL_COLUMNS)
  const { rows, refusedLines } = await readOperatorFile<{ kol: Kol }>(
    { file, read, rowOf, onRefusal },
    context,
  )
  return { kols: rows.map(({ kol }) => kol), refusedLines }
}
