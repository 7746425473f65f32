/** The recorded blocks and transactions of `test/data/chain/`. */

import { type Decoded, decodeBlock } from '../../../chain/decode.ts'
import { readBlockFile } from '../../../chain/forms/files/block-file.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { readChainFile } from './chain-files.ts'

/** The objects of an NDJSON file. */
export function chainLines(file: string): Record<string, unknown>[] {
  const text = readChainFile(file).toString('utf8').trimEnd()
  return text.split('\n').map((line) => JSON.parse(line))
}

/** Missing in some files whose source stored no block: replaces any slot and time. */
const CONTEXT = { slot: 1, blockTime: 1_600_000_000 }

/** A transaction's answer with a slot and a time. */
export function chainAnswer(file: string): Record<string, unknown> {
  return { ...CONTEXT, ...JSON.parse(readChainFile(file).toString('utf8')) }
}

export function decodeChainFile(file: string): Decoded {
  const bytes = file.endsWith('.gz')
    ? readChainFile(file)
    : Buffer.from(JSON.stringify(chainAnswer(file)))
  const [block] = readBlockFile(bytes, file)
  if (block === undefined) throw new Error(`file "${file}": expected a block`)
  return decodeBlock(block)
}

/** An event as its line's object. */
export const lineOf = (event: MarketEvent): Record<string, unknown> => JSON.parse(printEvent(event))

type NodeTransaction = {
  transaction: { message: { accountKeys: unknown[] } }
  meta: { err: unknown }
}

/** Transactions that a node answers with heights and that did not fail, each with its file. */
export function* singleTransactions(): Generator<
  readonly [file: string, transaction: Record<string, unknown>]
> {
  for (const { file, kind } of chainLines('MANIFEST.ndjson')) {
    if (kind !== 'transaction' && !String(file).startsWith('transactions/')) continue
    const answer = chainAnswer(String(file))
    const { transaction, meta } = answer as unknown as NodeTransaction
    if (typeof transaction.message.accountKeys[0] !== 'string' || meta.err !== null) continue
    yield [String(file), answer]
  }
}
