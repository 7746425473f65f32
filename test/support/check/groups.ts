/**
 * Groups the tests that need no servers. A test needs servers when its imports reach a file that starts them: the
 * stack's, or a server of chain data.
 *
 * Ava starts a thread for each file, which costs more than most pure tests: files are imported by one group for each top
 * folder. Those with clocks and timers run as files of their own: in a group they would wait for its long computations.
 * Titles within a group must differ: ava reports two that are equal.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { listFiles, ROOT, readText, targetOf } from '../sources.ts'
import { secondsOf } from './times.ts'

const SERVERS = new Set([
  'test/support/servers/servers.ts',
  'test/support/chain/rpc-server.ts',
  'test/support/chain/geyser/server.ts',
])
/** Tests without servers that take too long for the quick loop, as all that measure memory: `npm test` alone runs them. */
const SLOW = new Set([
  'test/clients/typescript/package.test.ts',
  'test/limits.test.ts',
  'test/recipes.test.ts',
  'test/chain/encoder/encode-block.test.ts',
  'test/support/suite/repeat.test.ts',
])
const MEASURES_MEMORY = /\bsupport\/memory\.ts'|\bmemoryUsage\b/
/** Tests that measure time or wait, that run programs, or that have an order. */
const NEEDS_THREAD =
  /\b(setTimeout|setInterval|node:timers|performance\.now|Date\.now|process\.|node:child_process)|\btest\.(serial|before|after)\b/

/**
 * Folders whose tests share servers, and nothing that belongs to a thread or a process: some of their files run in one
 * thread, which loads what they import once.
 */
const GROUPED = new RegExp(
  `^test/(${[
    'api/(gateway|graphql|mcp|openapi|resources|routing|serving)',
    'sql',
    'streams/ingest',
    'workers/[a-z]+',
  ].join('|')})/`,
)
/** More make a thread that is still running when all others have ended. */
const GROUP_FILES_MAX = 5
/** Tests of pages over one demo, whose five programs and market cost more than most of them; each group opens one. */
const SHARES_DEMO = /\bdemoForFile\(\)/
/** Files of pages run one after the other: more of them make the last thread of a run. */
const DEMO_FILES_MAX = 5
const DEMO = 'web-demo'
/** Tests of processes, of memory, or of what a whole process shares, such as its signals and lost databases. */
const NEEDS_PROCESS =
  /\b(process\.|node:child_process|spawnWorker|ownStack|runLimited|chromium)|support\/memory\.ts/
/** Ava refuses tests that are declared after a file has waited. */
const WAITS = /^(?:const [^=\n]+ = )?await /m

/** The settings of package.json with the files of `folder` as well. */
function configOf(folder: string, concurrency: number): string {
  const { ava } = JSON.parse(readText('package.json'))
  const files = [`${folder}/*.test.ts`, ...ava.files]
  return `export default ${JSON.stringify({ ...ava, files, concurrency })}\n`
}

export type Tests = { pure: string[]; others: string[] }

/** All test files. */
export function listTests(): Tests {
  const paths = listFiles().filter((path) => path.endsWith('.ts'))
  const known = new Set(paths)
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (SERVERS.has(path)) return true
    if (seen.has(path) || !known.has(path)) return false
    seen.add(path)
    return targetsOf(path).some((target) => reaches(target, seen))
  }
  const tests = paths.filter((path) => path.endsWith('.test.ts'))
  const isSlow = (path: string): boolean => SLOW.has(path) || MEASURES_MEMORY.test(readText(path))
  const pure = tests.filter((path) => !isSlow(path) && !reaches(path, new Set()))
  const isPure = new Set(pure)
  return { pure, others: tests.filter((path) => !isPure.has(path)) }
}

/** Our own files that a file imports, as the formatter writes imports. */
function targetsOf(path: string): string[] {
  const specifiers = readText(path).matchAll(/\b(?:from |import |import\()'(\.[^']+)'/g)
  return Array.from(specifiers, ([, specifier = '']) => targetOf({ specifier }, path) ?? '')
}

function groupOfPure(path: string): string | undefined {
  if (dirname(path) === 'test') return 'house'
  return NEEDS_THREAD.test(readText(path)) ? undefined : path.split('/')[1]
}

function groupOfServed(path: string): string | undefined {
  const text = readText(path)
  if (SHARES_DEMO.test(text)) return DEMO
  if (NEEDS_PROCESS.test(text) || WAITS.test(text)) return undefined
  return GROUPED.exec(path)?.[1]?.replaceAll('/', '-')
}

/** Groups of few files, as equal in number as can be. */
function partsOf(name: string, members: readonly string[]): [string, string[]][] {
  const count = Math.ceil(members.length / (name === DEMO ? DEMO_FILES_MAX : GROUP_FILES_MAX))
  return Array.from({ length: count }, (_, part) => [
    `${name}-${part + 1}`,
    members.filter((_, index) => index % count === part),
  ])
}

/** One that begins last runs without company. A file that was not measured may be long. */
function longestFirst(paths: readonly string[]): string[] {
  const secondsOrMost = (path: string): number => secondsOf(path) ?? Number.POSITIVE_INFINITY
  return paths.toSorted((one, other) => {
    const [ofOne, ofOther] = [secondsOrMost(one), secondsOrMost(other)]
    return ofOne === ofOther ? 0 : ofOther - ofOne
  })
}

type Grouped = { args: string[]; remove(): Promise<void> }

/**
 * Writes groups of pure tests into `folder`, below the root, until they are removed. Returns ava's arguments for these
 * and `others`: these first.
 */
export async function groupTests(
  { pure, others }: Tests,
  { folder, concurrency }: { folder: string; concurrency: number },
): Promise<Grouped> {
  const groups = Map.groupBy(pure, groupOfPure)
  const alone = groups.get(undefined) ?? []
  groups.delete(undefined)
  const byFolder = Map.groupBy(others, groupOfServed)
  const first = byFolder.get(undefined) ?? []
  byFolder.delete(undefined)
  const served = [...byFolder].flatMap(([name, members]) => partsOf(name ?? '', members))
  const written = join(ROOT, folder)
  await mkdir(written, { recursive: true })
  await writeFile(join(written, 'ava.config.js'), configOf(folder, concurrency))
  for (const [name, members] of [...groups, ...served]) {
    const imports = members.map((path) => `import '../${path}'\n`)
    await writeFile(join(written, `${name}.test.ts`), imports.join(''))
  }
  // The longest first: one that begins last runs without company.
  const sorted = [...groups].sort(([, one], [, other]) => other.length - one.length)
  const names = sorted.map(([name]) => `${folder}/${name}.test.ts`)
  return {
    args: [
      ...['--config', `${folder}/ava.config.js`],
      ...longestFirst([...first, ...served.map(([name]) => `${folder}/${name}.test.ts`)]),
      ...names,
      ...alone,
    ],
    remove: () => rm(written, { recursive: true, force: true }),
  }
}
