/** A file that a command reads whole, or standard input for "-". */
import { openFile, openPipe } from '../../streams/sources/open-file.ts'
import { STANDARD_INPUT } from '../../streams/sources/standard-input.ts'
import type { CommandContext } from '../cli/command.ts'

/** Rejects where the file cannot be opened. */
export async function openInput(
  file: string,
  { stdin, signal }: Pick<CommandContext, 'stdin' | 'signal'>,
): Promise<AsyncIterable<Uint8Array>> {
  if (file === STANDARD_INPUT) return openPipe(stdin, signal)
  return (await openFile(file, signal)).input
}
