/** The form of a portal gives the events that the node's form of the same transactions gives. */
import { gunzipSync } from 'node:zlib'
import test from 'ava'
import { type Decoded, decodeBlock } from '../../../chain/decode.ts'
import { addressOf } from '../../../chain/encoder/keys.ts'
import { readPortalLine, UnreadableLine } from '../../../chain/forms/portal.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import { portalBody } from '../../../chain/sources/portal/query.ts'
import { portalPrograms } from '../../../chain/sources/portal.ts'
import { INITIALIZE_METADATA, METADATA_PROGRAM } from '../../../chain/transaction/metadata-call.ts'
import { TOKEN_PROGRAMS } from '../../../chain/transaction/token-program.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { lengthAndText } from '../../support/accounts/metadata-accounts.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { portalLine } from '../../support/chain/portal/portal-form.ts'
import type { PortalFilter } from '../../support/chain/portal/portal-request.ts'
import { chainAnswer, singleTransactions } from '../../support/chain/real-chain.ts'
import type { Json, ServedBlock } from '../../support/chain/served-chain.ts'

const PROGRAMS = new Set(portalPrograms())
const SLOT = 285_000_037
const BLOCK: ServedBlock = JSON.parse(
  gunzipSync(readChainFile('block_285000037.json.gz')).toString('utf8'),
)

const linesOf = ({ events }: Decoded): string[] => events.map(printEvent)

function decodeLine(line: Json): Decoded {
  return decodeBlock(readPortalLine(JSON.stringify(line), PROGRAMS).block)
}

const decodeNode = (block: ServedBlock, slot = SLOT): Decoded => {
  const read = readRpcBlock(block, slot)
  if (read === undefined) throw new Error(`slot ${slot}: expected a block`)
  return decodeBlock(read)
}

/** A single transaction as a block of a slot that has stack heights. */
const blockOf = (transaction: Json): ServedBlock => ({ ...BLOCK, transactions: [transaction] })

test('the recorded block has the same events, rejects and mismatches', (t) => {
  const expected = decodeNode(BLOCK)
  const decoded = decodeLine(portalLine(SLOT, BLOCK, PROGRAMS))
  t.deepEqual(linesOf(decoded), linesOf(expected))
  t.is(decoded.events.length, 133)
  t.deepEqual(decoded.rejects, expected.rejects)
  t.deepEqual(decoded.mismatches, expected.mismatches)
  t.deepEqual([decoded.incomplete, decoded.unreadableCount], [[], 0])
})

test('the header gives the slot, its time, and its link', (t) => {
  const { slot, block, link } = readPortalLine(
    JSON.stringify(portalLine(SLOT, BLOCK, PROGRAMS)),
    PROGRAMS,
  )
  t.is(slot, SLOT)
  t.is(block.timestamp, (BLOCK.blockTime ?? 0) * 1_000)
  t.deepEqual(link, {
    blockhash: BLOCK.blockhash,
    parentSlot: BLOCK.parentSlot,
    parentBlockhash: BLOCK.previousBlockhash,
  })
})

test('a time of 0 or null is none', (t) => {
  for (const blockTime of [0, null]) {
    const line = portalLine(SLOT, { ...BLOCK, blockTime }, PROGRAMS)
    t.is(readPortalLine(JSON.stringify(line), PROGRAMS).block.timestamp, undefined)
  }
})

test('each recorded transaction of all venues has the same events and rejects', (t) => {
  const venues = new Set<unknown>()
  let count = 0
  for (const [file, transaction] of singleTransactions()) {
    const block = blockOf(transaction)
    const expected = decodeNode(block)
    const decoded = decodeLine(portalLine(SLOT, block, PROGRAMS))
    t.deepEqual(linesOf(decoded), linesOf(expected), file)
    t.deepEqual(decoded.rejects, expected.rejects, file)
    for (const event of expected.events) if (event.kind === 'swap') venues.add(event.swap.dex)
    count++
  }
  t.true(count >= 50, `${count} transactions`)
  t.is(venues.size, 10)
})

test('logs that the indexer dropped are cut: a swap that needs them is counted, and none is invented', (t) => {
  const dropped = portalLine(SLOT, BLOCK, PROGRAMS, { dropsLogs: () => true })
  const { lacking, block } = readPortalLine(JSON.stringify(dropped), PROGRAMS)
  const decoded = decodeBlock(block)
  const whole = decodeNode(BLOCK)
  t.is(lacking.length, (dropped.transactions as Json[]).length)
  t.true(lacking.every(({ lacks }) => lacks === 'logs'))
  const seen = decoded.events.length + decoded.rejects.length
  t.is(seen, whole.events.length + whole.rejects.length)
  t.true(decoded.rejects.length >= whole.rejects.length)
  const known = new Set(linesOf(whole))
  const other = linesOf(decoded).filter((line) => !known.has(line))
  for (const line of other) {
    const { sol_amount, token_amount, signature } = JSON.parse(line)
    const same = [...known].find((each) => {
      const { sol_amount: sol, token_amount: token, signature: of } = JSON.parse(each)
      return of === signature && sol === sol_amount && token === token_amount
    })
    t.not(same, undefined, line)
  }
})

test('a line that is no block, or whose rows lack their transaction, is refused', (t) => {
  const line = portalLine(SLOT, BLOCK, PROGRAMS)
  const header = line.header as Json
  const bad: [text: string, message: RegExp][] = [
    ['{"header":', /no JSON/],
    ['[]', /no object/],
    ['{}', /no number/],
    [JSON.stringify({ header: { ...header, hash: undefined } }), /lacks its hash/],
    [JSON.stringify({ header: { ...header, parentNumber: SLOT + 1 } }), /its parent/],
    [JSON.stringify({ ...line, transactions: [] }), /not listed/],
  ]
  for (const [text, message] of bad) {
    t.throws(() => readPortalLine(text, PROGRAMS), { instanceOf: UnreadableLine, message })
  }
})

