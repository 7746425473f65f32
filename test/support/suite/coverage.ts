/**
 * `npm run coverage [-- ARGUMENTS]`: runs the tests, all or those that the arguments of `test/support/run.ts` name, and
 * prints the lines of code that ran, by top folder. Node writes a report for each process and thread that ends, child
 * processes included; one that is killed reports nothing, nor does the browser. Reports are large and are read while
 * the tests run. The tree is that of the working directory, which may be of another commit. The exit code is the tests'.
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cover, type Script, type Source, sourceOf } from './lines.ts'

const READ_EVERY_MS = 2_000
/** A report that was changed less long ago may be incomplete. */
const SETTLED_MS = 5_000

const root = process.cwd()
const sources = new Map<string, Source>()
for (const path of globSync('*/**/*.ts', { cwd: root, exclude: isForeign })) {
  sources.set(path, sourceOf(readFileSync(join(root, path), 'utf8')))
}

/** Folders that are not measured. */
function isForeign(path: string): boolean {
  return /^(test|\..*)$/.test(path) || path.endsWith('node_modules')
}

type Counted = { read: number; unreadable: number }

/** Reads and removes the reports in the folder: those that are complete for sure, at the end all. */
function readReports(folder: string, counted: Counted, isEnd: boolean): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (!isEnd && Date.now() - statSync(file).mtimeMs < SETTLED_MS) continue
    try {
      const { result } = JSON.parse(readFileSync(file, 'utf8')) as { result: Script[] }
      for (const script of result) coverScript(script)
      counted.read += 1
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      counted.unreadable += 1
    }
    rmSync(file)
  }
}

function coverScript(script: Script): void {
  if (!script.url.startsWith('file:')) return
  const source = sources.get(relative(root, fileURLToPath(script.url)))
  if (source !== undefined) cover(source, script)
}

function printFolders({ read, unreadable }: Counted): void {
  const byFolder = Map.groupBy(sources, ([path]) => path.slice(0, path.indexOf('/')))
  const row = (name: string, files: readonly (readonly [string, Source])[]): void => {
    const lines = files.reduce((sum, [, source]) => sum + source.lines.length, 0)
    const covered = files.reduce((sum, [, source]) => sum + source.covered.size, 0)
    if (lines === 0) return
    const percent = ((100 * covered) / lines).toFixed(2)
    console.log(`| ${name} | ${files.length} | ${lines} | ${covered} | ${percent} % |`)
  }
  console.log('| folder | files | lines | covered | share |\n| --- | --- | --- | --- | --- |')
  const names = [...byFolder.keys()].toSorted()
  for (const name of names) row(name, byFolder.get(name) ?? [])
  row('all', [...sources])
  console.log(`\n${read} processes and threads reported, ${unreadable} incompletely`)
}

const folder = mkdtempSync(join(tmpdir(), 'swaptide-coverage-'))
// Some tests run programs as another account.
chmodSync(folder, 0o777)
const counted = { read: 0, unreadable: 0 }
const run = spawn(process.execPath, ['test/support/run.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Code of the cache is counted by function instead of by block.
  env: { ...process.env, NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' },
})
// A terminal's signal ends the run, and what ran before is printed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal))
const reading = setInterval(() => readReports(folder, counted, false), READ_EVERY_MS)
run.once('exit', (code) => {
  clearInterval(reading)
  readReports(folder, counted, true)
  rmSync(folder, { recursive: true })
  printFolders(counted)
  process.exitCode = code ?? 1
})
