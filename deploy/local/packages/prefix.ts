// The private folder that PostgreSQL, nats-server and Redis are unpacked into, once per machine
// and account. Built under another name and renamed, under a lock, so it exists whole or not at all; it may be moved.
// The programs are Debian 13's and so is their libc: each is reached by a wrapper that starts it through the folder's
// loader, independent of the host's libc.

import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Account, UNPRIVILEGED } from '../account.ts'
import { lockFolder } from '../files/lock.ts'
import { StackUnavailable } from '../host.ts'
import { holdsWithin } from '../waiting.ts'
import { unpackDeb } from './archive/deb.ts'
import { openArchive } from './open-archive.ts'

type Env = Readonly<Record<string, string>>

export type PrefixOptions = {
  /** The parent folder of prefixes; every account that runs a server must be able to read it. */
  cacheDir: string
  debianMirror: string | undefined
  env: Env
  log: (line: string) => void
  platform: string
  /** Node's name of the processor. */
  arch: string
}

export type Prefix = {
  path: string
  program(name: ProgramName): string
  /** The folders of the programs and of PostgreSQL's further tools. */
  folders: readonly string[]
}

/** Raised when the folder's contents, or their layout, change: an older folder is then ignored. */
const LAYOUT = 3
/** The version that the files of a database belong to. */
export const POSTGRES_VERSION = '17'
const POSTGRES = `usr/lib/postgresql/${POSTGRES_VERSION}`
const PROGRAMS = {
  postgres: `${POSTGRES}/bin/postgres`,
  initdb: `${POSTGRES}/bin/initdb`,
  createdb: `${POSTGRES}/bin/createdb`,
  psql: `${POSTGRES}/bin/psql`,
  pg_dump: `${POSTGRES}/bin/pg_dump`,
  pg_restore: `${POSTGRES}/bin/pg_restore`,
  pg_basebackup: `${POSTGRES}/bin/pg_basebackup`,
  'nats-server': 'usr/sbin/nats-server',
  'redis-server': 'usr/bin/redis-server',
  'redis-cli': 'usr/bin/redis-cli',
  setpriv: 'usr/bin/setpriv',
} as const
export type ProgramName = keyof typeof PROGRAMS

const ROOTS = [
  'postgresql-17',
  'postgresql-17-timescaledb',
  'postgresql-client-17',
  'nats-server',
  'redis-server',
  'redis-tools',
  'libnss-wrapper',
  // For setpriv, through which servers are started: other systems have none, or one with fewer options.
  'util-linux',
]
/** Libraries only: maintainer scripts never run here. LLVM serves jit, which is off. */
const LIBRARY = /^(lib|zlib)/
const LEFT_OUT = /^lib(llvm|z3-|perl|pam-|json-perl|io-pty-perl|ipc-run-perl)/
/** Folders of the unpacked packages that are retained, relative to the prefix. */
const RETAINED_SHARE = ['postgresql']
/**
 * The account of root's servers has no name on the host, and initdb refuses one without. This file of the prefix gives
 * it one: libnss_wrapper shows it to a program instead of the host's, where the environment names it.
 */
const USER_NAMES = 'user-names.txt'
const GROUP_NAMES = 'group-names.txt'
const BUILD_BOUND_MS = 600_000

export type Platform = { debian: string; libraries: string; loader: string }
export const PLATFORMS: Readonly<Record<string, Platform>> = {
  x64: {
    debian: 'amd64',
    libraries: 'usr/lib/x86_64-linux-gnu',
    loader: 'ld-linux-x86-64.so.2',
  },
  arm64: {
    debian: 'arm64',
    libraries: 'usr/lib/aarch64-linux-gnu',
    loader: 'ld-linux-aarch64.so.1',
  },
}

/** The prefix, built first where it is not there yet. */
export async function ensurePrefix(options: PrefixOptions): Promise<Prefix> {
  const platform = PLATFORMS[options.arch]
  if (options.platform !== 'linux' || platform === undefined) {
    throw new StackUnavailable(
      `it is made of Debian packages for Linux on x64 or arm64, and this is "${options.platform}" on "${options.arch}": see docs/systems.md`,
    )
  }
  const path = join(options.cacheDir, `stack-${LAYOUT}-${platform.debian}`)
  if (!(await exists(path))) {
    if ((await mkdir(options.cacheDir, { recursive: true })) !== undefined) {
      await openFolder(options.cacheDir)
    }
    await buildOnce(path, platform, options)
  }
  const program = (name: ProgramName): string => join(path, PROGRAMS[name])
  const folders = new Set(Object.values(PROGRAMS).map((each) => join(path, dirname(each))))
  return { path, program, folders: [...folders] }
}

async function buildOnce(path: string, platform: Platform, options: PrefixOptions): Promise<void> {
  let lock = await lockFolder(options.cacheDir)
  if (lock === undefined) options.log('another program is fetching the embedded stack: waiting')
  await holdsWithin(
    BUILD_BOUND_MS,
    async () => {
      lock ??= await lockFolder(options.cacheDir)
      return lock !== undefined
    },
    100,
  )
  if (lock === undefined) {
    throw new Error(`"${options.cacheDir}" was locked by another build for too long`)
  }
  try {
    if (!(await exists(path))) await build(path, platform, options)
  } finally {
    await lock.release()
  }
}

