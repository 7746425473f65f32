/**
 * Results that lack a part which the decoder needs, in each form: nothing is decoded from them, and each is counted with the
 * part that is missing. Real transactions are whole.
 */
import test, { type ExecutionContext } from 'ava'
import { type Decoded, decodeBlock, READ_PROGRAMS } from '../../../chain/decode.ts'
import { parseBlockText } from '../../../chain/forms/block-text.ts'
import { readGeyserBlock } from '../../../chain/forms/geyser.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import { readUpdate } from '../../../chain/sources/geyser/update.ts'
import type { ChainBlock } from '../../../chain/transaction/transaction.ts'
import { asGeyser, asJsonParsed } from '../../support/chain/forms.ts'
import { encodeUpdate } from '../../support/chain/geyser/messages.ts'
import { chainLines, decodeChainFile } from '../../support/chain/real-chain.ts'
import { type Json, recordedBlock } from '../../support/chain/served-chain.ts'
import { asBase64 } from '../../support/chain/wire-form.ts'

const SLOT = 285_000_037
const BLOCK = {
  blockhash: 'b',
  previousBlockhash: 'a',
  parentSlot: SLOT - 1,
  blockTime: 1_700_000_000,
}

/** Decodes entries of a block of encoding json in another form. */
type Form = (entries: readonly Json[]) => Decoded

const decodedRpc = (transactions: readonly Json[]): Decoded =>
  decoded(readRpcBlock({ ...BLOCK, transactions }, SLOT))

function decoded(block: ChainBlock | undefined): Decoded {
  if (block === undefined) throw new Error('expected a block')
  return decodeBlock(block)
}

const metaOf = (entry: Json): Json => entry.meta as Json

const FORMS: Readonly<Record<string, Form>> = {
  json: decodedRpc,
  base64: (entries) => decodedRpc(entries.map(asBase64)),
  text(entries) {
    const text = JSON.stringify({ result: { ...BLOCK, transactions: entries.map(asBase64) } })
    const { result } = parseBlockText(Buffer.from(text), READ_PROGRAMS) as { result: unknown }
    return decoded(readRpcBlock(result, SLOT))
  },
  'ordered text'(entries) {
    const transactions = entries.map((entry) => {
      const { meta, transaction } = asBase64(entry)
      return { meta, transaction, version: entry.version }
    })
    const text = JSON.stringify({ result: { ...BLOCK, transactions } })
    const { result } = parseBlockText(Buffer.from(text), READ_PROGRAMS) as { result: unknown }
    return decoded(readRpcBlock(result, SLOT))
  },
}

/** Indexes in the recorded block. */
type Chosen = { direct: number; routed: number; other: number; failed: number }

/** A swap that its outer instruction makes, one by a router, a transaction without a venue, and a failed one. */
function chosen(): Chosen {
  const found = recordedBlock().transactions.map((entry) => {
    const { events, failedCount } = decodedRpc([entry])
    const withoutInner = {
      ...entry,
      meta: { ...metaOf(entry), innerInstructions: [], logMessages: [] },
    }
    const { incomplete } = decodedRpc([withoutInner])
    const isDirect = incomplete.some(({ part }) => part === 'logMessages')
    return {
      events: events.length,
      failedCount,
      isDirect,
      inner: metaOf(entry).innerInstructions as unknown[],
    }
  })
  const indexOf = (matches: (each: (typeof found)[number]) => boolean): number =>
    found.findIndex(matches)
  return {
    direct: indexOf(({ events, isDirect }) => events > 0 && isDirect),
    routed: indexOf(({ events, isDirect }) => events > 0 && !isDirect),
    other: indexOf(
      ({ events, inner, failedCount }) => events === 0 && failedCount === 0 && inner.length > 1,
    ),
    failed: indexOf(({ failedCount }) => failedCount > 0),
  }
}

const entriesOf = ({ direct, routed, other, failed }: Chosen): Json[] => {
  const { transactions } = recordedBlock()
  return [direct, routed, other, failed].map((indexOf) => transactions[indexOf] as Json)
}

const without = (entry: Json, parts: Json): Json => ({
  ...entry,
  meta: { ...metaOf(entry), ...parts },
})

/** Every transaction of these lacks the part, in the order of `chosen`. */
const CASES: readonly [name: string, parts: Json, part: string, lacking: readonly number[]][] = [
  ['innerInstructions null', { innerInstructions: null }, 'innerInstructions', [0, 1, 2]],
  ['innerInstructions absent', { innerInstructions: undefined }, 'innerInstructions', [0, 1, 2]],
  ['innerInstructions empty', { innerInstructions: [] }, 'innerInstructions', [0, 1, 2]],
  ['innerInstructions a text', { innerInstructions: 'none' }, 'innerInstructions', [0, 1, 2]],
  ['logMessages null', { logMessages: null }, 'logMessages', [0, 1]],
  ['logMessages empty', { logMessages: [] }, 'logMessages', [0, 1]],
  ['balances before null', { preTokenBalances: null }, 'preTokenBalances', [0, 1]],
  ['balances after absent', { postTokenBalances: undefined }, 'postTokenBalances', [0, 1]],
  [
    'all of them null',
    { innerInstructions: null, logMessages: null, preTokenBalances: null, postTokenBalances: null },
    'innerInstructions',
    [0, 1, 2],
  ],
]

