/**
 * An image without a builder of images: the steps of deploy/Dockerfile, carried out in a root folder that has what they take from the base
 * image, which a machine without a registry of images cannot have.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, matchesGlob } from 'node:path'
import { unpackedPackages } from '../servers/debian/packages.ts'
import { ROOT, readText } from '../sources.ts'
import { dockerfile, instructionsOf } from './dockerfile.ts'

/** The C library, which Node needs, and a shell with the programs that the steps and `deploy/swaptide` run. */
const PACKAGES = ['busybox-static', 'libc6', 'libgcc-s1', 'libstdc++6']
const PROGRAMS = ['chown', 'dirname', 'env', 'ln', 'mkdir', 'readlink', 'rm', 'sh', 'uname']
/** The account of the base image. */
const NODE = { name: 'node', id: 1_000 }
const IGNORED = readText('deploy/Dockerfile.dockerignore').trimEnd().split('\n')
const MOUNT = /^--mount=type=cache,target=(\S+) /

/** The variables of a step or of the service. */
type Variables = Readonly<Record<string, string>>

/** Whether the build leaves the path out, as seen from the root of the repository. */
export const isIgnored = (path: string): boolean =>
  IGNORED.some((pattern) => path === pattern || matchesGlob(path, pattern))

/** Folder of the host's npm, which the steps run; undefined: it is not where npm itself installs it. */
export function hostNpm(): string | undefined {
  const folder = join(npm('root', '--global'), 'npm')
  return existsSync(join(folder, 'bin/npm-cli.js')) ? folder : undefined
}

type Lock = {
  packages: Record<string, { integrity?: string; dev?: boolean; optional?: boolean }>
}

/** Whether the host's cache of npm has all that the image installs, so that the step needs no registry. */
export function isCached(): boolean {
  const { packages } = JSON.parse(readText('package-lock.json')) as Lock
  const folder = join(npm('config', 'get', 'cache'), '_cacache/content-v2')
  return Object.values(packages).every(({ integrity, dev, optional }) => {
    if (integrity === undefined || dev === true || optional === true) return true
    const [algorithm = '', digest = ''] = integrity.split('-')
    const hex = Buffer.from(digest, 'base64').toString('hex')
    return existsSync(join(folder, algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)))
  })
}

function npm(...args: string[]): string {
  return execFileSync('npm', args, { encoding: 'utf8' }).trim()
}

/** Carries out the steps in an empty folder. npm takes all packages from the host's cache. */
export async function makeImage(root: string, npmFolder: string): Promise<void> {
  await makeBase(root, npmFolder)
  let folder = '/'
  let user = 'root'
  for (const { word, text } of instructionsOf()) {
    if (word === 'WORKDIR') {
      folder = text
      mkdirSync(join(root, folder), { recursive: true })
    } else if (word === 'COPY') copyIn(root, folder, text)
    else if (word === 'RUN') await runStep(root, folder, user, text)
    else if (word === 'USER') user = text
    else if (!['FROM', 'EXPOSE', 'ENTRYPOINT', 'CMD'].includes(word))
      throw new Error(`"${word}" is not carried out here`)
  }
}

/** Starts the service as the account of the image; the mounts are the child's own, and end with it. */
export function startImage(root: string, argv: readonly string[], settings: Variables) {
  const { folder, user, entryPoint } = dockerfile()
  return startIn(root, { folder, user, cache: undefined }, [...entryPoint, ...argv], settings)
}

async function makeBase(root: string, npmFolder: string): Promise<void> {
  const { folder } = await unpackedPackages('image', PACKAGES)
  for (const name of ['usr/lib', 'usr/lib64'])
    cpSync(join(folder, name), join(root, name), { recursive: true, verbatimSymlinks: true })
  for (const name of ['usr/bin', 'usr/local/bin', 'usr/local/lib/node_modules', 'home/node', 'etc'])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of ['dev', 'proc', 'root', 'tmp']) mkdirSync(join(root, name))
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  copyFileSync(join(folder, 'usr/bin/busybox'), join(root, 'usr/bin/busybox'))
  for (const name of PROGRAMS) symlinkSync('busybox', join(root, 'usr/bin', name))
  const { name, id } = NODE
  writeFileSync(
    join(root, 'etc/passwd'),
    `root:x:0:0::/root:/bin/sh\n${name}:x:${id}:${id}::/home/node:/bin/sh\n`,
  )
  writeFileSync(join(root, 'etc/group'), `root:x:0:\n${name}:x:${id}:\n`)
  for (const file of ['resolv.conf', 'hosts']) cpSync(join('/etc', file), join(root, 'etc', file))
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'))
  cpSync(npmFolder, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
}

/** `COPY SOURCE... TARGET`: the content of a folder, or a file into a folder. */
function copyIn(root: string, folder: string, text: string): void {
  const paths = text.split(' ')
  const target = join(root, folder, paths.pop() ?? '')
  for (const path of paths) {
    if (isIgnored(path)) throw new Error(`COPY of a file that is left out: ${path}`)
    if (statSync(join(ROOT, path)).isDirectory()) copyFolder(path === '.' ? '' : path, target)
    else {
      mkdirSync(target, { recursive: true })
      copyFileSync(join(ROOT, path), join(target, basename(path)))
    }
  }
}

function copyFolder(path: string, target: string): void {
  mkdirSync(target, { recursive: true })
  for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true })) {
    const each = path === '' ? entry.name : `${path}/${entry.name}`
    if (isIgnored(each)) continue
    if (entry.isDirectory()) copyFolder(each, join(target, entry.name))
    else if (entry.isFile()) copyFileSync(join(ROOT, each), join(target, entry.name))
  }
}

async function runStep(root: string, folder: string, user: string, text: string): Promise<void> {
  const target = MOUNT.exec(text)?.[1]
  const line = text.replace(MOUNT, '')
  if (target !== undefined) mkdirSync(join(root, target), { recursive: true })
  const cache = target === undefined ? undefined : { from: npm('config', 'get', 'cache'), target }
  const child = startIn(root, { folder, user, cache }, ['sh', '-c', line], {
    npm_config_offline: 'true',
    npm_config_registry: npm('config', 'get', 'registry'),
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      printed += piece
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`RUN ${text}: exit code ${code}\n${printed}`)
}

type Step = {
  folder: string
  user: string
  /** A folder of the host that is the cache of a step. */
  cache: { from: string; target: string } | undefined
}

function startIn(
  root: string,
  { folder, user, cache }: Step,
  argv: readonly string[],
  variables: Variables,
): ChildProcess {
  const script = `
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    if [ -n "$4" ]; then mount --bind "$4" "$1$5"; fi
    root=$1 folder=$2 user=$3
    shift 5
    exec chroot --userspec="$user" "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"`
  const id = user === 'root' ? 0 : NODE.id
  const given = [root, folder, `${id}:${id}`, cache?.from ?? '', cache?.target ?? '']
  return spawn('unshare', ['--mount', 'sh', '-euc', script, 'sh', ...given, ...argv], {
    cwd: '/',
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: id === 0 ? '/root' : '/home/node',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
