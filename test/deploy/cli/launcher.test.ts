/**
 * `deploy/swaptide` where the C library is another one than Node of the package needs. The script is the project's, but for the
 * folders of C libraries, which lie below a folder of the test; so does every program that it finds in PATH.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { SWAPTIDE } from '../../support/programs/commands.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'

const GLIBC = 'lib64/ld-linux-x86-64.so.2'
const GLIBC_ARM = 'lib/ld-linux-aarch64.so.1'
const MUSL = 'lib/ld-musl-x86_64.so.1'
/** Every program that the script calls, but Node. */
const TOOLS = ['dirname', 'readlink', 'uname']
/** Flags of an ordinary command. */
const FLAGS = '--max-semi-space-size=64 --initial-old-space-size=256'
const REFUSAL =
  'swaptide: Node of this package does not run on this system: install Node 24 or newer here\n'

type System = {
  /** Loaders of C libraries that the system has. */
  loaders: readonly string[]
  /** Whether the Node of the package runs there. */
  runs: boolean
  /** Version of the host's Node, or `fails`; absent: the host has none. */
  host?: string
  /** Where the Node of the package lies; absent: in a clone. */
  installed?: boolean
}

/** A program in place of Node, which evaluates an expression as Node of its version would. */
const program = (name: string, runs: boolean, version = 'fails'): string => `#!/bin/sh
case $1 in
  --version) ${runs ? 'echo v24.0.0' : 'exit 127'} ;;
  -p) ${version === 'fails' ? 'exit 1' : `exec ${process.execPath} -p "(process => $2)({ versions: { node: '${version}' } })"`} ;;
  *) echo "${name}: $*" ;;
esac
`

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

async function start(
  t: ExecutionContext,
  system: System,
): Promise<SpawnSyncReturns<string> & { entry: string }> {
  const { loaders, runs, host, installed = false } = system
  const folder = await temporaryFolder(t)
  const text = readFileSync(SWAPTIDE, 'utf8')
  t.is(text.match(/ \/lib(64)?\/ld-/g)?.length, 3, 'the places of the three loaders')
  const script = join(folder, 'app/deploy/swaptide')
  writeProgram(script, text.replaceAll(/ (\/lib(?:64)?\/ld-)/g, ` ${folder}/system$1`))
  for (const loader of loaders) writeProgram(join(folder, 'system', loader), '')
  const entry = join(folder, installed ? 'app/dist/deploy/cli.js' : 'app/deploy/cli.ts')
  writeProgram(entry, '')
  const arm = /^(aarch64|arm64)$/.test(
    spawnSync('uname', ['-m'], { encoding: 'utf8' }).stdout.trim(),
  )
  const name = installed ? `node-linux-${arm ? 'arm64' : 'x64'}` : 'node'
  writeProgram(join(folder, 'app/node_modules', name, 'bin/node'), program('packaged', runs))
  const path = join(folder, 'path')
  mkdirSync(path)
  for (const tool of TOOLS) {
    const found = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()
    symlinkSync(found, join(path, tool))
  }
  if (host !== undefined) writeProgram(join(path, 'node'), program('host', true, host))
  const ended = spawnSync('/bin/sh', [script, 'keys', 'list'], {
    encoding: 'utf8',
    env: { PATH: path },
  })
  return { ...ended, entry }
}

const STARTED: [name: string, system: System, node: 'packaged' | 'host'][] = [
  ['with its C library', { loaders: [GLIBC], runs: true, host: '24.0.0' }, 'packaged'],
  ['with its C library on arm64', { loaders: [GLIBC_ARM], runs: true, host: '24.0.0' }, 'packaged'],
  // A probe of Node would end with an error here, and costs the start of a process.
  ['with its C library, and does not probe it', { loaders: [GLIBC], runs: false }, 'packaged'],
  ['without a known C library, where it runs', { loaders: [], runs: true }, 'packaged'],
  ['with musl, where it runs', { loaders: [MUSL], runs: true, host: '24.0.0' }, 'packaged'],
  ['with musl', { loaders: [MUSL], runs: false, host: '24.0.0' }, 'host'],
  [
    'with musl next to a stand-in',
    { loaders: [GLIBC, MUSL], runs: false, host: '100.0.0' },
    'host',
  ],
  ['without a known C library', { loaders: [], runs: false, host: '24.0.0' }, 'host'],
  [
    'with musl, from an installed package',
    { loaders: [MUSL], runs: false, host: '24.0.0', installed: true },
    'host',
  ],
  [
    'with its C library, from an installed package',
    { loaders: [GLIBC], runs: true, host: '24.0.0', installed: true },
    'packaged',
  ],
]

for (const [name, system, node] of STARTED) {
  test(`starts the ${node} Node on a system ${name}`, async (t) => {
    const { status, stdout, stderr, entry } = await start(t, system)
    t.is(stderr, '')
    t.is(stdout, `${node}: ${FLAGS} ${entry} keys list\n`)
    t.is(status, 0)
  })
}

const REFUSED: [name: string, host: string | undefined][] = [
  ['without Node', undefined],
  ['with an older Node', '22.21.1'],
  ['with a Node that fails', 'fails'],
]

for (const [name, host] of REFUSED) {
  test(`refuses a system with another C library ${name}, and names what to install`, async (t) => {
    const system = { loaders: [MUSL], runs: false, ...(host === undefined ? {} : { host }) }
    const { status, stdout, stderr } = await start(t, system)
    t.deepEqual([status, stdout, stderr], [1, '', REFUSAL])
  })
}
