// Files of chain data in the usual forms, and the reports about others.

import { gzipSync } from 'node:zlib'
import test from 'ava'
import { readBlockFile } from '../../../../chain/forms/files/block-file.ts'
import { UnreadableBlockFile } from '../../../../chain/forms/files/unreadable.ts'

const TRANSACTION = {
  transaction: { signatures: ['5'.repeat(88)], message: { accountKeys: ['1'.repeat(32)] } },
  meta: { err: null },
}
const ANSWER = { slot: 400_000_000, blockTime: 1_700_000_000, ...TRANSACTION }
const BLOCK = { blockTime: 1_700_000_000, parentSlot: 299_999_999, transactions: [TRANSACTION] }

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const read = (value: unknown, name = 'a.json', slot?: number) =>
  readBlockFile(bytes(value), name, slot)

test('reads an answer whole or its result only', (t) => {
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

test('reads several answers in one list', (t) => {
  const batch = [
    { jsonrpc: '2.0', id: 1, result: ANSWER },
    { jsonrpc: '2.0', id: 2, result: BLOCK },
  ]
  t.deepEqual(
    read(batch).map(({ slot }) => slot),
    [400_000_000, 300_000_000],
  )
})

test('reads the slot of a block from the caller, the file name, or its parent', (t) => {
  t.is(read(BLOCK, 'block_300000037.json', 7)[0]?.slot, 7)
  t.is(read(BLOCK, 'block_300000037.json')[0]?.slot, 300_000_037)
  t.is(read(BLOCK)[0]?.slot, 300_000_000)
})

test('a number in a file name is a slot only where it may follow the parent', (t) => {
  const slots = {
    // Dates, times, and slots of other blocks.
    'getBlock_20261128.json': 300_000_000,
    'block_1753012345.json': 300_000_000,
    'block_299999999.json': 300_000_000,
    'block_285000037.json': 300_000_000,
    'block_300001000.json': 300_000_000,
    'block_300000999.json': 300_000_999,
    'getBlock_20261128_300000003.json': 300_000_003,
    '300000003_20261128.json.gz': 300_000_003,
    // The ends of a range: neither is known to be this block.
    'blocks_300000003-300000100.json': 300_000_000,
    'block_300000003_300000003.json': 300_000_003,
  }
  for (const [name, slot] of Object.entries(slots)) t.is(read(BLOCK, name)[0]?.slot, slot, name)
})

test('the name of a file states no slot of several answers', (t) => {
  const blocks = [BLOCK, { ...BLOCK, parentSlot: 300_000_000 }]
  const lines = Buffer.from(blocks.map((each) => JSON.stringify(each)).join('\n'))
  for (const bytesOf of [lines, bytes(blocks)]) {
    t.deepEqual(
      readBlockFile(bytesOf, 'blocks_300000001.ndjson').map(({ slot }) => slot),
      [300_000_000, 300_000_001],
    )
  }
})

const ENTRY = { meta: { err: null } }
const withEntry = (transaction: unknown) => ({
  ...BLOCK,
  transactions: [{ ...ENTRY, transaction }],
})
const HEADER = { blockhash: 'a', previousBlockhash: 'b', parentSlot: 1, blockTime: 1 }
const error = (given: unknown) => ({ jsonrpc: '2.0', id: 1, error: given })
const DETAILS = 'which lack the instructions: request it with "full"'

const REFUSED: Record<string, [value: unknown, message: string | RegExp]> = {
  'an answer without its slot': [TRANSACTION, 'its slot is missing: add --slot SLOT'],
  'a block without slot and parent': [
    { ...BLOCK, parentSlot: undefined },
    'its slot is missing: add --slot SLOT',
  ],
  'other JSON': [{ a: 1 }, /^not chain data: expected the answer of getBlock/],
  'JSON that is no object': [7, /^not chain data: expected the answer of getBlock/],
  'a list of other JSON': [[ANSWER, { a: 1 }], /^answer 2: not chain data: expected/],
  'an empty list': [[], 'no transactions: an empty list'],
  'the error of a node': [
    error({ code: -32_007, message: 'Slot 5 was skipped, or missing\nin long-term storage' }),
    'JSON-RPC error -32007 "Slot 5 was skipped, or missing in long-term storage"',
  ],
  'an error without a code': [error({ message: 'no' }), 'JSON-RPC error "no"'],
  'an error that is a text': [{ error: 'rate limited' }, 'JSON-RPC error "rate limited"'],
  'an error of a gateway': [
    { code: 429, message: 'Too many requests' },
    'JSON-RPC error 429 "Too many requests"',
  ],
  'an error with other fields': [error({ data: 1 }), 'JSON-RPC error "{"data":1}"'],
  'an error among answers': [
    [{ result: ANSWER }, error({ code: 1, message: 'no' })],
    'answer 2: JSON-RPC error 1 "no"',
  ],
  'a result of null': [
    { jsonrpc: '2.0', result: null },
    'its result is null: the node has no such block or transaction',
  ],
  'a block with transactionDetails accounts': [
    withEntry({ signatures: ['a'], accountKeys: [{ pubkey: 'b' }] }),
    `an answer of getBlock with transactionDetails "accounts", ${DETAILS}`,
  ],
  'a block with transactionDetails signatures': [
    { ...HEADER, signatures: ['a'] },
    `an answer of getBlock with transactionDetails "signatures", ${DETAILS}`,
  ],
  'a block with transactionDetails none': [
    { result: HEADER },
    `an answer of getBlock with transactionDetails "none", ${DETAILS}`,
  ],
  'an unknown encoding': [
    withEntry(['AAAA', 'base64+zstd']),
    'encoding "base64+zstd" of a transaction: expected json, jsonParsed, base64 or base58',
  ],
  'an unknown encoding of an answer': [
    { ...ANSWER, transaction: ['AAAA', 'hex'] },
    'encoding "hex" of a transaction: expected json, jsonParsed, base64 or base58',
  ],
  'objects of web3.js': [
    withEntry({ signatures: ['a'], message: { staticAccountKeys: ['b'] } }),
    'a transaction as objects of web3.js print it: expected the answer of the node itself',
  ],
  'an update without transactions': [
    { filters: ['x'], slot: { slot: '7', status: 2 } },
    'no transactions: an update of the kind "slot"',
  ],
  'an update in snake case without transactions': [
    { block_meta: { slot: '7', executed_transaction_count: '9' } },
    'no transactions: an update of the kind "blockMeta"',
  ],
  'a block update without its transactions': [
    { block: { slot: '7', transactions: [], executedTransactionCount: '9' } },
    'no transactions: a block without its 9 transactions',
  ],
}

for (const [name, [value, message]] of Object.entries(REFUSED)) {
  test(`refuses ${name} by its name`, (t) => {
    t.throws(() => read(value), { instanceOf: UnreadableBlockFile, message })
  })
}

test('passes over updates without transactions alongside others', (t) => {
  const message = { accountKeys: ['1'.repeat(32)] }
  const entry = {
    signature: '5'.repeat(87),
    transaction: { signatures: ['5'.repeat(87)], message },
    meta: {},
  }
  const updates = [
    { ping: {} },
    { filters: ['x'], transaction: { slot: '7', transaction: entry } },
    { blockMeta: { slot: '7' } },
  ]
  const lines = Buffer.from(updates.map((each) => JSON.stringify(each)).join('\n'))
  const blocks = readBlockFile(lines, 'a.ndjson')
  t.deepEqual(
    blocks.map(({ slot, transactions }) => [slot, [...transactions].map(Boolean)]),
    [[7, [true]]],
  )
})

test('reports what is not JSON', (t) => {
  t.throws(() => readBlockFile(Buffer.from('{'), 'a.json'), { message: /^not JSON: expected/ })
  const lines = Buffer.from(`${JSON.stringify(ANSWER)}\n\n{\n`)
  t.throws(() => readBlockFile(lines, 'a.json'), { message: /^line 3 is not JSON/ })
  const other = Buffer.from(`${JSON.stringify(ANSWER)}\n{"a":1}\n`)
  t.throws(() => readBlockFile(other, 'a.json'), { message: /^line 2: not chain data/ })
})
