/**
 * What `npm run check` runs: the tests that need no servers. A test needs them when it reaches
 * support/servers.ts by its imports, since every server of a test comes from there.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { listFiles, ROOT, readText, targetOf } from './sources.ts'

const SERVERS = 'test/support/servers/servers.ts'
/** Tests without servers that take too long for the quick loop: `npm test` alone runs them. */
const SLOW = new Set(['test/recipes.test.ts'])

function pureTests(): string[] {
  const paths = listFiles().filter((path) => path.endsWith('.ts'))
  const known = new Set(paths)
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (path === SERVERS) return true
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

const ava = join(ROOT, 'node_modules/.bin/ava')
const args = [ava, ...process.argv.slice(2), ...pureTests()]
const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: ROOT })
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
