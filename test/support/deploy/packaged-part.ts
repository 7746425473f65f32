/**
 * A part as a package names it (a Kubernetes manifest, a systemd unit), run as a process: the very command and
 * environment, with free ports instead of those that it would have to itself, and a temporary folder for each volume.
 *
 * Decision: docs/decisions/0061-manifests-are-run-as-processes.md
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { LOOPBACK } from '../../../deploy/local/ports.ts'
import { ownPort } from '../servers/own-port.ts'
import { temporaryFolder } from '../servers/servers.ts'
import { ROOT } from '../sources.ts'
import { until } from '../workers/pipeline.ts'

export type Probe = { kind: string; path: string; port: number }

export type PackagedPart = {
  name: string
  /** The program is a path below `installedIn`. */
  argv: readonly string[]
  /** Where the package has the project. */
  installedIn: string
  environment: Readonly<Record<string, string>>
  /** Ports that the part may listen on. */
  ports: readonly number[]
  /** Folders that the part may write to. */
  volumes: readonly string[]
  account: { uid: number; gid: number }
  probes: readonly Probe[]
  beforeStop: readonly string[] | undefined
  graceSeconds: number
}

const BOUND_MS = 120_000
const PORT_SETTINGS = ['PORT', 'GRPC_PORT', 'METRICS_PORT']
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

type Running = {
  child: ChildProcess
  output(): string
  /** The answer at a port that the package names. */
  get(port: number, path: string): Promise<{ status: number; text: string } | undefined>
  /** Resolves once each probe succeeds. */
  untilReady(): Promise<void>
  /** Stops the part as its package does. */
  stop(): Promise<{ code: number | null; signal: string | null; seconds: number }>
}

/** Starts it; a part that still runs when the test ends is killed. */
export async function startPart(t: ExecutionContext, part: PackagedPart): Promise<Running> {
  const ports = new Map<number, number>()
  for (const port of part.ports) ports.set(port, await ownPort())
  const folders = await ownFolders(t, part)
  const [program = '', ...args] = part.argv
  const child = spawn(join(ROOT, program.replace(`${part.installedIn}/`, '')), args, {
    cwd: ROOT,
    env: { PATH, ...environmentOf(part, ports, folders) },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...accountOf(part),
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      printed += piece
    })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    if (!t.passed) t.log(part.name, printed)
  })
  const get: Running['get'] = async (port, path) => {
    const own = ports.get(port)
    if (own === undefined) throw new Error(`${part.name} may not listen on port ${port}`)
    const answer = await fetch(`http://${LOOPBACK}:${own}${path}`).catch(() => undefined)
    return answer && { status: answer.status, text: await answer.text() }
  }
  return {
    child,
    output: () => printed,
    get,
    async untilReady() {
      for (const { kind, port, path } of part.probes)
        await until(`${part.name} answers its probe ${kind}`, BOUND_MS, async () => {
          if (child.exitCode !== null) throw new Error(`${part.name} ended: ${printed}`)
          return (await get(port, path))?.status === 200
        })
    },
    async stop() {
      const startedAt = performance.now()
      const [before, ...beforeArgs] = part.beforeStop ?? []
      if (before !== undefined) await promisify(execFile)(before, beforeArgs)
      child.kill('SIGTERM')
      await ended
      const seconds = (performance.now() - startedAt) / 1_000
      return { code: child.exitCode, signal: child.signalCode, seconds }
    },
  }
}

/** Returns the result of a part that ends by itself. */
export async function runPart(t: ExecutionContext, part: PackagedPart) {
  const { child, output } = await startPart(t, part)
  if (child.exitCode === null) await new Promise((resolve) => child.once('close', resolve))
  return { code: child.exitCode, output: output() }
}

/**
 * Root runs it as the account of the package, which cannot write to the project: as on a read-only file system. Not where that
 * account cannot read the project.
 */
function accountOf({ account }: PackagedPart): Partial<PackagedPart['account']> {
  return process.getuid?.() === 0 && isReadableByAll ? account : {}
}

const READ_BY_ALL = 0o004
const ENTERED_BY_ALL = 0o001
const isReadableByAll =
  (statSync(join(ROOT, 'deploy/cli.ts')).mode & READ_BY_ALL) !== 0 &&
  foldersAbove(join(ROOT, 'deploy/cli.ts')).every(
    (folder) => (statSync(folder).mode & ENTERED_BY_ALL) !== 0,
  )

function foldersAbove(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...foldersAbove(parent)]
}

async function ownFolders(t: ExecutionContext, part: PackagedPart): Promise<[string, string][]> {
  const folders: [string, string][] = []
  for (const volume of part.volumes) {
    const folder = join(await temporaryFolder(t), 'volume')
    await mkdir(folder)
    const { uid, gid } = accountOf(part)
    if (uid !== undefined && gid !== undefined) {
      await chown(join(folder, '..'), uid, gid)
      await chown(folder, uid, gid)
    }
    folders.push([volume, folder])
  }
  return folders
}

function environmentOf(
  { environment }: PackagedPart,
  ports: ReadonlyMap<number, number>,
  folders: readonly [string, string][],
): Record<string, string> {
  const own = ([name, value]: [string, string]): [string, string] => {
    if (PORT_SETTINGS.includes(name)) return [name, String(ports.get(Number(value)) ?? value)]
    const [volume, folder] = folders.find(([each]) => `${value}/`.startsWith(`${each}/`)) ?? []
    return volume === undefined ? [name, value] : [name, `${folder}${value.slice(volume.length)}`]
  }
  return Object.fromEntries(Object.entries(environment).map(own))
}
