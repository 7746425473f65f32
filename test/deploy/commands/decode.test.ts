/** `swaptide decode`: chain files to lines, and from there through `swaptide ingest` into the tables. */
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { testWithChain } from '../../support/chain/real-chain.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { openPipeline, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const BLOCK = fileURLToPath(new URL('../../data/chain/block_285000037.json.gz', import.meta.url))
const SWAPS = 133

testWithChain('a block decoded and ingested twice is stored once', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const decoded = await runHere(['decode', BLOCK])
  t.is(decoded.code, 0)
  t.regex(
    decoded.stderr,
    /^557 transactions, 99 of them failed; 133 lines; left out: 4 no_sol_side$/m,
  )
  for (const expected of [`${SWAPS} swaps accepted`, `${SWAPS} duplicates`]) {
    const settings = settingsOf(pipeline)
    const ingested = await runHere(['ingest', '-'], settings, decoded.stdout)
    t.is(ingested.code, 0, ingested.stderr)
    t.true(ingested.stdout.includes(expected), ingested.stdout)
    await untilCaughtUp(pipeline)
  }
  const { rows } = await pipeline.db.query('select count(*)::integer as swaps from swap')
  t.deepEqual(rows, [{ swaps: SWAPS }])
})

test('files that are no chain data are reported and the exit code is 1', async (t) => {
  const { code, stdout, stderr } = await runHere(['decode', 'README.md', 'absent.json'])
  t.is(code, 1)
  t.is(stdout, '')
  t.regex(stderr, /^README\.md: line 1 is not JSON: expected the answer of getBlock/m)
  t.regex(stderr, /^absent\.json: ENOENT: no such file or directory$/m)
  t.regex(stderr, /2 files not read$/m)
})
