/**
 * Debian's Prometheus and promtool for tests: fetched once into the cache folder of the embedded stack, by the same private
 * apt, and unpacked there; the host is left alone. Where they cannot be had the answer is the reason, and tests are skipped.
 */
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../../../deploy/local/command.ts'
import { defaultCacheDir, toolEnv } from '../../../deploy/local/host.ts'
import { debianSources, privateApt } from '../../../deploy/local/packages/apt.ts'
import { stackDefaults } from './servers.ts'

export type PrometheusPrograms = { prometheus: string; promtool: string }

const PACKAGES = ['prometheus', 'promtool']
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The programs, or why they cannot be had. */
export async function findPrometheus(): Promise<PrometheusPrograms | string> {
  const { debianMirror, env = {} } = stackDefaults(() => {})
  const cacheDir = defaultCacheDir(process.getuid?.() ?? 0, env)
  const folder = join(cacheDir, 'prometheus-for-tests')
  try {
    const isThere = await access(folder).then(
      () => true,
      () => false,
    )
    if (!isThere) await fetchInto(cacheDir, folder, PACKAGES, debianMirror, toolEnv(env))
    const [prometheus, promtool] = PACKAGES.map((name) => join(folder, 'usr/bin', name))
    if (prometheus === undefined || promtool === undefined) return 'no such program'
    for (const program of [prometheus, promtool]) {
      await runCommand(program, ['--version'], { env: toolEnv(env) })
    }
    return { prometheus, promtool }
  } catch (cause) {
    return (cause as Error).message.split('\n')[0] ?? ''
  }
}

/** Packages of Debian unpacked into a folder of the cache; the host is left alone. */
export async function fetchInto(
  cacheDir: string,
  folder: string,
  names: readonly string[],
  debianMirror: string | undefined,
  env: ReturnType<typeof toolEnv>,
): Promise<void> {
  const architecture = ARCHITECTURES[process.arch]
  if (architecture === undefined) throw new Error(`none for "${process.arch}"`)
  await mkdir(cacheDir, { recursive: true })
  // Not named as the stack's own scratch folders, which its build removes.
  const scratch = await mkdtemp(join(cacheDir, 'fetching-'))
  try {
    const [apt, packages, root] = ['apt', 'packages', 'root'].map((name) => join(scratch, name))
    if (apt === undefined || packages === undefined || root === undefined) return
    for (const each of [apt, packages, root]) await mkdir(each)
    const archive = await privateApt(apt, await debianSources(debianMirror), architecture, env)
    await archive.update()
    await archive.download(names, packages)
    for (const file of await readdir(packages)) {
      await runCommand('dpkg-deb', ['-x', join(packages, file), root], { env })
    }
    await chmod(root, 0o755)
    // Another test run may have been faster: then its copy stays.
    await rename(root, folder).catch(() => access(folder))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
