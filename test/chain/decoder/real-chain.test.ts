// Real transactions and blocks against the lines that were checked by vault balances, apart from this decoder.

import { gunzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import type { Decoded } from '../../../chain/decode.ts'
import { decodeBlock } from '../../../chain/decode.ts'
import { readGeyserBlock } from '../../../chain/forms/geyser.ts'
import { readRpcAnswer, readRpcBlock } from '../../../chain/forms/rpc.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { asGeyser, asJsonParsed } from '../../support/chain/forms.ts'
import { chainAnswer, chainLines, decodeChainFile, lineOf } from '../../support/chain/real-chain.ts'
import { asBase64 } from '../../support/chain/wire-form.ts'

type Line = Record<string, unknown>

const BLOCK_FILE = 'block_285000037.json.gz'
const BLOCK_SLOT = 285_000_037
/** Relative: both sides compute a price in doubles from the same root. */
const PRICE_TOLERANCE = 1e-12

const fileOf = (line: Line): string => (line.test as { file: string }).file
const keyOf = (line: Line): string => `${line.signature} ${line.dex} ${line.ix_index}`

function swapLines(decoded: Decoded): Map<string, Line> {
  const swaps = decoded.events.filter(({ kind }) => kind === 'swap').map(lineOf)
  return new Map(swaps.map((line) => [keyOf(line), line]))
}

function assertLine(t: ExecutionContext, actual: Line | undefined, expected: Line): void {
  const key = keyOf(expected)
  if (actual === undefined) {
    t.fail(`no line of ${key} in ${fileOf(expected)}`)
    return
  }
  for (const [field, value] of Object.entries(expected)) {
    if (field === 'test') continue
    if (field.startsWith('price_')) {
      t.true(
        Math.abs(Number(actual[field]) / Number(value) - 1) < PRICE_TOLERANCE,
        `${key} ${field}`,
      )
    } else t.is(actual[field], value, `${key} ${field}`)
  }
}

test('decodes every expected swap, field for field, and no other', (t) => {
  const expected = Map.groupBy(chainLines('EXPECTED.ndjson'), fileOf)
  t.true(expected.size > 50)
  for (const [file, lines] of expected) {
    const swaps = swapLines(decodeChainFile(file))
    for (const line of lines) assertLine(t, swaps.get(keyOf(line)), line)
    t.is(swaps.size, lines.length, file)
  }
})

test('decodes the virtual reserves of the newest PumpSwap event, and none of older ones', (t) => {
  const stated = chainLines('EXPECTED.ndjson')
    .filter(({ dex }) => dex === 2)
    .map(fileOf)
    .flatMap((file) => [...swapLines(decodeChainFile(file)).values()])
    .flatMap(({ virtual_quote_reserves: lamports }) => (lamports === undefined ? [] : [lamports]))
  t.deepEqual(stated, [17_584_025_564])
})

test('decodes the rates of protocol and creator of every PumpSwap pool whose quote is SOL', (t) => {
  const found = chainLines('EXPECTED.ndjson')
    .filter(({ dex }) => dex === 2)
    .map((line) => {
      const { event_fees: fees } = line.test as { event_fees?: Record<string, number> }
      const swap = swapLines(decodeChainFile(fileOf(line))).get(keyOf(line))
      const rates = [swap?.outside_protocol_bps, swap?.outside_creator_bps]
      const isBaseSol = (line.test as { base_is_wsol?: boolean }).base_is_wsol === true
      if (isBaseSol) t.deepEqual(rates, [undefined, undefined], keyOf(line))
      else if (fees) t.deepEqual(rates, [fees.prot_bps, fees.creator_bps], keyOf(line))
      return rates.join(' ').trim() || 'none'
    })
  const counts = Map.groupBy(found, (rates) => rates)
  t.deepEqual(Object.fromEntries([...counts].map(([rates, { length }]) => [rates, length])), {
    '5 5': 15,
    '93 30': 1,
    none: 1,
  })
})

test('decodes no swap where none is expected, and counts the reason', (t) => {
  for (const { file, signature, dex, ix_index: ixIndex, reason } of chainLines(
    'EXPECTED_NOTHING.ndjson',
  )) {
    const decoded = decodeChainFile(String(file))
    const swaps = [...swapLines(decoded).values()].filter((line) => line.signature === signature)
    if (reason === 'no SOL side') {
      t.true(swaps.every((line) => line.dex !== dex || line.ix_index !== ixIndex))
      t.true(
        decoded.rejects.some(
          (reject) =>
            reject.reason === 'no_sol_side' &&
            reject.signature === signature &&
            reject.dex === dex &&
            reject.ixIndex === ixIndex,
        ),
        `${signature}`,
      )
    } else t.is(swaps.length, 0, `${signature} ${reason}`)
  }
})

test('finds every vault moved by exactly the leg of its only swap', (t) => {
  const files = new Set(chainLines('EXPECTED.ndjson').map(fileOf))
  for (const file of files) t.deepEqual(decodeChainFile(file).mismatches, [], file)
})

/** The pool events of the data's program events; the other program events change no pool. */
const POOL_EVENTS: Readonly<Record<string, string>> = {
  CreateEvent: 'created',
  CreatePoolEvent: 'created',
  EvtInitializePool: 'created',
  PoolCreated: 'created',
  CompletePumpAmmMigrationEvent: 'migrated',
  AddLiquidity: 'liquidity_added',
  WithdrawEvent: 'liquidity_removed',
}

test('decodes the pool events of the ten venues', (t) => {
  let checked = 0
  for (const { file, signature, program_event: name, dex } of chainLines('POOL_EVENTS.ndjson')) {
    const event = POOL_EVENTS[String(name)]
    if (event === undefined || dex === undefined) continue
    checked++
    const lines = decodeChainFile(String(file)).events.map(lineOf)
    const found = lines.filter((line) => line.event === event && line.signature === signature)
    // The curve's event names the pool on the venue that it migrated to.
    const expectedDex = event === 'migrated' ? 2 : dex
    t.is(found.filter((line) => line.dex === expectedDex).length, 1, `${name} in ${file}`)
  }
  t.true(checked >= 9)
})

test('describes a mint whose pool is created in the transaction that made it', (t) => {
  const lines = decodeChainFile('transactions/a9tyifZay3w5j6yL.json').events.map(lineOf)
  const token = lines.find(({ kind }) => kind === 'token')
  t.like(token, {
    token_address: '4veK9R9GxmgxqkFhTa2VnE6MJ4YfTxnr92HF5gH5LcAF',
    creator: 'BEnGowz22N6QtVdBCqG53FzYGdPhBqSZmPD3aCgnq4NM',
    decimals: 6,
    symbol: 'COSTCO',
    name: 'costco',
    uri: 'https://ipfs.io/ipfs/Qmc4Buro7KJ5yP4eVJAcYknkYMmJHiN8HCjE5L2CeKzHGa',
    supply: 1_000_000_000_000_000,
  })
})

test('decodes json, jsonParsed, base64 and Geyser forms of a transaction to the same lines', (t) => {
  for (const file of new Set(chainLines('EXPECTED.ndjson').map(fileOf))) {
    if (file === BLOCK_FILE) continue
    const answer = chainAnswer(file)
    const [slot, time] = [Number(answer.slot), Number(answer.blockTime)]
    const index = Number(answer.transactionIndex ?? 0)
    const block = {
      slot: String(slot),
      blockTime: { timestamp: String(time) },
      transactions: [asGeyser(answer, index)],
    }
    const forms = [
      readRpcAnswer(answer),
      readRpcAnswer(asJsonParsed(answer)),
      readRpcAnswer(asBase64(answer)),
      readGeyserBlock(block),
    ]
    const [plain, parsed, base64, geyser] = forms.map((form) =>
      form === undefined ? undefined : decodeBlock(form).events.map(lineOf),
    )
    t.truthy(plain)
    t.deepEqual(parsed, plain, `jsonParsed of ${file}`)
    t.deepEqual(base64, plain, `base64 of ${file}`)
    t.deepEqual(geyser, plain, `Geyser of ${file}`)
  }
})

test('decodes a block in any split to the same events', (t) => {
  const block = JSON.parse(gunzipSync(readChainFile(BLOCK_FILE)).toString('utf8'))
  const whole = decodeChainFile(BLOCK_FILE).events.map(lineOf)
  for (const pieces of [2, 7, 100]) {
    const size = Math.ceil(block.transactions.length / pieces)
    const parts = Array.from({ length: pieces }, (_, piece) => {
      const from = piece * size
      const transactions = block.transactions.map((each: unknown, index: number) =>
        index >= from && index < from + size ? each : null,
      )
      const read = readRpcBlock({ ...block, transactions }, BLOCK_SLOT)
      return read === undefined ? [] : decodeBlock(read).events.map(lineOf)
    })
    t.deepEqual(parts.flat(), whole)
  }
})
