/**
 * What `npm run check` runs: the tests that need no servers. A test needs them when it reaches
 * support/servers.ts by its imports, since every server of a test comes from there.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT, readSources, type Source, targetOf } from './sources.ts'

const SERVERS = 'test/support/servers.ts'

function pureTests(sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (path === SERVERS) return true
    if (seen.has(path)) return false
    seen.add(path)
    const source = byPath.get(path)
    if (source === undefined) return false
    return source.imports.some((each) => reaches(targetOf(each, path) ?? '', seen))
  }
  return sources
    .map(({ path }) => path)
    .filter((path) => path.endsWith('.test.ts') && !reaches(path, new Set()))
}

const ava = join(ROOT, 'node_modules/.bin/ava')
const args = [ava, ...process.argv.slice(2), ...pureTests(readSources())]
const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: ROOT })
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
