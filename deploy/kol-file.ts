/** KOLs as operators bring them, whether by `import kols` or through the console: one reader for both. */
import { printed, type Refusal } from '../streams/contract.ts'
import { KOL_COLUMNS, type Kol, kolOf } from '../streams/kol.ts'
import { type OperatorFields, operatorLines } from '../streams/operator-line.ts'
import type { CommandContext } from './command.ts'
import { readOperatorFile } from './operator-file.ts'

/** The KOLs of a file or of `stdin`, each wallet once, and how many lines were refused. */
export async function readKols(
  file: string,
  onRefusal: (line: number, refusal: Refusal) => void,
  context: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<{ kols: Kol[]; refusedLines: number }> {
  const lineOfWallet = new Map<string, number>()
  const rowOf = (fields: OperatorFields, line: number) => {
    const read = kolOf(fields)
    if ('refusals' in read) return read
    const { wallet } = read.kol
    const earlier = lineOfWallet.get(wallet)
    if (earlier === undefined) {
      lineOfWallet.set(wallet, line)
      return read
    }
    const reason = `stands in line ${earlier} already`
    return { refusals: [{ field: 'wallet', value: printed(wallet), reason }] }
  }
  const read = operatorLines(KOL_COLUMNS)
  const { rows, refusedLines } = await readOperatorFile<{ kol: Kol }>(
    { file, read, rowOf, onRefusal },
    context,
  )
  return { kols: rows.map(({ kol }) => kol), refusedLines }
}
