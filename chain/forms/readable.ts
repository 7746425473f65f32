/**
 * Whether the parts of a transaction that the decoder relies on are there and of their types, checked before anything is
 * decoded: a part that is read as another one, or as nothing, would make a shorter list of swaps. Pure.
 */
import { isObject } from '../../domain/text/exact-json.ts'
import { amountOf, countOf, type Json, listOf, objectOf, textOf } from '../transaction/parts.ts'

/** `isPrinted`: of a protobuf message that was printed as JSON, which leaves out zeros. */
type Form = { readonly isPrinted: boolean }

/** Keys as texts, as bytes, or as objects that name them (`jsonParsed`); instructions that name their program. */
export function isMessageReadable(message: Json, form: Form): boolean {
  const keys = listOf(message.accountKeys)
  return keys.length > 0 && keys.every(isKey) && areReadable(message.instructions, form)
}

const isKey = (key: unknown): boolean =>
  key instanceof Uint8Array || textOf(key) !== '' || textOf(objectOf(key).pubkey) !== ''

export const isResultReadable = (meta: Json, form: Form): boolean =>
  unreadablePart(meta, form) === undefined

const BALANCES = ['preTokenBalances', 'postTokenBalances'] as const

/** The first part of a result that cannot be read: inner instructions and token balances, as far as the result has them. */
export function unreadablePart(meta: Json, form: Form): string | undefined {
  const groups = listOf(meta.innerInstructions)
  if (!groups.every((each) => isGroup(objectOf(each), form))) return 'innerInstructions'
  return BALANCES.find(
    (part) => !listOf(meta[part]).every((each) => isBalance(objectOf(each), form)),
  )
}

const isGroup = ({ index, instructions }: Json, form: Form): boolean =>
  isCount(index, form) && areReadable(instructions, form)

function areReadable(instructions: unknown, form: Form): boolean {
  if (instructions === undefined) return form.isPrinted
  if (!Array.isArray(instructions)) return false
  return instructions.every((each) => isInstruction(objectOf(each), form))
}

function isInstruction({ programIdIndex, programId, parsed }: Json, form: Form): boolean {
  const isNamed = textOf(programId) !== '' || isCount(programIdIndex, form)
  return isNamed && (!isObject(parsed) || isTransferReadable(objectOf(parsed.info)))
}

/** Amounts of a token transfer as a node parsed it; other instructions have none of these. */
function isTransferReadable({ amount, tokenAmount, feeAmount }: Json): boolean {
  const given = [amount, objectOf(tokenAmount).amount, objectOf(feeAmount).amount]
  return given.every((each) => each === undefined || amountOf(each) !== undefined)
}

function isBalance({ accountIndex, mint, uiTokenAmount }: Json, form: Form): boolean {
  const { amount, decimals } = objectOf(uiTokenAmount)
  return (
    isCount(accountIndex, form) &&
    textOf(mint) !== '' &&
    isCount(decimals, form) &&
    amountOf(amount) !== undefined
  )
}

const isCount = (value: unknown, { isPrinted }: Form): boolean =>
  value === undefined ? isPrinted : countOf(value) !== undefined
