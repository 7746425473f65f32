// The same transaction in every form that files have: each printer of a Yellowstone client and each encoding of JSON-RPC
// yields the lines of the form that the node answers.

import test from 'ava'
import { decodeBlock } from '../../../../chain/decode.ts'
import { readBlockFile } from '../../../../chain/forms/files/block-file.ts'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { readChainFile } from '../../../support/chain/chain-files.ts'
import { asGeyser, asJsonParsed } from '../../../support/chain/forms.ts'
import { chainAnswer, lineOf } from '../../../support/chain/real-chain.ts'
import { wireBytesOf } from '../../../support/chain/wire-form.ts'

type Json = Record<string, unknown>

/** Transactions of versions 1, 0 and legacy; venues 1, 4, 5, 7 and 10; with lookup tables and several swaps among them. */
const FILES = [
  'transactions/4RUXQBSXzATG3dgG.json',
  'transactions/2bhr1FWqeL28zH1B.json',
  'transactions/4Jz5XNzTzd4HRgBi.json',
  'transactions/5pKUGzAiYcvbBbHr.json',
  'transactions/Guw8Q7S29VRAAMzD.json',
]
const SLOT = 400_000_000
const SECONDS = 1_700_000_000

const answerOf = (file: string): Json => ({ ...chainAnswer(file), slot: SLOT, blockTime: SECONDS })
const linesOf = (value: unknown): Json[] =>
  readBlockFile(Buffer.from(JSON.stringify(value)), 'a.json').flatMap((block) => {
    const { events, unreadableCount } = decodeBlock(block)
    if (unreadableCount > 0) throw new Error(`${unreadableCount} transactions without a result`)
    return events.map(lineOf)
  })

/** The value with names, bytes and 64-bit numbers as one printer writes them. */
type Printer = {
  bytes: (bytes: Uint8Array) => unknown
  name?: (name: string) => string
  long?: true
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const PRINTERS: Record<string, Printer> = {
  base58: { bytes: encodeBase58 },
  base64: { bytes: (bytes) => Buffer.from(bytes).toString('base64') },
  'base64 without padding': { bytes: (bytes) => Buffer.from(bytes).toString('base64url') },
  'base64 and snake case': {
    bytes: (bytes) => Buffer.from(bytes).toString('base64'),
    name: snakeCase,
  },
  'Buffer objects': { bytes: (bytes) => Buffer.from(bytes).toJSON() },
  'Buffer objects, snake case and 64-bit numbers in halves': {
    bytes: (bytes) => Buffer.from(bytes).toJSON(),
    name: snakeCase,
    long: true,
  },
  'Uint8Array objects': { bytes: (bytes) => ({ ...bytes }) },
  'lists of numbers and snake case': { bytes: (bytes) => [...bytes], name: snakeCase },
}

function printed(value: unknown, printer: Printer): unknown {
  if (value instanceof Uint8Array) return printer.bytes(value)
  if (typeof value === 'bigint') {
    if (printer.long === undefined) return String(value)
    const half = (bits: bigint) => Number(BigInt.asIntN(32, bits))
    return { low: half(value), high: half(value >> 32n), unsigned: true }
  }
  if (Array.isArray(value)) return value.map((each) => printed(each, printer))
  if (typeof value !== 'object' || value === null) return value
  const { name = (text: string) => text } = printer
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [name(key), printed(each, printer)]),
  )
}

const geyserBlock = (answer: Json): Json => ({
  slot: BigInt(SLOT),
  blockTime: { timestamp: BigInt(SECONDS) },
  parentBlockhash: 'x',
  executedTransactionCount: 1n,
  transactions: [asGeyser(answer, Number(answer.transactionIndex ?? 0))],
})

for (const [name, printer] of Object.entries(PRINTERS)) {
  test(`reads updates of a Yellowstone stream that were printed with ${name}`, (t) => {
    for (const file of FILES) {
      const answer = answerOf(file)
      const expected = linesOf(answer)
      t.true(expected.length > 0)
      const block = printed(geyserBlock(answer), printer)
      t.deepEqual(linesOf({ filters: ['x'], block }), expected, file)
      t.deepEqual(linesOf(block), expected, 'without the envelope')
      t.deepEqual(linesOf({ update_oneof: { Block: block } }), expected, 'with its kind as a name')
      const alone = printed({ transaction: asGeyser(answer, 0), slot: BigInt(SLOT) }, printer)
      for (const update of [{ filters: ['x'], transaction: alone, ping: null }, alone]) {
        const [read] = readBlockFile(Buffer.from(JSON.stringify(update)), 'a.json')
        t.is(read?.slot, SLOT)
        // An update has no time.
        const { rejects, unreadableCount } = decodeBlock(read as NonNullable<typeof read>)
        t.is(unreadableCount, 0)
        t.true(rejects.length > 0 && rejects.every(({ reason }) => reason === 'no_block_time'))
      }
    }
  })
}

const wireText = (answer: Json): [string, string][] => {
  const bytes = wireBytesOf(answer)
  return [
    [bytes.toString('base64'), 'base64'],
    [encodeBase58(bytes), 'base58'],
  ]
}

