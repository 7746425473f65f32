/** Installations that a command reads or changes, also while no part of them runs. */
import type { CommandContext } from '../cli/command.ts'
import { hasCluster } from '../local/servers/postgres.ts'
import { startStack } from '../local/stack.ts'
import type { Closers } from '../shutdown.ts'
import { findInstallation, type Installation, NothingRuns } from './installation.ts'

/** Opens the running installation; else the embedded servers of the home, until the closers are called. Throws NothingRuns. */
export async function openInstallation(
  { config, stderr }: Pick<CommandContext, 'config' | 'stderr'>,
  closers: Closers,
): Promise<Installation> {
  try {
    return await findInstallation(config)
  } catch (error) {
    const { home } = config
    if (!(error instanceof NothingRuns) || !(await hasCluster(home))) throw error
    const { debianMirror, cacheDir, sharedBuffersMib, environment: env, prefix, laneCount } = config
    const settings = { debianMirror, cacheDir, sharedBuffersMib, env }
    const stack = await startStack({ home, log: (line) => stderr.write(`${line}\n`), ...settings })
    closers.add('servers', () => stack.stop())
    const { databaseUrl, natsUrl, redisUrl } = stack
    return { databaseUrl, natsUrl, redisUrl, prefix, laneCount }
  }
}
