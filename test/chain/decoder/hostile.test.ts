/**
 * Real transactions that were damaged at random, in every form: the decoder returns for each, counts it, numbers its
 * swaps without a gap, and emits only events that the ingest contract accepts. More runs: FUZZ_RUNS=N.
 */
import { gunzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { type Decoded, decodeBlock, READ_PROGRAMS } from '../../../chain/decode.ts'
import { parseBlockText } from '../../../chain/forms/block-text.ts'
import { readBlockFile } from '../../../chain/forms/files/block-file.ts'
import { UnreadableBlockFile } from '../../../chain/forms/files/unreadable.ts'
import { readGeyserBlock } from '../../../chain/forms/geyser.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import { UnusableAnswer } from '../../../chain/rpc/rpc-answer.ts'
import { readBlockResult } from '../../../chain/sources/blocks/block-answer.ts'
import { readUpdate } from '../../../chain/sources/geyser/update.ts'
import type { ChainBlock } from '../../../chain/transaction/transaction.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { checkEvent, mendToken } from '../../../streams/ingest/contract.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { readChainFile } from '../../support/chain/chain-files.ts'
import { asGeyser, asJsonParsed } from '../../support/chain/forms.ts'
import { encodeUpdate } from '../../support/chain/geyser/messages.ts'
import { changedBytes, damage } from '../../support/chain/mutations.ts'
import { chainAnswer, chainLines } from '../../support/chain/real-chain.ts'
import { asBase64, wireBytesOf } from '../../support/chain/wire-form.ts'
import { requestedRuns, requestedSeed } from '../../support/seed.ts'

type Json = Record<string, unknown>

/** Each run uses another seed. */
const RUNS = { daily: 1_000, long: 30_000 }
const SLOT = 1
const LINK = { blockhash: 'b', previousBlockhash: 'a', parentSlot: 0, blockTime: 1_700_000_000 }

function transactions(): Json[] {
  const block = JSON.parse(gunzipSync(readChainFile('block_285000037.json.gz')).toString('utf8'))
  const files = new Set(
    chainLines('EXPECTED.ndjson').map((line) => (line.test as { file: string }).file),
  )
  const alone = [...files].filter((file) => file.startsWith('transactions/')).map(chainAnswer)
  const inBlock = (block.transactions as Json[]).filter((each) => {
    const meta = each.meta as Json
    return meta.err === null && JSON.stringify(meta.logMessages).includes('ray_log')
  })
  return [...alone, ...inBlock]
}

/** A damaged transaction as a block of one; undefined where its form refuses it before anything is decoded. */
type Form = (original: Json, prng: Prng) => ChainBlock | undefined

const isJson = ({ transaction }: Json): boolean =>
  typeof ((transaction as Json).message as { accountKeys: unknown[] }).accountKeys[0] === 'string'

const FORMS: Readonly<Record<string, Form>> = {
  rpc(original, prng) {
    const transaction = structuredClone(original)
    damage(transaction, prng)
    return readRpcBlock({ ...LINK, transactions: [transaction] }, SLOT)
  },
  jsonParsed(original, prng) {
    const transaction = structuredClone(isJson(original) ? asJsonParsed(original) : original)
    damage(transaction, prng)
    return readRpcBlock({ ...LINK, transactions: [transaction] }, SLOT)
  },
  base64(original, prng) {
    if (!isJson(original)) return undefined
    const { meta, ...entry } = structuredClone(original)
    const bytes = changedBytes(wireBytesOf(entry), prng).toString('base64')
    damage(meta as Json, prng)
    const transactions = [{ ...entry, meta, transaction: [bytes, 'base64'] }]
    return readRpcBlock({ ...LINK, transactions }, SLOT)
  },
  text(original, prng) {
    if (!isJson(original)) return undefined
    const result = { ...LINK, transactions: [asBase64(original)] }
    const bytes = changedBytes(Buffer.from(JSON.stringify({ result })), prng)
    return refused(SyntaxError, () => {
      const answer = parseBlockText(bytes, READ_PROGRAMS) as { result?: unknown } | null
      return readRpcBlock(answer?.result, SLOT)
    })
  },
  geyser(original, prng) {
    const transaction = isJson(original) ? asGeyser(structuredClone(original), 0) : {}
    damage(transaction, prng)
    const blockTime = { timestamp: String(LINK.blockTime) }
    return readGeyserBlock({ slot: SLOT, blockTime, transactions: [transaction] })
  },
  file(original, prng) {
    const bytes = Buffer.from(JSON.stringify({ ...LINK, transactions: [original] }))
    return refused(UnreadableBlockFile, () => {
      return readBlockFile(changedBytes(bytes, prng), 'block', SLOT)[0]
    })
  },
  answer(original, prng) {
    const result = structuredClone({ ...LINK, transactions: [original] })
    damage(prng.chance(0.2) ? result : (result.transactions[0] as Json), prng)
    return refused(UnusableAnswer, () => readBlockResult(result, SLOT).block)
  },
  wire(original, prng) {
    if (!isJson(original)) return undefined
    const update = {
      filters: ['w'],
      transaction: { slot: '1', transaction: asGeyser(original, 0) },
    }
    return refused(WireError, () => {
      const read = readUpdate(changedBytes(encodeUpdate(update), prng))
      if (read.kind !== 'transaction') return undefined
      return { slot: SLOT, timestamp: LINK.blockTime * 1_000, transactions: [read.transaction] }
    })
  },
}

/** Undefined where the input is refused by that error; any other error passes. */
function refused<T>(kind: new (...of: never[]) => Error, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof kind) return undefined
    throw error
  }
}

