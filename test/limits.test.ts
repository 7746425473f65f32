/** The limit of time of a test file: a file that hangs is ended with its programs, and the others run on. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { isAlive } from '../deploy/local/state.ts'
import { runLimited } from './support/check/limited-run.ts'
import { readTimes } from './support/check/times.ts'
import { ROOT } from './support/sources.ts'

const LIMIT_MS = 10_000
/** Until then the file that spins leaves the core to other tests. */
const SPINS_AFTER_MS = 7_000
const HANGS = `import { spawn } from 'node:child_process'
import test from 'ava'
test('hangs', async (t) => {
  console.log('program ' + spawn('sleep', ['600'], { stdio: 'ignore' }).pid)
  t.pass()
  await new Promise(() => setInterval(() => {}, 1_000))
})
`
const SPINS = `import test from 'ava'
test('spins', async (t) => {
  t.pass()
  await new Promise((spin) => setTimeout(spin, ${SPINS_AFTER_MS}))
  for (;;);
})
`
const ENDS = `import test from 'ava'
test('ends', (t) => t.pass())
`

test('a file that hangs is ended with its programs, counts as failed, and the others run on', async (t) => {
  const folder = await mkdtemp(join(ROOT, '.test-limits-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const files = { hangs: HANGS, spins: SPINS, ends: ENDS }
  const require = ['./test/support/check/admission/wait.ts']
  const config = { files: ['*.test.ts'], extensions: ['ts'], concurrency: 3, require }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.test.ts`), text)
  }
  const below = folder.slice(ROOT.length)
  const list = config.files.map((file) => `${below}/${file}`)
  const text = `export default ${JSON.stringify({ ...config, files: list, timeout: '3m' })}`
  await writeFile(join(folder, 'ava.config.js'), text)
  const { code, output } = await runLimited(folder, LIMIT_MS)
  const times = await readTimes(join(folder, 'times'))
  const ended = times.filter(({ isEnded }) => isEnded).map(({ file }) => file)
  t.deepEqual(ended.toSorted(), [`${below}/hangs.test.ts`, `${below}/spins.test.ts`])
  t.is(code, 1, output)
  t.regex(output, /✔ .*ends/)
  for (const name of ['hangs', 'spins']) {
    t.true(output.includes(`[limit]: ${below}/${name}.test.ts was ended after 10 s`), output)
  }
  const [, pid = ''] = /program (\d+)/.exec(output) ?? []
  t.false(isAlive(Number(pid)), `program "${pid}"`)
})
