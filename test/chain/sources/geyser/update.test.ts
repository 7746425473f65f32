/**
 * Updates read by hand against the same updates written by a general protobuf library, and real transactions: what the
 * decoder makes of their bytes is what it makes of the JSON that they were published as.
 */
import { gunzipSync } from 'node:zlib'
import test from 'ava'
import fc from 'fast-check'
import { decodeBlock } from '../../../../chain/decode.ts'
import type { GeyserTransaction } from '../../../../chain/forms/geyser/transaction.ts'
import { readRpcAnswer, readRpcBlock } from '../../../../chain/forms/rpc.ts'
import { pingRequest, subscribeRequest } from '../../../../chain/sources/geyser/request.ts'
import { readUpdate, SLOT_STATUSES } from '../../../../chain/sources/geyser/update.ts'
import { WireError } from '../../../../streams/codec/protobuf.ts'
import { readChainFile } from '../../../support/chain/chain-files.ts'
import { asGeyser } from '../../../support/chain/forms.ts'
import { decodeRequest, encodeUpdate } from '../../../support/chain/geyser/messages.ts'
import { chainAnswer, chainLines } from '../../../support/chain/real-chain.ts'
import { requestedSeed } from '../../../support/seed.ts'

type Json = Record<string, unknown>

const SIGNATURE = Uint8Array.from({ length: 64 }, (_, at) => at)

test('reads each kind of update that a block is assembled from', (t) => {
  const filters = ['a', 'a longer name']
  for (const [status, name] of SLOT_STATUSES.entries()) {
    const slot = { slot: '398202772', parent: '398202771', status }
    t.deepEqual(readUpdate(encodeUpdate({ filters, slot })), {
      kind: 'slot',
      slot: 398_202_772,
      parent: 398_202_771,
      status: name,
    })
  }
  const transactionStatus = { slot: '7', signature: SIGNATURE, index: '300', err: { err: [1] } }
  for (const isWanted of [false, true]) {
    const passed = isWanted ? [...filters, 'w'] : filters
    t.deepEqual(readUpdate(encodeUpdate({ filters: passed, transactionStatus })), {
      kind: 'executed',
      slot: 7,
      index: 300,
      isWanted,
      signature: Buffer.from(SIGNATURE),
    })
  }
  const blockMeta = {
    slot: '398202772',
    blockhash: '6vuFSnAmje863UnGpyg5AcvmL2uWU2V8H5Qs8FRJbTcc',
    parentSlot: '398202771',
    parentBlockhash: '9XZVr83HwR2urRUG9GhttMYtkfN1t35mvPcCE6Snm4gH',
    blockTime: { timestamp: '1770287039' },
    executedTransactionCount: '1182',
  }
  t.deepEqual(readUpdate(encodeUpdate({ filters, blockMeta })), {
    kind: 'meta',
    slot: 398_202_772,
    blockhash: '6vuFSnAmje863UnGpyg5AcvmL2uWU2V8H5Qs8FRJbTcc',
    parentSlot: 398_202_771,
    parentBlockhash: '9XZVr83HwR2urRUG9GhttMYtkfN1t35mvPcCE6Snm4gH',
    timestamp: 1_770_287_039_000,
    executedCount: 1_182,
  })
  t.deepEqual(readUpdate(encodeUpdate({ filters, ping: {} })), { kind: 'ping' })
  t.deepEqual(readUpdate(encodeUpdate({ filters, pong: { id: 1 } })), { kind: 'pong' })
  t.deepEqual(readUpdate(encodeUpdate({ filters })), { kind: 'other' })
})

test('reads fields that are absent as zero, as protobuf leaves zeros out', (t) => {
  t.deepEqual(readUpdate(encodeUpdate({ slot: {} })), {
    kind: 'slot',
    slot: 0,
    parent: undefined,
    status: 'processed',
  })
  t.like(readUpdate(encodeUpdate({ blockMeta: { slot: '9' } })), {
    kind: 'meta',
    executedCount: 0,
    timestamp: undefined,
  })
})

