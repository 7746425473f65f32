/** The form of a portal gives the events that the node's form of the same transactions gives. */
import { gunzipSync } from 'node:zlib'
import test from 'ava'
import { type Decoded, decodeBlock } from '../../../chain/decode.ts'
import { readPortalLine, UnreadableLine } from '../../../chain/forms/portal.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import { portalPrograms } from '../../../chain/sources/portal.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { portalLine } from '../../support/chain/portal/portal-form.ts'
import { singleTransactions } from '../../support/chain/real-chain.ts'
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
