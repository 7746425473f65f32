/** Debian's Caddy for tests; where it cannot be had the answer is the reason, and tests are skipped. */
import { join } from 'node:path'
import { runCommand } from '../../../../deploy/local/command.ts'
import { unpackedPackages } from './packages.ts'

/** The program, or why it cannot be had. */
export async function findCaddy(): Promise<{ program: string } | string> {
  try {
    const { folder, env } = await unpackedPackages('caddy', ['caddy'])
    const program = join(folder, 'usr/bin/caddy')
    await runCommand(program, ['version'], { env })
    return { program }
  } catch (cause) {
    return (cause as Error).message.split('\n')[0] ?? ''
  }
}
