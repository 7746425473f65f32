/** Repeated runs of a test file: each run counts, the output of one that fails is printed, and `--stop` ends with it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { TIMES_VARIABLE } from '../check/threads.ts'
import { ROOT } from '../sources.ts'
import { type Repeats, repeat } from './repeat.ts'

/** Fails in every second run, which it counts in a file next to it. */
const EVERY_SECOND = `import { appendFileSync, readFileSync } from 'node:fs'
import test from 'ava'
test('passes at times', (t) => {
  const runs = new URL('runs', import.meta.url)
  appendFileSync(runs, '.')
  t.is(readFileSync(runs, 'utf8').length % 2, 1, 'it was an even run')
})
`

test('runs a file again, counts failed runs and prints their output', async (t) => {
  const folder = await mkdtemp(join(ROOT, '.test-repeat-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const below = folder.slice(ROOT.length)
  const file = `${below}/flaky.test.ts`
  const config = { files: [file], extensions: ['ts'] }
  await writeFile(join(ROOT, file), EVERY_SECOND)
  await writeFile(join(folder, 'ava.config.js'), `export default ${JSON.stringify(config)}`)
  const lines: string[] = []
  const repeats: Repeats = {
    ...{ file, times: 3, args: ['--config', `${below}/ava.config.js`], stopsAtFailure: false },
    // A separate file of times: its runs are none of the run that this test is a part of.
    variables: { [TIMES_VARIABLE]: join(folder, 'times') },
    signal: new AbortController().signal,
    print: (line) => lines.push(line),
  }
  t.deepEqual(await repeat(repeats), { runs: 3, failures: 1 }, lines.join('\n'))
  t.is(lines.filter((line) => line.includes('it was an even run')).length, 1)
  t.regex(lines.at(-1) ?? '', / 1 of 3 runs failed, /)
  t.deepEqual(await repeat({ ...repeats, stopsAtFailure: true }), { runs: 1, failures: 1 })
})
