/**
 * Token transfers of a transaction. Pure.
 */
import { isTokenProgram } from './token-program.ts'
import type { ChainInstruction, ChainTransaction, TokenTransfer } from './transaction.ts'
import { payloadOf } from './transaction.ts'

/** First bytes of the token programs' instructions. */
const TRANSFER = 3
const TRANSFER_CHECKED = 12
const TRANSFER_FEE_EXTENSION = 26
const TRANSFER_CHECKED_WITH_FEE = 1

/** A transfer, and the position of its instruction in the execution order. */
export type PlacedTransfer = TokenTransfer & { readonly at: number }

/** All token transfers in execution order. */
export function transfersOf(transaction: ChainTransaction): readonly PlacedTransfer[] {
  const transfers: PlacedTransfer[] = []
  const { instructions } = transaction
  /** Whether it is a token program, by the index of its key. */
  const areTokens: (boolean | undefined)[] = []
  for (let at = 0; at < instructions.length; at++) {
    const instruction = instructions[at] as ChainInstruction
    const { program, parsedTransfer } = instruction
    if (parsedTransfer !== undefined) {
      transfers.push({ ...parsedTransfer, at })
      continue
    }
    areTokens[program] ??= isTokenProgram(transaction.key(program))
    const read = areTokens[program] ? transferOf(instruction, at) : undefined
    if (read !== undefined) transfers.push(read)
  }
  return transfers
}

function transferOf(instruction: ChainInstruction, at: number): PlacedTransfer | undefined {
  const payload = payloadOf(instruction)
  const { accounts } = instruction
  if (payload[0] === TRANSFER && payload.length >= 9) {
    return transfer(at, accounts, 1, u64At(payload, 1), undefined)
  }
  if (payload[0] === TRANSFER_CHECKED && payload.length >= 9) {
    return transfer(at, accounts, 2, u64At(payload, 1), undefined)
  }
  if (
    payload[0] === TRANSFER_FEE_EXTENSION &&
    payload[1] === TRANSFER_CHECKED_WITH_FEE &&
    payload.length >= 19
  ) {
    return transfer(at, accounts, 2, u64At(payload, 2), u64At(payload, 11))
  }
  return undefined
}

/** The first account sends, the one at `position` receives. */
function transfer(
  at: number,
  accounts: ArrayLike<number>,
  position: number,
  baseUnits: bigint,
  fee: bigint | undefined,
): PlacedTransfer | undefined {
  const source = accounts[0]
  const destination = accounts[position]
  if (source === undefined || destination === undefined) return undefined
  return { source, destination, baseUnits, fee, at }
}

export function u64At(bytes: Uint8Array, offset: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(offset, true)
}
