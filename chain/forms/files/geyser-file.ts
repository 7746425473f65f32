/** Updates of a Yellowstone stream in files, as its clients print them. Pure. */

import { isObject } from '../../../domain/text/exact-json.ts'
import { counted } from '../../../domain/text/plural.ts'
import { countOf, type Json, listOf, objectOf } from '../../transaction/parts.ts'
import type { ChainBlock } from '../../transaction/transaction.ts'
import { readGeyserBlock, readGeyserTransaction } from '../geyser.ts'
import { unprinted, withBytes } from './printed-update.ts'
import { UnreadableBlockFile, unknownForm } from './unreadable.ts'

/** Kinds of updates that hold no transaction. */
const OTHER_KINDS = [
  'account',
  'slot',
  'ping',
  'pong',
  'entry',
  'blockMeta',
  'transactionStatus',
] as const

type GeyserUpdate = { readonly block: ChainBlock } | { readonly without: string }

/** Undefined for any other JSON. `slot`: that of the caller. Throws UnreadableBlockFile. */
export function readPrintedUpdate(
  printed: Json,
  slot: number | undefined,
): GeyserUpdate | undefined {
  if (isOfRpc(printed)) return undefined
  const json = objectOf(unprinted(printed))
  const update = isObject(json.updateOneof) ? kindOf(json.updateOneof) : json
  if (isObject(update.block)) return readBlock(update.block)
  if (isBlock(update)) return readBlock(update)
  const { transaction } = update
  if (isObject(transaction)) {
    if (isEntry(transaction))
      return readTransaction(transaction, slot ?? countOf(transaction.slot ?? update.slot))
    if (isObject(transaction.transaction) && isEntry(transaction.transaction)) {
      return readTransaction(transaction.transaction, slot ?? countOf(transaction.slot))
    }
    if (isEntry(update)) return readTransaction(update, slot ?? countOf(update.slot))
  }
  const other = OTHER_KINDS.find((kind) => isObject(update[kind]))
  return other === undefined ? undefined : { without: `an update of the kind "${other}"` }
}

/** An answer of JSON-RPC, without a look at each of its values. */
const isOfRpc = (json: Json): boolean =>
  'previousBlockhash' in json ||
  ('meta' in json && !('signature' in json) && !('isVote' in json) && !('is_vote' in json))

/** `{"Transaction": {...}}`, or with the kind in `$case`. */
const kindOf = (oneof: Json): Json =>
  Object.fromEntries(
    Object.entries(oneof).map(([name, each]) => [
      name.charAt(0).toLowerCase() + name.slice(1),
      each,
    ]),
  )

const isBlock = (json: Json): boolean =>
  Array.isArray(json.transactions) &&
  ('parentBlockhash' in json || 'executedTransactionCount' in json)

/** A transaction with its message: what an update of a transaction, or an entry of a block, holds. */
const isEntry = ({ transaction }: Json): boolean => isObject(objectOf(transaction).message)

function readBlock(block: Json): GeyserUpdate {
  const transactions = listOf(block.transactions)
  const executedCount = countOf(block.executedTransactionCount) ?? 0
  if (transactions.length === 0 && executedCount > 0) {
    return { without: `a block without its ${counted(executedCount, 'transaction')}` }
  }
  const entries = transactions.map((each) => withBytes(objectOf(each)) ?? {})
  const read = readGeyserBlock({ ...block, transactions: entries })
  if (read === undefined) throw unknownForm()
  return { block: read }
}

/** An update has no time, so its events are rejected. */
function readTransaction(entry: Json, slot: number | undefined): GeyserUpdate {
  if (slot === undefined) throw new UnreadableBlockFile('its slot is missing: add --slot SLOT')
  const transaction = readGeyserTransaction(withBytes(entry) ?? {})
  return { block: { slot, timestamp: undefined, transactions: [transaction] } }
}
