/**
 * Runs the tests that need no servers, for `npm run check`. A test needs servers when its imports reach a file that
 * starts them: the stack's, or a server of chain data.
 *
 * Ava starts a thread for each file, which costs more than most pure tests: files are imported by one group for each top
 * folder. Those with clocks and timers run as files of their own: in a group they would wait for its long computations.
 * Titles within a group must differ: ava reports two that are equal.
 */
import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { listFiles, ROOT, readText, targetOf } from '../sources.ts'

const SERVERS = new Set([
  'test/support/servers/servers.ts',
  'test/support/chain/rpc-server.ts',
  'test/support/chain/geyser/server.ts',
])
/** Tests without servers that take too long for the quick loop: `npm test` alone runs them. */
const SLOW = new Set(['test/recipes.test.ts'])
/** Tests that measure time or memory or wait, that run programs, or that have an order. */
const NEEDS_THREAD =
  /\b(memory\.ts|setTimeout|setInterval|node:timers|performance\.now|Date\.now|process\.|node:child_process)|\btest\.(serial|before|after)\b/
/** Generated for the run and removed after it. */
const GROUPS = join(ROOT, '.check')

const CONFIG = `export default {
  files: ['.check/*.test.ts', 'test/**/*.test.ts'],
  extensions: ['ts'],
  timeout: '3m',
  concurrency: 2,
}
`

function pureTests(): string[] {
  const paths = listFiles().filter((path) => path.endsWith('.ts'))
  const known = new Set(paths)
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (SERVERS.has(path)) return true
    if (seen.has(path) || !known.has(path)) return false
    seen.add(path)
    return targetsOf(path).some((target) => reaches(target, seen))
  }
  return paths.filter(
    (path) => path.endsWith('.test.ts') && !SLOW.has(path) && !reaches(path, new Set()),
  )
}

/** Our own files that a file imports, as the formatter writes imports. */
function targetsOf(path: string): string[] {
  const specifiers = readText(path).matchAll(/\b(?:from |import |import\()'(\.[^']+)'/g)
  return Array.from(specifiers, ([, specifier = '']) => targetOf({ specifier }, path) ?? '')
}

/** Writes the groups. Returns what ava runs, tests that wait first. */
async function grouped(paths: readonly string[]): Promise<string[]> {
  const groupOf = (path: string): string | undefined => {
    if (dirname(path) === 'test') return 'house'
    return NEEDS_THREAD.test(readText(path)) ? undefined : path.split('/')[1]
  }
  const groups = Map.groupBy(paths, groupOf)
  const alone = groups.get(undefined) ?? []
  groups.delete(undefined)
  await mkdir(GROUPS, { recursive: true })
  await writeFile(join(GROUPS, 'ava.config.js'), CONFIG)
  for (const [name, members] of groups) {
    const imports = members.map((path) => `import '../${path}'\n`)
    await writeFile(join(GROUPS, `${name}.test.ts`), imports.join(''))
  }
  return [...alone, ...Array.from(groups.keys(), (name) => `.check/${name}.test.ts`)]
}

try {
  const files = await grouped(pureTests())
  const ava = join(ROOT, 'node_modules/.bin/ava')
  const args = [ava, '--config', '.check/ava.config.js', ...process.argv.slice(2), ...files]
  const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: ROOT })
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
} finally {
  await rm(GROUPS, { recursive: true, force: true })
}
