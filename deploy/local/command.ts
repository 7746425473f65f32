// Runs one program to its end and returns its output; a failure carries its last lines. The environment is the one that
// the caller passes, never this program's.

import { spawn } from 'node:child_process'

export type CommandOptions = {
  cwd?: string
  env: Readonly<Record<string, string>>
  /** An open file as standard input; otherwise empty. */
  inputFile?: number
}

export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

/** Standard output of `program args...`; throws CommandFailed when it cannot run or exits non-zero. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: [options.inputFile ?? 'ignore', 'pipe', 'pipe'],
  })
  const written: Buffer[] = []
  const complaints: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => written.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => complaints.push(chunk))
  const ending = await new Promise<string>((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new CommandFailed(`"${program}" cannot be run: ${cause.message}`, { cause })),
    )
    child.once('close', (code, signal) => resolve(String(code ?? signal)))
  })
  if (ending !== '0') {
    const output = Buffer.concat([...written, ...complaints])
      .toString()
      .trim()
    throw new CommandFailed(
      `"${program} ${args[0] ?? ''}" ended with ${ending}: ${lastLines(output)}`,
    )
  }
  return Buffer.concat(written).toString()
}

/** The end of a longer text, enough of it to see why something failed. */
export function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-8).join('\n')
}
