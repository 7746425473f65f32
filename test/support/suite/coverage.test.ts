/** Coverage of lines: of one source by hand, and of a small tree by a process, its child and its thread. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryFolder } from '../servers/servers.ts'
import { cover, type Range, sourceOf } from './lines.ts'

const TEXT = `// A comment.
type Pair = [one: number, other: number]

export function first([one]: Pair): number {
  if (one < 0) {
    return 0
  }
  return one
}
`
const all: Range = { startOffset: 0, endOffset: TEXT.length, count: 1 }
const body = (count: number): Range => ({
  startOffset: TEXT.indexOf('function'),
  endOffset: TEXT.lastIndexOf('}') + 1,
  count,
})
const branch = (count: number): Range => ({
  startOffset: TEXT.indexOf('{\n    return'),
  endOffset: TEXT.indexOf('}\n  return') + 1,
  count,
})

test('counts lines of code, each by the innermost range that holds all of it', (t) => {
  const source = sourceOf(TEXT)
  const numbers = source.lines.map(({ number }) => number)
  t.deepEqual(numbers, [4, 5, 6, 7, 8, 9])
  cover(source, { functions: [{ ranges: [all] }, { ranges: [body(0)] }] })
  t.deepEqual([...source.covered], [4], 'the function is declared, and was not called')
  cover(source, { functions: [{ ranges: [all] }, { ranges: [body(2), branch(0)] }] })
  t.deepEqual([...source.covered], [4, 5, 8, 9])
  cover(source, { functions: [{ ranges: [all] }, { ranges: [body(1), branch(1)] }] })
  t.deepEqual(source.covered.size, 6, 'what ran in any process is covered')
})

const SUMS = `export function inProcess(one: number): number {
  return one + 1
}
export function inChild(one: number): number {
  return one + 2
}
export function inThread(one: number): number {
  return one + 3
}
export function nowhere(one: number): number {
  return one + 4
}
`
const RUN = `import { execFileSync } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { inChild, inProcess, inThread } from '../../domain/sums.ts'
const [what] = process.argv.slice(2)
if (what === 'child') inChild(1)
else {
  inProcess(1)
  execFileSync(process.execPath, [import.meta.filename, 'child'], { env: {} })
  const sums = new URL('../../domain/sums.ts', import.meta.url)
  new Worker(\`import('\${sums}').then(({ inThread }) => inThread(1))\`, { eval: true })
  process.exitCode = 3
}
`

test('adds up what ran in a process, its child and its thread, and exits as the tests do', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'domain'))
  await mkdir(join(folder, 'test/support'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'domain/sums.ts'), SUMS)
  await writeFile(join(folder, 'domain/never-loaded.ts'), 'export const one = 1\n')
  await writeFile(join(folder, 'test/support/run.ts'), RUN)
  const program = join(import.meta.dirname, 'coverage.ts')
  const running = promisify(execFile)(process.execPath, [program], { cwd: folder })
  const { code, stdout } = (await t.throwsAsync(running)) as Error & {
    code: number
    stdout: string
  }
  t.is(code, 3)
  t.regex(stdout, /^\| domain \| 2 \| 13 \| 10 \| 76\.92 % \|$/m)
  t.regex(stdout, /^3 processes and threads reported, 0 incompletely$/m)
})
