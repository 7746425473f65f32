// Debian packages by the host's own apt, changing nothing on the host: lists, caches, status and
// configuration are private; of the host's settings only those for acquiring (proxies, certificates, retries) are
// copied, so hooks that act on the host's folders never run. Signatures are checked by apt as always. Needs apt-get,
// apt-cache, apt-config and gpgv (or sqv).

import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandFailed, type CommandOptions, runCommand } from '../command.ts'
import {
  type AptEntry,
  PREFERENCES,
  parseDeb822,
  parseOneLine,
  sourcesFromHost,
} from './apt-sources.ts'
import type { PackageArchive } from './package-archive.ts'

type Env = Readonly<Record<string, string>>

const HOST_LIST = '/etc/apt/sources.list'
const HOST_PARTS = '/etc/apt/sources.list.d'
/** Debian 13's sources in deb822 as the host's own imply them; undefined: the host has none of Debian's main archive. */
export async function hostSources(): Promise<string | undefined> {
  return sourcesFromHost(await hostEntries())
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

/** The programs of apt that the host lacks. */
export async function missingTools(env: Env): Promise<string[]> {
  const missing: string[] = []
  for (const tool of ['apt-get', 'apt-cache', 'apt-config']) {
    if (!(await onPath(tool, env))) missing.push(tool)
  }
  if (!(await onPath('gpgv', env)) && !(await onPath('sqv', env))) missing.push('gpgv')
  return missing
}

/** apt with everything private under `folder`, reading the given deb822 sources. */
export async function privateApt(
  folder: string,
  sources: string,
  architecture: string,
  callerEnv: Env,
): Promise<PackageArchive> {
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
    // A mirror without one of the suites makes apt complain; the lists that it read are signed.
    update: () =>
      runApt('apt-get', ['update', '-q'], { env }).then(
        () => undefined,
        (cause: CommandFailed) => cause.message,
      ),
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
