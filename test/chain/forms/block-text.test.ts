/**
 * Blocks with encoding base64, from their text: what the decoder reads of them is what it reads of the parsed JSON, however
 * the node orders its names, and whatever its log lines hold.
 */

import test from 'ava'
import { decodeBlock, READ_PROGRAMS } from '../../../chain/decode.ts'
import { parseBlockText } from '../../../chain/forms/block-text.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import { WireMessage } from '../../../chain/forms/wire-message.ts'
import { UnusableAnswer } from '../../../chain/rpc/rpc-answer.ts'
import { readBlockResult } from '../../../chain/sources/blocks/block-answer.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { lineOf } from '../../support/chain/real-chain.ts'
import { type Json, recordedBlock } from '../../support/chain/served-chain.ts'
import { asBase64, wireBytesOf } from '../../support/chain/wire-form.ts'
import { requestedSeed } from '../../support/seed.ts'

const SLOT = 285_000_037

const encoded = (): Json => ({
  ...recordedBlock(),
  transactions: recordedBlock().transactions.map(asBase64),
})

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, each]) => [name, ordered(each)]))
}

/** Lines and counts of a result. */
function decoded(result: unknown) {
  const block = readRpcBlock(result, SLOT)
  if (block === undefined) throw new Error('expected a block')
  const { events, ...counts } = decodeBlock(block)
  return { lines: events.map(lineOf), ...counts }
}

function parsed(result: unknown, space?: number): unknown {
  const text = JSON.stringify({ jsonrpc: '2.0', result, id: 7 }, undefined, space)
  return (parseBlockText(Buffer.from(text), READ_PROGRAMS) as { result: unknown }).result
}

test('decodes the text of a block to what its JSON gives, in any order of names', (t) => {
  const expected = decoded(recordedBlock())
  t.is(expected.lines.length, 133)
  t.deepEqual(decoded(encoded()), expected)
  t.deepEqual(decoded(parsed(encoded())), expected)
  t.deepEqual(decoded(parsed(ordered(encoded()))), expected)
  t.deepEqual(decoded(parsed(encoded(), 1)), expected, 'with white space')
  t.deepEqual(decoded(parsed(recordedBlock())), expected, 'encoding json')
})

test('reads results of transactions with a venue only', (t) => {
  const { transactions } = parsed(ordered(encoded())) as { transactions: { meta: Json }[] }
  t.is(transactions.length, recordedBlock().transactions.length)
  const whole = transactions.filter(({ meta }) => 'logMessages' in meta)
  t.is(whole.length, 116)
})

test('is not misled by log lines that look like JSON', (t) => {
  const block = encoded() as { transactions: { meta: Json }[] }
  const lines = [
    'Program log: {"err":null,"innerInstructions":[],"transaction":["AQ==","base64"]},{"meta":{"err":',
    'Program log: ],"transactions":[{"meta":{} \\" ü 💱',
  ]
  const transactions = block.transactions.map((each) => {
    const { logMessages, ...meta } = each.meta
    return { ...each, meta: { ...meta, logMessages: [...lines, ...(logMessages as string[])] } }
  })
  const changed = { ...block, transactions }
  t.deepEqual(decoded(parsed(ordered(changed))), decoded(changed))
  t.deepEqual(decoded(parsed(changed)), decoded(changed))
})

test('throws SyntaxError where the text is cut, at 200 places', (t) => {
  const text = Buffer.from(JSON.stringify({ result: ordered(encoded()) }))
  const seed = requestedSeed() ?? Date.now() % 2 ** 31
  const prng = new Prng([seed])
  const message = text.indexOf('","base64"]')
  const cuts = Array.from({ length: 200 }, () => Math.floor(prng.unit() * text.length))
  const edges = [text.length - 1, text.length - 2, text.length - 3, message + 1, message + 10]
  for (const offset of [...cuts, ...edges]) {
    const read = () => parseBlockText(text.subarray(0, offset), READ_PROGRAMS)
    t.throws(read, { instanceOf: SyntaxError }, `place ${offset} of seed ${seed}`)
  }
})

/** In both orders of names, each entry of a block in turn is changed; its neighbours stay as they are. */
function brokenBlocks(change: (entry: Json) => Json): Json[] {
  const block = encoded() as { transactions: Json[] }
  const transactions = block.transactions.slice(0, 6)
  const changed = transactions.map((_, index) => ({
    ...block,
    transactions: transactions.map((each, at) => (at === index ? change(each) : each)),
  }))
  return [...changed, ...changed.map((each) => ordered(each) as Json)]
}

const BROKEN: Readonly<Record<string, (entry: Json) => Json>> = {
  'its transaction': ({ transaction, ...rest }) => rest,
  'its result': ({ meta, ...rest }) => rest,
  'its transaction and version': ({ meta }) => ({ meta }),
  'its result and transaction': ({ version }) => ({ version }),
  everything: () => ({}),
}

for (const [absent, change] of Object.entries(BROKEN)) {
  test(`does not merge an entry that lacks ${absent} with another one`, (t) => {
    for (const block of brokenBlocks(change)) {
      t.is((parsed(block) as { transactions: Json[] }).transactions.length, 6)
      t.deepEqual(decoded(parsed(block)), decoded(block))
      const result = { ...block, blockhash: 'b', previousBlockhash: 'a', parentSlot: SLOT - 1 }
      t.throws(() => readBlockResult(parsed(result), SLOT), { instanceOf: UnusableAnswer })
    }
  })
}

test('reads the wire form of a real transaction of version 1', (t) => {
  const answer = JSON.parse(readChainFile('transactions/4RUXQBSXzATG3dgG.json').toString('utf8'))
  const { signature, transaction_base64: text } = JSON.parse(
    readChainFile('transaction_v1_wire.json').toString('utf8'),
  )
  const bytes = Buffer.from(text, 'base64')
  t.true(wireBytesOf(answer).equals(bytes), 'the test support writes other bytes')
  const message = WireMessage.read(bytes)
  t.is(message?.signature, signature)
  t.is(message?.signerCount, 1)
  t.is(message?.key(0), answer.transaction.message.accountKeys[0])
  t.is(message?.instructions().length, answer.transaction.message.instructions.length)
  t.is(WireMessage.read(bytes.subarray(0, -1)), undefined)
  t.is(WireMessage.read(Buffer.concat([bytes, Buffer.alloc(1)])), undefined)
})