async function build(path: string, platform: Platform, options: PrefixOptions): Promise<void> {
  for (const left of await readdir(options.cacheDir)) {
    // No other process builds under the lock: these are the remains of a killed build.
    if (left.startsWith('building-')) {
      await rm(join(options.cacheDir, left), { recursive: true, force: true })
    }
  }
  const scratch = await mkdtemp(join(options.cacheDir, 'building-'))
  try {
    await openFolder(scratch)
    const packages = join(scratch, 'packages')
    const root = join(scratch, 'root')
    await mkdir(packages)
    await mkdir(root)
    await openFolder(root)
    await fetchPackages(scratch, packages, platform, options)
    const files = await readdir(packages)
    options.log(`unpacking ${files.length} packages`)
    for (const file of files) {
      await unpackDeb(await readFile(join(packages, file)), root)
    }
    await tidy(root)
    await wrapPrograms(root, platform)
    await writeUserNames(root, UNPRIVILEGED)
    await writeFile(join(root, 'packages.txt'), `${files.sort().join('\n')}\n`)
    await rename(root, path)
    options.log(`the embedded stack is in "${path}"`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function fetchPackages(
  scratch: string,
  packages: string,
  platform: Platform,
  options: PrefixOptions,
): Promise<void> {
  const { cacheDir, debianMirror: mirror, env } = options
  const folder = join(scratch, 'lists')
  await mkdir(folder)
  const archive = await openArchive({ cacheDir, mirror, folder, debian: platform.debian, env })
  options.log("first start: reading Debian 13's package lists")
  let complaint: string | undefined
  try {
    // A complaint counts only where the packages are not available: then the message has it.
    complaint = await archive.update()
    if (complaint !== undefined) options.log(`a package list could not be read: ${complaint}`)
    const names = closure(ROOTS, await archive.dependencies(ROOTS))
    const { files, bytes } = await archive.plan(names)
    options.log(`fetching ${files.length} packages, ${Math.round(bytes / 1e6)} MB`)
    await archive.download(names, packages)
  } catch (cause) {
    const reason = complaint ?? (cause instanceof Error ? cause.message : String(cause))
    throw new StackUnavailable(`Debian 13's packages could not be fetched (${reason})`, { cause })
  }
}

/** The roots and every library that can be reached from them. */
export function closure(
  roots: readonly string[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): string[] {
  const reached = new Set(roots)
  // Iteration of a Set includes members added meanwhile.
  for (const name of reached) {
    for (const needed of dependencies.get(name) ?? []) {
      if (LIBRARY.test(needed) && !LEFT_OUT.test(needed)) reached.add(needed)
    }
  }
  return [...reached].sort()
}

/** Documentation, translations, cron jobs and LLVM bitcode are most of the files and never read. */
async function tidy(root: string): Promise<void> {
  for (const folder of await readdir(root)) {
    if (!['usr', 'lib', 'lib64'].includes(folder)) await rm(join(root, folder), { recursive: true })
  }
  for (const folder of await readdir(join(root, 'usr/share'))) {
    if (!RETAINED_SHARE.includes(folder)) {
      await rm(join(root, 'usr/share', folder), { recursive: true })
    }
  }
  await rm(join(root, POSTGRES, 'lib/bitcode'), { recursive: true, force: true })
}

/**
 * Each program moves to a "real" folder next to it and a wrapper replaces it, because PostgreSQL finds its libraries and
 * data relative to the path it was called by, and its programs call each other from their folder: initdb calls
 * postgres, pg_dumpall calls pg_dump.
 */
async function wrapPrograms(root: string, platform: Platform): Promise<void> {
  const tools = await readdir(join(root, POSTGRES, 'bin'))
  const programs = [...Object.values(PROGRAMS), ...tools.map((name) => `${POSTGRES}/bin/${name}`)]
  for (const program of new Set(programs)) {
    const path = join(root, program)
    const folder = join(path, '..')
    const name = basename(program)
    await mkdir(join(folder, 'real'), { recursive: true })
    await openFolder(join(folder, 'real'))
    // redis-server is a link whose name selects its mode: the copy follows the link and has its name.
    await copyFile(path, join(folder, 'real', name))
    await rm(path)
    await writeFile(path, wrapperOf(program, platform), { mode: 0o755 })
    await chmod(path, 0o755)
  }
}

function wrapperOf(program: string, platform: Platform): string {
  const up = program.split('/').slice(0, -1).fill('..').join('/')
  const libraries = `"$here/${up}/${platform.libraries}"`
  const preload = `\${NSS_WRAPPER_PASSWD:+--preload libnss_wrapper.so}`
  return (
    `#!/bin/sh\nhere="\${0%/*}"\nexec ${libraries}/${platform.loader} --inhibit-cache ` +
    `--library-path ${libraries} ${preload} --argv0 "$0" "$here/real/${basename(program)}" "$@"\n`
  )
}

/** Environment that gives the account of root's servers a name, for programs that look one up. */
export function userNames({ path }: Prefix, account: Account): Env {
  if (account === undefined) return {}
  return {
    NSS_WRAPPER_PASSWD: join(path, USER_NAMES),
    NSS_WRAPPER_GROUP: join(path, GROUP_NAMES),
  }
}

/** In the form of /etc/passwd and /etc/group. */
async function writeUserNames(root: string, { uid, gid }: NonNullable<Account>): Promise<void> {
  await writeFile(join(root, USER_NAMES), `swaptide:x:${uid}:${gid}::/:/bin/false\n`)
  await writeFile(join(root, GROUP_NAMES), `swaptide:x:${gid}:\n`)
  for (const name of [USER_NAMES, GROUP_NAMES]) await chmod(join(root, name), 0o644)
}

/** The servers' account must read the files that root unpacked, regardless of root's umask. */
function openFolder(path: string): Promise<void> {
  return chmod(path, 0o755)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