/** The broken rules of a decoded block of one transaction. */
function wrongOf(decoded: Decoded): string[] {
  const { events, rejects, transactionCount, failedCount, unreadableCount } = decoded
  const wrong: string[] = []
  if (failedCount + unreadableCount > transactionCount) wrong.push('counted twice')
  if (failedCount + unreadableCount === transactionCount && events.length + rejects.length > 0) {
    wrong.push('events of a transaction that was left out')
  }
  for (const event of events) {
    const refusal = checkEvent(
      event.kind === 'token' ? { ...event, token: mendToken(event.token).token } : event,
    )
    if (refusal !== undefined) wrong.push(`${event.kind}: ${JSON.stringify(refusal)}`)
  }
  if (transactionCount !== 1) return wrong
  const numbers = new Map<number, number[]>()
  const number = (dex: number, ixIndex: number): void => {
    numbers.set(dex, [...(numbers.get(dex) ?? []), ixIndex])
  }
  for (const event of events) if (event.kind === 'swap') number(event.swap.dex, event.swap.ixIndex)
  for (const { kind, dex, ixIndex } of rejects) if (kind === 'swap') number(dex, ixIndex)
  for (const [dex, found] of numbers) {
    const isWhole = found.toSorted((a, b) => a - b).every((each, at) => each === at)
    if (!isWhole) wrong.push(`swaps of venue ${dex} are numbered ${found.join()}`)
  }
  return wrong
}

function decodeAll(t: ExecutionContext, form: Form, runs: number, seed: number): number {
  const originals = transactions()
  let decodedCount = 0
  for (let run = 0; run < runs; run++) {
    const prng = new Prng([seed, run])
    const hint = `run ${run} of seed ${seed}`
    try {
      const block = form(prng.pick(originals), prng)
      if (block === undefined) continue
      const decoded = refused(WireError, () => decodeBlock(block))
      if (decoded === undefined) continue
      decodedCount++
      const wrong = wrongOf(decoded)
      if (wrong.length > 0) t.fail(`${hint}: ${wrong.join('; ')}`)
    } catch (error) {
      t.fail(`${hint}: ${(error as Error).stack}`)
    }
  }
  return decodedCount
}

for (const [name, form] of Object.entries(FORMS)) {
  test(`returns for damaged transactions of the form ${name}, and counts each`, (t) => {
    const forms = Object.keys(FORMS).length
    const runs = Math.ceil(requestedRuns(RUNS) / forms)
    const decodedCount = decodeAll(t, form, runs, requestedSeed() ?? Date.now() % 2 ** 31)
    t.true(decodedCount > runs / 20, `${decodedCount} of ${runs} were decoded`)
    t.log(`${decodedCount} of ${runs} decoded`)
  })
}
