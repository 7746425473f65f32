/**
 * docs/operations/cluster.md, run as it is: every block of commands in order by one shell of an account that is not root, on free
 * ports, in an empty folder. Each line of the output that the page shows must occur in the output of the block before it; counts are
 * compared exactly, durations are not.
 */
import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type ExecutionContext } from 'ava'
import { give, serverAccount, unprivileged } from '../../../deploy/local/account.ts'
import { toolEnv } from '../../../deploy/local/host.ts'
import { hostPrefix } from '../../../deploy/local/packages/host-prefix.ts'
import { userNames } from '../../../deploy/local/packages/prefix.ts'
import { unpackedPackages } from '../../support/servers/debian/packages.ts'
import { ownPort, ownPortsFrom } from '../../support/servers/own-port.ts'
import { stackDefaults } from '../../support/servers/servers.ts'
import { ROOT, readText } from '../../support/sources.ts'

const TIMEOUT_MS = 900_000
const PORTS = 'PG1 PG2 POOLER REDIS N1 N2 N3 R1 R2 R3 API1 API2'.split(' ')
/** The parts use this many ports from METRICS on. */
const METRICS_PORTS = 5
const MARK = '=== block '

type Block = { commands: string; expected: string[] }

function blocksOf(page: string): Block[] {
  const found = page.matchAll(/^```sh\n(.*?)^```\n(?:```text\n(.*?)^```\n)?/gms)
  return Array.from(found, ([, commands = '', shown = '']) => ({
    commands,
    expected: shown.split('\n').filter(Boolean).map(comparable),
  }))
}

/** Moments, durations, ages, sequences of streams and logs, and sealed swaps as 0, and spaces as one: the rest is the same in every run. */
const comparable = (line: string): string =>
  line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '0')
    .replaceAll(/(?<= in |Age-Ms: | message | to | ends at | expected )\d[\d,.]*/g, '0')
    .replaceAll(/\d[\d,]*(?= (?:swaps? in|segments? of|swaps?: whole))/g, '0')
    .replaceAll(/\bsegment\b/g, 'segments')
    .replaceAll(/\s+/g, ' ')
    .trim()

async function freePorts(): Promise<Record<string, string>> {
  const chosen = new Set<number>()
  while (chosen.size < PORTS.length) chosen.add(await ownPort())
  const ports = [...chosen].map((port, index) => [PORTS[index] ?? '', String(port)])
  return { ...Object.fromEntries(ports), METRICS: String(await ownPortsFrom(METRICS_PORTS)) }
}

/** Debian's PgBouncer, as the page expects it on PATH. */
async function linkBouncer(folder: string): Promise<void> {
  const { folder: root, platform } = await unpackedPackages('pgbouncer', ['pgbouncer'], {
    withLibraries: true,
  })
  const libraries = join(root, platform.libraries)
  const path = join(folder, 'pgbouncer')
  await mkdir(folder)
  await writeFile(
    path,
    `#!/bin/sh\nexec ${join(libraries, platform.loader)} --inhibit-cache --library-path ${libraries} ` +
      `${join(root, 'usr/sbin/pgbouncer')} "$@"\n`,
  )
  await chmod(path, 0o755)
}

async function operatorShell(t: ExecutionContext, script: string): Promise<string> {
  const { env: given = {}, debianMirror, log } = stackDefaults((line) => t.log(line))
  const prefix = await hostPrefix({ environment: given, debianMirror, log })
  const account = serverAccount(process.getuid?.() ?? 0)
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-operator-'))
  await linkBouncer(join(folder, 'bin'))
  await give(account, folder)
  await chmod(folder, 0o755)
  const env = {
    ...{ HOME: folder, SWAPTIDE: ROOT, SWAPTIDE_CACHE: dirname(prefix.path), LC_ALL: 'C.UTF-8' },
    ...{ NODE_COMPILE_CACHE: join(folder, 'compiled'), ...userNames(prefix, account) },
    ...{ ...(await freePorts()), PATH: `${join(folder, 'bin')}:${toolEnv(given).PATH}` },
  }
  const child = spawn('setpriv', [...unprivileged(account), 'bash', '-s'], {
    ...{ cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
  })
  t.teardown(async () => {
    const postgres = await Promise.all(['pg1', 'pg2'].map((name) => serverOf(folder, name)))
    for (const pid of [-(child.pid ?? 0), ...postgres]) end(pid)
    await rm(folder, { recursive: true, force: true })
  })
  child.stdin.end(script)
  return await text(child.stdout)
}

async function serverOf(folder: string, name: string): Promise<number> {
  const path = join(folder, 'cluster', name, 'postmaster.pid')
  return Number((await readFile(path, 'utf8').catch(() => '')).split('\n')[0])
}

function end(pid: number): void {
  if (Number.isNaN(pid) || pid === 0) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // Stopped by the page itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

test('the cluster form is set up, broken and promoted by the commands of its page', async (t) => {
  t.timeout(TIMEOUT_MS)
  const blocks = blocksOf(readText('docs/operations/cluster.md'))
  t.true(blocks.length >= 16)
  const script = blocks.map(({ commands }, index) => `echo '${MARK}${index}'\n${commands}`)
  const output = await operatorShell(t, `exec 2>&1\n${script.join('')}`)
  const parts = output.split(new RegExp(`^${MARK}\\d+\\n`, 'm')).slice(1)
  t.is(parts.length, blocks.length, output)
  for (const [index, { commands, expected }] of blocks.entries()) {
    const printed = (parts[index] ?? '').split('\n').map(comparable)
    const missing = expected.filter((line) => !printed.some((each) => each.includes(line)))
    t.deepEqual(missing, [], `${commands}\nprinted\n${parts[index]}`)
  }
})
