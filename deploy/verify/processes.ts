/** Further processes of a verification by day, which claim days of the same state folder. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url))

/**
 * Starts so many times the command with these arguments. Resolves when all have ended, however they did: the days of one that
 * failed are left to the caller. Ends them when the signal is aborted.
 */
export async function runBeside(
  count: number,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const runs = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, [...process.execArgv, CLI, ...argv], {
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const onAbort = () => child.kill()
    signal.addEventListener('abort', onAbort, { once: true })
    return new Promise<void>((resolve) => {
      const end = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      child.once('error', end)
      child.once('exit', end)
    })
  })
  await Promise.all(runs)
}
