/** Debian's Caddy for tests, fetched once as Prometheus is; where it cannot be had the answer is the reason. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../../../deploy/local/command.ts'
import { defaultCacheDir, toolEnv } from '../../../deploy/local/host.ts'
import { fetchInto } from './prometheus.ts'
import { stackDefaults } from './servers.ts'

/** The program, or why it cannot be had. */
export async function findCaddy(): Promise<{ program: string } | string> {
  const { debianMirror, env = {} } = stackDefaults(() => {})
  const cacheDir = defaultCacheDir(process.getuid?.() ?? 0, env)
  const folder = join(cacheDir, 'caddy-for-tests')
  const program = join(folder, 'usr/bin/caddy')
  try {
    const isThere = await access(folder).then(
      () => true,
      () => false,
    )
    if (!isThere) await fetchInto(cacheDir, folder, ['caddy'], debianMirror, toolEnv(env))
    await runCommand(program, ['version'], { env: toolEnv(env) })
    return { program }
  } catch (cause) {
    return (cause as Error).message.split('\n')[0] ?? ''
  }
}