test('names a status that is not known as none', (t) => {
  const known = encodeUpdate({ slot: { slot: '5', status: 6 } })
  t.is(known.at(-1), 6)
  known[known.length - 1] = 7
  t.like(readUpdate(known), { kind: 'slot', slot: 5, status: undefined })
})

test('subscribes to slots, filtered transactions, statuses of all and block metas', (t) => {
  const request = subscribeRequest({ commitment: 'confirmed', programs: ['One', 'Two'] })
  const wanted = { vote: false, failed: false, accountInclude: ['One', 'Two'] }
  t.deepEqual(decodeRequest(request), {
    slots: { a: { filterByCommitment: false, interslotUpdates: true } },
    transactions: { w: wanted },
    blocksMeta: { a: {} },
    transactionsStatus: { a: {}, w: wanted },
    commitment: 'CONFIRMED',
  })
  const later = subscribeRequest({ commitment: 'finalized', programs: [], fromSlot: 285_000_037 })
  t.like(decodeRequest(later), { commitment: 'FINALIZED', fromSlot: '285000037' })
  t.deepEqual(decodeRequest(pingRequest(3)), { ping: { id: 3 } })
})

/** The bytes that a server sends. */
function sent(answer: Json, index: number, slot: number): Buffer {
  return encodeUpdate({
    filters: ['w'],
    transaction: { slot: String(slot), transaction: asGeyser(answer, index) },
  })
}

function received(bytes: Uint8Array): GeyserTransaction {
  const update = readUpdate(bytes)
  if (update.kind !== 'transaction') throw new Error(`expected a transaction, got ${update.kind}`)
  return update.transaction
}

test('decodes real transactions from their bytes as from their JSON', (t) => {
  const files = new Set(
    chainLines('EXPECTED.ndjson').map((line) => (line.test as { file: string }).file),
  )
  for (const file of files) {
    if (!file.startsWith('transactions/')) continue
    const answer = chainAnswer(file)
    const plain = readRpcAnswer(answer)
    if (plain === undefined) throw new Error(`file "${file}": expected a transaction`)
    const index = Number(answer.transactionIndex ?? 0)
    const transaction = received(sent(answer, index, plain.slot))
    t.deepEqual(decodeBlock({ ...plain, transactions: [transaction] }), decodeBlock(plain), file)
  }
})

const BLOCK_FILE = 'block_285000037.json.gz'
const realBlock = (): Json & { transactions: Json[] } =>
  JSON.parse(gunzipSync(readChainFile(BLOCK_FILE)).toString('utf8'))

test('decodes a real block from bytes as from JSON, failed ones counted', (t) => {
  const block = realBlock()
  const plain = readRpcBlock(block, 285_000_037)
  if (plain === undefined) throw new Error('expected a block')
  const transactions = block.transactions.map((each, index) =>
    received(sent(each, index, plain.slot)),
  )
  const decoded = decodeBlock({ ...plain, transactions })
  t.deepEqual(decoded, decodeBlock(plain))
  t.is(decoded.failedCount, 99)
})

test('throws only WireError at bytes that are damaged or cut', (t) => {
  const updates = realBlock()
    .transactions.slice(0, 60)
    .map((each, index) => sent(each, index, 1))
  const seed = requestedSeed()
  let broken = 0
  fc.assert(
    fc.property(
      fc.constantFrom(...updates),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.option(fc.nat()),
      (update, changes, cut) => {
        const bytes = Buffer.from(update)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        try {
          const end = cut === null ? bytes.length : cut % bytes.length
          const read = readUpdate(bytes.subarray(0, end))
          if (read.kind !== 'transaction') return
          decodeBlock({ slot: 1, timestamp: 1, transactions: [read.transaction] })
        } catch (error) {
          if (!(error instanceof WireError)) throw error
          broken++
        }
      },
    ),
    { numRuns: 4_000, ...(seed === undefined ? {} : { seed }) },
  )
  t.true(broken > 0)
})