test('a transaction with a part of another type is counted as unreadable', (t) => {
  const line = portalLine(SLOT, BLOCK, PROGRAMS)
  const lists = ['instructions', 'tokenBalances'] as const
  const changes: Json[] = [
    { instructionAddress: null },
    { programId: 7 },
    { accounts: 'x' },
    { data: null },
    { postAmount: 'many' },
    { account: null },
  ]
  for (const [at, change] of changes.entries()) {
    const name = lists[at < 4 ? 0 : 1] as string
    const rows = (line[name] as Json[]).map((row, index) =>
      index === 0 ? { ...row, ...change } : row,
    )
    t.is(decodeLine({ ...line, [name]: rows }).unreadableCount, 1, JSON.stringify(change))
  }
})

/** Filters of a request that select names. */
const naming = (): PortalFilter[] => {
  const body = JSON.parse(portalBody({ from: SLOT, programs: [...PROGRAMS], hasNames: true }))
  return body.instructions.slice(2)
}

test('a request for names selects the calls that name a mint, and is absent without it', (t) => {
  t.deepEqual(
    naming().map(({ d1, d8 }) => d1 ?? d8),
    [['0x10', '0x21', '0x2a'], ['0xd2e11ea258b84d8d']],
  )
  const body = JSON.parse(portalBody({ from: SLOT, programs: [...PROGRAMS] }))
  t.is(body.instructions.length, 2)
  const headers = JSON.parse(portalBody({ from: SLOT, programs: [], hasNames: true }))
  t.is(headers.instructions, undefined)
})

test('calls that name a mint come without the rest of their transaction, and make no entry of the block', (t) => {
  const file = 'transactions/4De4M3Xoni95DMdH.json'
  const block = blockOf(chainAnswer(file) as Json)
  const line = portalLine(SLOT, block, new Set(), { dropsLogs: () => true, single: naming() })
  t.is((line.instructions as Json[]).length, 1)
  const read = readPortalLine(JSON.stringify(line), PROGRAMS)
  t.deepEqual(read.block.transactions, [])
  t.deepEqual(read.lacking, [])
  t.is(read.names.length, 1)
  t.like(read.names[0], { mint: 'Bd9eJXwDCrZd3LRsyeQx3ziGyguykPczuErsaTYksaoy', slot: SLOT })
  t.truthy(read.names[0]?.name)
  // With the venue wanted, the transaction comes whole, and states the same name.
  const whole = readPortalLine(
    JSON.stringify(portalLine(SLOT, block, PROGRAMS, { single: naming() })),
    PROGRAMS,
  )
  t.deepEqual(whole.names, read.names)
  t.is([...whole.block.transactions].length, 1)
})

test('transactions without their instructions are counted as unreadable, with names requested, too', (t) => {
  const line = portalLine(SLOT, BLOCK, PROGRAMS, { single: naming() })
  const { header } = line
  const transactions = line.transactions as Json[]
  const cut = { header, transactions }
  t.true(transactions.length > 10)
  t.is(decodeLine(cut).unreadableCount, transactions.length)
})

test('names are read from each call that states one, and from no other bytes', (t) => {
  const mint = addressOf('named')
  const [meta, other] = [addressOf('meta'), addressOf('other')]
  const texts = Buffer.concat(['Dog', 'DOG', 'ar://x'].map((text) => lengthAndText(text)))
  const bytes = (...parts: Uint8Array[]) => encodeBase58(Buffer.concat(parts))
  const row = (programId: string, accounts: string[], text: string) => ({
    ...{ transactionIndex: 0, instructionAddress: [0], programId, accounts, data: text },
  })
  const namesIn = (...instructions: object[]) =>
    readPortalLine(
      JSON.stringify({
        ...portalLine(
          SLOT,
          blockOf(chainAnswer('transactions/mqSGNwKK8GZW7Pzt.json') as Json),
          new Set(),
        ),
        transactions: [
          { transactionIndex: 0, signatures: ['x'], accountKeys: ['y'], numRequiredSignatures: 1 },
        ],
        instructions,
      }),
      PROGRAMS,
    ).names
  const expected = [{ mint, slot: SLOT, name: 'Dog', symbol: 'DOG', uri: 'ar://x' }]
  const initialize = Buffer.from(INITIALIZE_METADATA, 'hex')
  const stating = [
    row(METADATA_PROGRAM, [meta, mint], bytes(Uint8Array.of(16), texts)),
    row(METADATA_PROGRAM, [meta, mint], bytes(Uint8Array.of(33), texts)),
    row(METADATA_PROGRAM, [meta, other, mint], bytes(Uint8Array.of(42, 0), texts)),
    row(TOKEN_PROGRAMS[1], [meta, other, mint], bytes(initialize, texts)),
  ]
  for (const each of stating) t.deepEqual(namesIn(each), expected)
  const silent = [
    row(other, [meta, mint], bytes(Uint8Array.of(33), texts)),
    row(METADATA_PROGRAM, [meta, mint], bytes(Uint8Array.of(1), texts)),
    row(METADATA_PROGRAM, [meta], bytes(Uint8Array.of(33), texts)),
    row(METADATA_PROGRAM, [meta, 'no address'], bytes(Uint8Array.of(33), texts)),
    row(METADATA_PROGRAM, [meta, mint], '0'),
  ]
  for (const each of silent) t.deepEqual(namesIn(each), [])
})
