/** `swaptide decode`: chain files to lines, and from there through `swaptide ingest` into the tables. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { openPipeline, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const BLOCK = fileURLToPath(new URL('../../data/chain/block_285000037.json.gz', import.meta.url))
const SWAPS = 133

test('a block decoded and ingested twice is stored once', async (t) => {
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

const ADDRESS = '1'.repeat(32)
const MESSAGE = { accountKeys: [ADDRESS], instructions: [{ programIdIndex: 0, data: '' }] }
const TRANSACTION = { signatures: ['5'.repeat(87)], message: MESSAGE }
const SUCCESS = { meta: { err: null, innerInstructions: [] }, transaction: TRANSACTION }
const BLOCK_ANSWER = { parentSlot: 300_000_000, blockTime: 1_700_000_000, transactions: [SUCCESS] }
const entry = (transaction: object) => ({ ...BLOCK_ANSWER, transactions: [transaction] })

const OUTCOMES: Record<string, [value: unknown, code: 0 | 1, stderr: RegExp]> = {
  'a block without swaps': [
    BLOCK_ANSWER,
    0,
    /^1 transaction, 0 of them failed; 0 lines; none left out\n$/,
  ],
  'a transaction without a result': [
    entry({ ...SUCCESS, meta: null }),
    1,
    /^\S+: 1 of 1 transaction without a result that can be read\n1 transaction, 0 of them failed; 1 without a result; 0 lines\n$/,
  ],
  'a transaction that does not state that it succeeded': [
    entry({ ...SUCCESS, meta: {} }),
    1,
    /; 1 without a result; 0 lines\n$/,
  ],
  'a transaction whose inner instructions were not recorded': [
    entry({ ...SUCCESS, meta: { err: null, innerInstructions: null, logMessages: null } }),
    1,
    /^\S+: 1 of 1 transaction without a result that can be read: 1 without innerInstructions\n1 transaction, 0 of them failed; 1 without a result; 0 lines\n$/,
  ],
  'a transaction whose text is damaged': [
    entry({ ...SUCCESS, transaction: ['AAAA', 'base64'] }),
    1,
    /; 1 without a result; 0 lines\n$/,
  ],
  'a printed transaction of unknown bytes': [
    { block: { slot: '7', transactions: [{ ...SUCCESS, signature: 'ab'.repeat(64) }] } },
    1,
    /; 1 without a result; 0 lines\n$/,
  ],
  'a form without instructions': [
    entry({ meta: { err: null }, transaction: { signatures: [], accountKeys: [] } }),
    1,
    /^\S+: an answer of getBlock with transactionDetails "accounts", .*; 1 file not read\n$/s,
  ],
  'the error of a node': [
    { jsonrpc: '2.0', error: { code: -32_009, message: 'Slot 7 was skipped' }, id: 1 },
    1,
    /^\S+: JSON-RPC error -32009 "Slot 7 was skipped"\n.*; 1 file not read\n$/s,
  ],
}

for (const [name, [value, code, stderr]] of Object.entries(OUTCOMES)) {
  test(`exits with ${code} for ${name}`, async (t) => {
    const path = join(await temporaryFolder(t), 'a.json')
    await writeFile(path, JSON.stringify(value))
    const ran = await runHere(['decode', path])
    t.is(ran.stdout, '')
    t.regex(ran.stderr, stderr)
    t.is(ran.code, code)
  })
}

test('files that are no chain data are reported and the exit code is 1', async (t) => {
  const { code, stdout, stderr } = await runHere(['decode', 'README.md', 'absent.json'])
  t.is(code, 1)
  t.is(stdout, '')
  t.regex(stderr, /^README\.md: line 1 is not JSON: expected the answer of getBlock/m)
  t.regex(stderr, /^absent\.json: ENOENT: no such file or directory$/m)
  t.regex(stderr, /2 files not read$/m)
})

test('an interrupted run counts the files that it did not read', async (t) => {
  const { code, stdout, stderr } = await runHere(
    ['decode', BLOCK, BLOCK],
    {},
    '',
    AbortSignal.abort(),
  )
  t.is(code, 1)
  t.is(stdout, '')
  t.is(stderr, 'interrupted\n0 transactions, 0 of them failed; 0 lines; 2 files not read\n')
})
