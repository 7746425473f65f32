/**
 * The first start on a system that has no apt, no dpkg and no keys of Debian: a root folder with a shell and the C library only,
 * as a user that is not root. The servers come from the mirror of the host's own apt, by Node.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chown, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { hostSources } from '../../../../deploy/local/packages/apt.ts'
import { unpackDeb } from '../../../../deploy/local/packages/archive/deb.ts'
import { openArchive } from '../../../../deploy/local/packages/open-archive.ts'
import { PLATFORMS } from '../../../../deploy/local/packages/prefix.ts'
import { commandEnvironment } from '../../../support/programs/commands.ts'
import { ownPort } from '../../../support/servers/own-port.ts'
import { stackDefaults, temporaryFolder } from '../../../support/servers/servers.ts'
import { until } from '../../../support/workers/pipeline.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const USER = 1_000
const BOUND_MS = 300_000
/** The libraries that Node needs, and a shell with the tools of `deploy/swaptide`. */
const PACKAGES = ['busybox-static', 'libc6', 'libgcc-s1', 'libstdc++6']
const TOOLS = ['sh', 'readlink', 'dirname', 'uname']

const sources = await hostSources()
const mirror = /^URIs: (https?:\S+)$/m.exec(sources ?? '')?.[1]
const canMount =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
const reason =
  mirror === undefined
    ? " (skipped: the host's apt has no mirror of Debian)"
    : canMount
      ? ''
      : ' (skipped: this account cannot mount)'
const where = reason === '' ? test : test.skip

where(
  `the first start in a root folder without apt, dpkg and keys, by a user${reason}`,
  async (t) => {
    const root = await emptyRoot(t)
    const port = await ownPort()
    const up = ['up', '--no-demo', '--debian-mirror', mirror ?? '']
    const child = runIn(t, root, up, { PORT: `${port}`, GRPC_PORT: '0' })
    const lines: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface(stream).on('line', (line) => lines.push(line))
    }
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const ready = until('the service is ready', BOUND_MS, async () => {
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
    })
    await Promise.race([ready, ended])
    t.is(child.exitCode, null, lines.join('\n'))
    t.regex(lines.join('\n'), /^fetching \d+ packages, \d+ MB$/m)
    child.kill('SIGTERM')
    t.is(await ended, 0, lines.join('\n'))
    const cache = join(root, 'srv/user/.cache/swaptide')
    t.is(await readFile(join(cache, 'debian-mirror'), 'utf8'), `${mirror}\n`)
    t.false((await readdir(join(root, 'usr'))).includes('sbin'))
  },
)

async function emptyRoot(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  const [root, files, cacheDir] = ['root', 'files', 'cache'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const each of [root, files, cacheDir]) await mkdir(each)
  const { debianMirror, env = {} } = stackDefaults(() => {})
  const debian = PLATFORMS[process.arch]?.debian ?? ''
  const options = { cacheDir, folder: cacheDir, debian, env: { PATH: `${env.PATH}` } }
  const archive = await openArchive({ ...options, mirror: debianMirror ?? mirror })
  await archive.update()
  await archive.download(PACKAGES, files)
  const unpacked = join(folder, 'unpacked')
  await mkdir(unpacked)
  for (const file of await readdir(files)) {
    await unpackDeb(await readFile(join(files, file)), unpacked)
  }
  await cp(join(unpacked, 'usr/lib'), join(root, 'usr/lib'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  await mkdir(join(root, 'usr/bin'))
  await cp(join(unpacked, 'usr/bin/busybox'), join(root, 'usr/bin/busybox'))
  for (const tool of TOOLS) await symlink('busybox', join(root, 'usr/bin', tool))
  await cp(join(unpacked, 'usr/lib64'), join(root, 'usr/lib64'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  for (const name of ['bin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(root, name))
  for (const name of ['app', 'dev', 'etc', 'srv', 'srv/user', 'proc', 'tmp']) {
    await mkdir(join(root, name))
  }
  await writeFile(join(root, 'etc/passwd'), `user:x:${USER}:${USER}::/srv/user:/bin/sh\n`)
  for (const name of ['resolv.conf', 'hosts']) await cp(join('/etc', name), join(root, 'etc', name))
  for (const name of ['srv/user', 'tmp']) await chown(join(root, name), USER, USER)
  return root
}

/** The mounts are the child's own, and end with it. */
function runIn(
  t: ExecutionContext,
  root: string,
  argv: readonly string[],
  settings: Readonly<Record<string, string>>,
): ChildProcess {
  const script = `
    mount --bind "$2" "$1/app"
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    root=$1
    shift 2
    exec chroot --userspec=${USER}:${USER} "$root" /app/deploy/swaptide "$@"`
  const child = spawn('unshare', ['--mount', 'sh', '-euc', script, 'sh', root, ROOT, ...argv], {
    cwd: '/',
    env: commandEnvironment({
      ...{ HOME: '/srv/user', XDG_CACHE_HOME: '/srv/user/.cache' },
      ...{ SWAPTIDE_HOME: '/srv/user/swaptide', ...settings },
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}
