// Files of chain data in the usual forms, and the reports about others.

import { gzipSync } from 'node:zlib'
import test from 'ava'
import { readBlockFile } from '../../../streams/solana/block-file.ts'

const TRANSACTION = {
  transaction: { signatures: ['5'.repeat(88)], message: { accountKeys: ['1'.repeat(32)] } },
  meta: { err: null },
}
const ANSWER = { slot: 400_000_000, blockTime: 1_700_000_000, ...TRANSACTION }
const BLOCK = { blockTime: 1_700_000_000, parentSlot: 299_999_999, transactions: [TRANSACTION] }

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const read = (value: unknown, name = 'a.json', slot?: number) =>
  readBlockFile(bytes(value), name, slot)

test('reads an answer whole or its result alone', (t) => {
  for (const value of [ANSWER, { jsonrpc: '2.0', id: 1, result: ANSWER }]) {
    const [block] = read(value)
    t.is(block?.slot, 400_000_000)
    t.is(block?.timestamp, 1_700_000_000_000)
    t.is([...(block?.transactions ?? [])].length, 1)
  }
})

test('unpacks gzip', (t) => {
  t.is(readBlockFile(gzipSync(bytes(ANSWER)), 'a.json.gz').length, 1)
  const cut = gzipSync(bytes(ANSWER)).subarray(0, 60)
  t.throws(() => readBlockFile(cut, 'a.gz'), { message: /^a gzip file that cannot be unpacked/ })
})

test('reads several answers, one a line', (t) => {
  const lines = Buffer.from(`${JSON.stringify(ANSWER)}\n${JSON.stringify(BLOCK)}\n`)
  t.deepEqual(
    readBlockFile(lines, 'a.ndjson').map(({ slot }) => slot),
    [400_000_000, 300_000_000],
  )
})

test('reads the slot of a block from the caller, the file name, or its parent', (t) => {
  t.is(read(BLOCK, 'block_285000037.json', 7)[0]?.slot, 7)
  t.is(read(BLOCK, 'block_285000037.json')[0]?.slot, 285_000_037)
  t.is(read(BLOCK)[0]?.slot, 300_000_000)
})

test('reports what a file lacks or is instead', (t) => {
  t.throws(() => read(TRANSACTION), { message: 'its slot is missing: add --slot SLOT' })
  t.throws(() => read({ a: 1 }), { message: /^not chain data: expected the answer of getBlock/ })
  t.throws(() => readBlockFile(Buffer.from('{'), 'a.json'), { message: /^not JSON: expected/ })
  const lines = Buffer.from(`${JSON.stringify(ANSWER)}\n{\n`)
  t.throws(() => readBlockFile(lines, 'a.json'), { message: /^line 2 is not JSON/ })
})