function isCounted(
  t: ExecutionContext,
  form: Form,
  entries: readonly Json[],
  expected: readonly [number, string][],
  name: string,
): void {
  const { incomplete, unreadableCount, failedCount, transactionCount } = form(entries)
  t.deepEqual(
    incomplete.map(({ index, part }) => [index, part]),
    expected as [number, string][],
    name,
  )
  t.deepEqual([unreadableCount, failedCount, transactionCount], [expected.length, 1, 4], name)
}

for (const [form, decode] of Object.entries(FORMS)) {
  test(`counts each result that lacks a part, in the form ${form}`, (t) => {
    const entries = entriesOf(chosen())
    const whole = decode(entries)
    t.deepEqual(whole.incomplete, [])
    for (const [name, parts, part, lacking] of CASES) {
      const broken = entries.map((entry) => without(entry, parts))
      isCounted(
        t,
        decode,
        broken,
        lacking.map((indexOf) => [indexOf, part]),
        name,
      )
      const { events } = decode(broken)
      t.deepEqual(events, [], name)
      // The others of its block are decoded.
      const [direct, ...rest] = entries as [Json, ...Json[]]
      isCounted(t, decode, [without(direct, parts), ...rest], [[0, part]], name)
    }
  })
}

test('counts a result whose keys were not loaded', (t) => {
  for (const [form, decode] of Object.entries(FORMS)) {
    const { transactions } = recordedBlock()
    const lookups = transactions.filter((entry) => {
      const { writable } = metaOf(entry).loadedAddresses as { writable: string[] }
      return writable.length > 0 && decode([entry]).events.length > 0
    })
    t.true(lookups.length > 5)
    for (const loadedAddresses of [null, undefined, { writable: [], readonly: [] }]) {
      const { incomplete, events } = decode(
        lookups.map((each) => without(each, { loadedAddresses })),
      )
      t.deepEqual(new Set(incomplete.map(({ part }) => part)), new Set(['loadedAddresses']), form)
      t.is(incomplete.length, lookups.length, form)
      t.is(events.length, 0)
    }
  }
})

test('counts an update of a stream whose flags mark a list as not recorded', (t) => {
  const [direct, routed] = entriesOf(chosen()) as [Json, Json]
  const flags = [
    [{ innerInstructions: [], innerInstructionsNone: true }, 'innerInstructions'],
    [{ innerInstructions: [] }, 'innerInstructions'],
    [{ logMessages: [], logMessagesNone: true }, 'logMessages'],
    [{ logMessages: [] }, 'logMessages'],
  ] as const
  for (const [index, entry] of [direct, routed].entries()) {
    for (const [parts, part] of flags) {
      const transaction = without(asGeyser(entry, index), parts)
      const update = encodeUpdate({ filters: ['w'], transaction: { slot: SLOT, transaction } })
      const read = readUpdate(update)
      if (read.kind !== 'transaction') throw new Error('expected a transaction')
      const ofBytes = decodeBlock({ slot: SLOT, timestamp: 1, transactions: [read.transaction] })
      const ofCodec = decoded(readGeyserBlock({ slot: SLOT, transactions: [transaction] }))
      for (const { incomplete, events } of [ofBytes, ofCodec]) {
        t.deepEqual(
          incomplete.map((each) => each.part),
          [part],
        )
        t.deepEqual(events, [])
      }
    }
  }
})

test('finds the same parts missing where a node parsed the instructions', (t) => {
  const [direct, routed] = entriesOf(chosen()).map(asJsonParsed) as [Json, Json]
  t.deepEqual(decodedRpc([direct, routed]).incomplete, [])
  for (const [name, parts, part] of CASES) {
    const { incomplete } = decodedRpc([direct, routed].map((entry) => without(entry, parts)))
    t.deepEqual(
      incomplete.map((each) => each.part),
      [part, part],
      name,
    )
  }
})

test('is not misled by a program that logs what the runtime logs', (t) => {
  const { transactions } = recordedBlock()
  const simple = transactions.find((entry) => {
    const { err, innerInstructions } = metaOf(entry) as {
      err: unknown
      innerInstructions: unknown[]
    }
    return err === null && innerInstructions.length === 0
  }) as Json
  const nested = 'Program 11111111111111111111111111111111 invoke [2]'
  for (const [form, decode] of Object.entries(FORMS)) {
    for (const line of [
      `Program log: ${nested}`,
      `Program data: ${nested}`,
      `Program log: "x invoke [2]"`,
    ]) {
      const logMessages = [...(metaOf(simple).logMessages as string[]), line]
      t.deepEqual(decode([without(simple, { logMessages })]).incomplete, [], form)
    }
    const { incomplete } = decode([without(simple, { logMessages: [nested] })])
    t.is(incomplete[0]?.part, 'innerInstructions', form)
  }
})

test('finds nothing missing in real blocks and transactions', (t) => {
  const files = new Set([
    ...chainLines('EXPECTED.ndjson').map((line) => (line.test as { file: string }).file),
    ...chainLines('EXPECTED_NOTHING.ndjson').map(({ file }) => String(file)),
  ])
  t.true(files.size > 50)
  for (const file of files) t.deepEqual(decodeChainFile(file).incomplete, [], file)
})