test('reads answers of getTransaction and getBlock in each encoding', (t) => {
  for (const file of FILES) {
    const answer = answerOf(file)
    const expected = linesOf(answer)
    const texts = wireText(answer)
    const transactions = [asJsonParsed(answer).transaction, ...texts, texts[1]?.[0]]
    for (const [index, transaction] of transactions.entries()) {
      const { meta } = index === 0 ? asJsonParsed(answer) : answer
      t.deepEqual(linesOf({ result: { ...answer, transaction, meta } }), expected, `${index}`)
      const entry = { transaction, meta, version: answer.version }
      const block = { blockTime: SECONDS, parentSlot: SLOT - 1, transactions: [entry] }
      t.deepEqual(
        linesOf({ jsonrpc: '2.0', id: 1, result: block }),
        expected.map((line) => ('block_tx_index' in line ? { ...line, block_tx_index: 0 } : line)),
      )
    }
  }
})

type Spoil = (answer: Json) => void
const metaOf = (answer: Json) => answer.meta as Record<string, Json[]>
const messageOf = (answer: Json) => (answer.transaction as Json).message as Record<string, unknown>
const uiAmountOf = (answer: Json) => metaOf(answer).postTokenBalances?.[0]?.uiTokenAmount as Json

const SPOILED: Record<string, Spoil> = {
  'no "err"': (answer) => delete (answer.meta as Json).err,
  'no keys': (answer) => delete messageOf(answer).accountKeys,
  'no instructions': (answer) => delete messageOf(answer).instructions,
  'an instruction without a program': (answer) => {
    delete (messageOf(answer).instructions as Json[])[0]?.programIdIndex
  },
  'an amount that is a number of lost digits': (answer) => {
    uiAmountOf(answer).amount = 2 ** 53
  },
  'an amount that is a fraction': (answer) => {
    uiAmountOf(answer).amount = 1.5
  },
  'an amount with an exponent': (answer) => {
    uiAmountOf(answer).amount = '1e9'
  },
  'no amount': (answer) => delete uiAmountOf(answer).amount,
  'no decimals': (answer) => delete uiAmountOf(answer).decimals,
  'a balance of no account': (answer) => delete metaOf(answer).postTokenBalances?.[0]?.accountIndex,
  'inner instructions of no instruction': (answer) =>
    delete metaOf(answer).innerInstructions?.[0]?.index,
}

for (const [name, spoil] of Object.entries(SPOILED)) {
  test(`counts a transaction with ${name} as one without a result`, (t) => {
    const answer = structuredClone(answerOf('transactions/4RUXQBSXzATG3dgG.json'))
    t.true((metaOf(answer).innerInstructions ?? []).length > 0)
    spoil(answer)
    const forms = [answer, { parentSlot: SLOT - 1, blockTime: SECONDS, transactions: [answer] }]
    for (const value of forms) {
      const [block] = readBlockFile(Buffer.from(JSON.stringify(value)), 'a.json')
      const decoded = decodeBlock(block as NonNullable<typeof block>)
      t.like(decoded, { transactionCount: 1, unreadableCount: 1, events: [] })
    }
  })
}

test('reads amounts of balances that are exact numbers', (t) => {
  for (const file of FILES) {
    const answer = structuredClone(answerOf(file))
    const expected = linesOf(answer)
    for (const list of ['preTokenBalances', 'postTokenBalances']) {
      for (const balance of metaOf(answer)[list] ?? []) {
        const shown = balance.uiTokenAmount as Json
        if (Number.isSafeInteger(Number(shown.amount))) shown.amount = Number(shown.amount)
      }
    }
    t.deepEqual(linesOf(answer), expected)
  }
})

test('counts a printed transaction whose bytes cannot be read', (t) => {
  const block = geyserBlock(answerOf(FILES[0] as string))
  for (const bytes of [
    (each: Uint8Array) => Buffer.from(each).toString('hex'),
    (each: Uint8Array) => ({ type: 'Buffer', data: Buffer.from(each).toString('base64') }),
    (each: Uint8Array) => ({ bytes: [...each] }),
  ]) {
    const value = { block: printed(block, { bytes }) }
    const [read] = readBlockFile(Buffer.from(JSON.stringify(value)), 'a.json')
    const decoded = decodeBlock(read as NonNullable<typeof read>)
    t.like(decoded, { transactionCount: 1, unreadableCount: 1, events: [] })
  }
})

test('a printed transaction without a message is one without a result', (t) => {
  const value = { block: { slot: '7', transactions: [{ signature: '5'.repeat(88), meta: {} }] } }
  const [read] = readBlockFile(Buffer.from(JSON.stringify(value)), 'a.json')
  t.deepEqual([...(read?.transactions ?? [])], [undefined])
})

test('reads updates of Yellowstone as their publishers printed them', (t) => {
  const [block, update] = ['block_344556402_excerpt.json', 'pumpfun_buy_geyser.json'].map(
    (file) => {
      const blocks = readBlockFile(readChainFile(`geyser/${file}`), 'a.json')
      t.is(blocks.length, 1)
      return blocks.map((each) => ({ slot: each.slot, ...decodeBlock(each) }))[0]!
    },
  )
  t.like(block, { slot: 344_556_402, transactionCount: 3, unreadableCount: 0, rejects: [] })
  // By the balances of both pools' vaults before and after.
  const amounts = block!.events
    .map(lineOf)
    .map(({ is_buy, sol_amount, token_amount }) => [is_buy, sol_amount, token_amount])
  t.deepEqual(amounts, [
    [false, 205_162_520, 960_121_693_415],
    [false, 2_081_353_795, 8_786_345_733_688],
  ])
  // An update of a transaction has no block, and so no time.
  t.like(update, { events: [], unreadableCount: 0 })
  t.deepEqual(
    update!.rejects.map(({ reason }) => reason),
    ['no_block_time'],
  )
})
