// Debian packages by the host's own apt, changing nothing on the host: lists, caches, status and
// configuration are private; of the host's settings only those for acquiring (proxies, certificates, retries) are
// copied, so hooks that act on the host's folders never run. Signatures are checked by apt as always. Needs apt-get,
// apt-cache, dpkg-deb and gpgv (or sqv).

import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailed, type CommandOptions, runCommand } from '../command.ts'
import { StackUnavailable } from '../host.ts'
import {
  type AptEntry,
  chooseSources,
  PREFERENCES,
  parseDeb822,
  parseOneLine,
} from './apt-sources.ts'

type Env = Readonly<Record<string, string>>

export type Apt = {
  /** Fetches the archive's lists. */
  update(): Promise<void>
  /** The packages' direct dependencies by name, for all that can be reached from the roots. */
  dependencies(roots: readonly string[]): Promise<Map<string, string[]>>
  /** The files that would be downloaded, and their size in bytes. */
  plan(names: readonly string[]): Promise<{ files: string[]; bytes: number }>
  /** Fetches the packages' files into the folder, checked against the signed lists. */
  download(names: readonly string[], folder: string): Promise<void>
}

const HOST_LIST = '/etc/apt/sources.list'
const HOST_PARTS = '/etc/apt/sources.list.d'
/** Debian 13 has the key ring under the first name, older releases and derivatives the second. */
const KEYRINGS = [
  '/usr/share/keyrings/debian-archive-keyring.pgp',
  '/usr/share/keyrings/debian-archive-keyring.gpg',
]

/** Debian 13's sources in deb822: from the mirror a person named, else from the host's own. */
export async function debianSources(mirror: string | undefined): Promise<string> {
  const keyrings: string[] = []
  for (const keyring of KEYRINGS) if (await exists(keyring)) keyrings.push(keyring)
  return chooseSources(mirror, await hostEntries(), keyrings[0])
}

async function hostEntries(): Promise<AptEntry[]> {
  const entries = parseOneLine(await textOf(HOST_LIST))
  const parts = await readdir(HOST_PARTS).catch(() => [])
  for (const part of parts.sort()) {
    const text = await textOf(join(HOST_PARTS, part))
    if (part.endsWith('.list')) entries.push(...parseOneLine(text))
    if (part.endsWith('.sources')) entries.push(...parseDeb822(text))
  }
  return entries
}

/** Names the programs that are missing from the host, or returns. */
export async function requireTools(env: Env): Promise<void> {
  const missing: string[] = []
  for (const tool of ['apt-get', 'apt-cache', 'apt-config', 'dpkg-deb', 'setpriv']) {
    if (!(await onPath(tool, env))) missing.push(tool)
  }
  if (!(await onPath('gpgv', env)) && !(await onPath('sqv', env))) missing.push('gpgv')
  if (missing.length === 0) return
  throw new StackUnavailable(
    `it is unpacked from Debian packages, and the host has no ${missing.join(', ')}`,
  )
}

/** apt with everything private under `folder`, reading the given deb822 sources. */
export async function privateApt(
  folder: string,
  sources: string,
  architecture: string,
  callerEnv: Env,
): Promise<Apt> {
  for (const part of ['lists/partial', 'archives/partial']) {
    await mkdir(join(folder, part), { recursive: true })
  }
  await writeFile(join(folder, 'debian.sources'), sources)
  await writeFile(join(folder, 'preferences'), PREFERENCES)
  // No package counts as installed, so the closure is complete on every host.
  await writeFile(join(folder, 'status'), '')
  const acquire = (await runCommand('apt-config', ['dump'], { env: callerEnv }))
    .split('\n')
    // Lists other than the packages' that the host reads (contents, icons ...) are left out.
    .filter((line) => /^Acquire::(?!IndexTargets)/.test(line))
  await writeFile(
    join(folder, 'apt.conf'),
    [...acquire, ...privateSettings(folder, architecture), ''].join('\n'),
  )
  const env = { ...callerEnv, APT_CONFIG: join(folder, 'apt.conf'), LC_ALL: 'C' }
  return {
    update: async () => {
      await runApt('apt-get', ['update', '-q'], { env })
    },
    dependencies: async (roots) =>
      parseDependencies(
        await runApt('apt-cache', ['depends', '--recurse', '--important', ...roots], { env }),
      ),
    plan: async (names) =>
      parseUris(await runApt('apt-get', ['download', '--print-uris', ...names], { env })),
    download: async (names, into) => {
      await runApt('apt-get', ['download', '-q', ...names], { env, cwd: into })
    },
  }
}

/** A failure's text is the lines that apt marks as errors, without its progress. */
async function runApt(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  return runCommand(program, args, options).catch((cause: Error) => {
    const errors = cause.message.match(/^E: .*/gm)?.map((line) => line.slice(3).trim())
    throw errors === undefined ? cause : new CommandFailed(errors.slice(0, 2).join(' '), { cause })
  })
}

function privateSettings(folder: string, architecture: string): string[] {
  const settings: [string, string][] = [
    ['APT::Architecture', architecture],
    ['Dir::State', folder],
    ['Dir::State::lists', join(folder, 'lists')],
    ['Dir::State::status', join(folder, 'status')],
    ['Dir::Cache', folder],
    ['Dir::Cache::archives', join(folder, 'archives')],
    ['Dir::Etc::sourcelist', join(folder, 'debian.sources')],
    ['Dir::Etc::sourceparts', '/dev/null'],
    ['Dir::Etc::preferences', join(folder, 'preferences')],
    ['Dir::Etc::preferencesparts', '/dev/null'],
    ['Dir::Etc::main', '/dev/null'],
    ['Dir::Etc::parts', '/dev/null'],
    ['Acquire::Languages', 'none'],
    ['Acquire::Retries', '2'],
    // A list that could not be fetched is an error to report, not a warning to lose.
    ['APT::Update::Error-Mode', 'any'],
  ]
  return [
    '#clear APT::Architectures;',
    `APT::Architectures { "${architecture}"; };`,
    ...settings.map(([name, value]) => `${name} "${value}";`),
  ]
}

/** Reads `apt-cache depends`: a name at the margin, its "Depends: name" lines indented below. */
export function parseDependencies(text: string): Map<string, string[]> {
  const dependencies = new Map<string, string[]>()
  let current: string[] = []
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) {
      current = []
      dependencies.set(line.trim(), current)
      continue
    }
    const match = /^[ |]*(?:Pre)?Depends: ([^<\s]+)/.exec(line)
    if (match?.[1] !== undefined) current.push(match[1])
  }
  return dependencies
}

/** Reads `--print-uris`: 'uri' file-name size hash. */
export function parseUris(text: string): { files: string[]; bytes: number } {
  const files: string[] = []
  let bytes = 0
  for (const line of text.split('\n')) {
    const match = /^'[^']*' (\S+) (\d+)/.exec(line)
    if (match?.[1] === undefined) continue
    files.push(match[1])
    bytes += Number(match[2])
  }
  return { files, bytes }
}

async function onPath(program: string, env: Env): Promise<boolean> {
  for (const folder of (env.PATH ?? '').split(':')) {
    if (folder !== '' && (await exists(join(folder, program)))) return true
  }
  return false
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
