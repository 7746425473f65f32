/**
 * Transactions that a test makes by hand, and their decoded results. A transaction is written with the encoder's writer, or is
 * a swap of a venue as the encoder writes it; its entry of the block may be changed before it is decoded.
 */

import { type Decoded, decodeBlock } from '../../../chain/decode.ts'
import { encodeBlock } from '../../../chain/encode-block.ts'
import { formOf, type TransactionForm } from '../../../chain/encoder/form.ts'
import { addressOf, signatureOf } from '../../../chain/encoder/keys.ts'
import { type Json, TransactionWriter } from '../../../chain/encoder/transaction-writer.ts'
import { readRpcBlock } from '../../../chain/forms/rpc.ts'
import type { Swap } from '../../../domain/events/swap.ts'

const SLOT = 400
const BLOCK_TIME = 1_790_000_000
const LINK = { blockhash: 'b', previousBlockhash: 'a', parentSlot: SLOT - 1, blockTime: BLOCK_TIME }

export const TRADER = addressOf('trader')

/** A form in which nothing is drawn: plain transfers, all logs, no router around the venue. */
const PLAIN: TransactionForm = formOf('plain', {
  version: 'legacy',
  hasHeights: true,
  isRouted: false,
  isRouterTrader: false,
  hasOtherPayer: false,
  checksTransfers: false,
  namesFees: false,
  wrapsSol: false,
  isLogCut: false,
  isReferred: false,
  age: 4,
})

export function decodeEntry(entry: Json): Decoded {
  const block = readRpcBlock({ ...LINK, transactions: [JSON.parse(JSON.stringify(entry))] }, SLOT)
  if (block === undefined) throw new Error('transaction: expected a block of it')
  return decodeBlock(block)
}

/** The entry of a transaction whose instructions `write` writes. */
export function written(
  write: (writer: TransactionWriter) => void,
  form: Partial<TransactionForm> = {},
): Json {
  const writer = new TransactionWriter({ ...PLAIN, ...form }, [TRADER])
  write(writer)
  return writer.finish(signatureOf('made'))
}

/** The entry of a transaction of these swaps, each as its venue writes it. */
export function encoded(swaps: readonly Swap[], form: Partial<TransactionForm> = {}): Json {
  const [first] = swaps
  if (first === undefined) throw new RangeError('swaps: expected at least one')
  const { slot, timestamp } = first
  const events = swaps.map((swap) => ({ kind: 'swap' as const, swap }))
  const block = encodeBlock(
    { slot, parentSlot: slot - 1, timestamp, events },
    { form: { ...PLAIN, ...form }, isBare: true },
  )
  const [entry] = block.transactions
  if (entry === undefined || block.transactions.length > 1) {
    throw new RangeError('swaps: expected those of one transaction')
  }
  return entry
}

export const swapsOf = ({ events }: Decoded): Swap[] =>
  events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))

type Balance = { accountIndex: number; uiTokenAmount: Record<'amount', string> }
type Meta = { postTokenBalances: Balance[]; logMessages: string[] }

/** The same transaction, after which an account holds more base units, or fewer (negative). */
export function withBalance(entry: Json, account: string, more: bigint): Json {
  const copy = structuredClone(entry)
  const { message } = copy.transaction as { message: { accountKeys: string[] } }
  const index = message.accountKeys.indexOf(account)
  const balance = (copy.meta as Meta).postTokenBalances.find((each) => each.accountIndex === index)
  if (balance === undefined) throw new RangeError(`account "${account}": expected a balance`)
  balance.uiTokenAmount.amount = String(BigInt(balance.uiTokenAmount.amount) + more)
  return copy
}

/** The same transaction, whose logs were cut before the event with that number. */
export function withLogsCut(entry: Json, eventNumber: number): Json {
  const copy = structuredClone(entry)
  const meta = copy.meta as Meta
  const events = meta.logMessages.flatMap((line, at) => (isEventLine(line) ? [at] : []))
  const cutAt = events[eventNumber]
  if (cutAt === undefined) throw new RangeError(`event ${eventNumber}: expected one in the logs`)
  meta.logMessages = [...meta.logMessages.slice(0, cutAt), 'Log truncated']
  return copy
}

export const isEventLine = (line: string): boolean =>
  line.startsWith('Program data: ') || line.startsWith('Program log: ray_log: ')
