/**
 * A transaction in the other forms that sources deliver: a node's `jsonParsed` form of `json`, and the objects of a
 * Yellowstone codec. Written from their documentation, apart from the readers.
 */
import { decodeBase58 } from '../../../domain/numbers/base58.ts'

type Json = Record<string, unknown>
type Instruction = {
  programIdIndex: number
  accounts: number[]
  data: string
  stackHeight?: number
}

const TOKEN_PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])

export function asJsonParsed(answer: Json): Json {
  const { message, meta, keys } = partsOf(answer)
  const { numRequiredSignatures } = message.header as { numRequiredSignatures: number }
  return {
    ...answer,
    transaction: {
      ...(answer.transaction as Json),
      message: {
        ...message,
        header: undefined,
        accountKeys: keys.map((pubkey, index) => ({
          pubkey,
          signer: index < numRequiredSignatures,
          writable: true,
          source: 'transaction',
        })),
        instructions: message.instructions.map((each) => parsedInstruction(each, keys)),
      },
    },
    meta: {
      ...meta,
      loadedAddresses: undefined,
      innerInstructions: meta.innerInstructions.map(({ index, instructions }) => ({
        index,
        instructions: instructions.map((each) => parsedInstruction(each, keys)),
      })),
    },
  }
}

function parsedInstruction(instruction: Instruction, keys: readonly string[]): Json {
  const programId = keys[instruction.programIdIndex] as string
  const accounts = instruction.accounts.map((index) => keys[index])
  const { stackHeight } = instruction
  const bytes = Buffer.from(decodeBase58(instruction.data, 16_384) ?? [])
  const parsed = TOKEN_PROGRAMS.has(programId) ? parsedTransfer(bytes, accounts) : undefined
  if (parsed === undefined) return { programId, accounts, data: instruction.data, stackHeight }
  return { programId, program: 'spl-token', parsed, stackHeight }
}

function parsedTransfer(bytes: Buffer, accounts: readonly unknown[]): Json | undefined {
  const [source, second, third] = accounts
  if (bytes[0] === 3) {
    const units = bytes.readBigUInt64LE(1).toString()
    return { type: 'transfer', info: { source, destination: second, amount: units } }
  }
  if (bytes[0] === 12) {
    const tokenAmount = { amount: bytes.readBigUInt64LE(1).toString(), decimals: bytes[9] }
    return {
      type: 'transferChecked',
      info: { source, mint: second, destination: third, tokenAmount },
    }
  }
  if (bytes[0] !== 26 || bytes[1] !== 1) return undefined
  const tokenAmount = { amount: bytes.readBigUInt64LE(2).toString(), decimals: bytes[10] }
  const feeAmount = { amount: bytes.readBigUInt64LE(11).toString(), decimals: bytes[10] }
  return {
    type: 'transferCheckedWithFee',
    info: { source, mint: second, destination: third, tokenAmount, feeAmount },
  }
}

/** The form that the protobuf codec delivers: bytes for keys, accounts and payloads, texts for 64-bit numbers. */
export function asGeyser(answer: Json, index: number): Json {
  const { message, meta } = partsOf(answer)
  const transaction = answer.transaction as { signatures: string[] }
  const loaded = (meta.loadedAddresses ?? {}) as { writable?: string[]; readonly?: string[] }
  return {
    signature: bytesOf(transaction.signatures[0] as string),
    isVote: false,
    index: String(index),
    transaction: {
      signatures: transaction.signatures.map(bytesOf),
      message: {
        header: message.header,
        accountKeys: message.accountKeys.map(bytesOf),
        instructions: message.instructions.map(byteInstruction),
      },
    },
    meta: {
      err: meta.err === null ? undefined : { err: new Uint8Array(4) },
      innerInstructions: meta.innerInstructions.map(({ index: outer, instructions }) => ({
        index: outer,
        instructions: instructions.map(byteInstruction),
      })),
      innerInstructionsNone: false,
      logMessages: meta.logMessages,
      logMessagesNone: false,
      preTokenBalances: meta.preTokenBalances,
      postTokenBalances: meta.postTokenBalances,
      loadedWritableAddresses: (loaded.writable ?? []).map(bytesOf),
      loadedReadonlyAddresses: (loaded.readonly ?? []).map(bytesOf),
    },
  }
}

const bytesOf = (text: string): Uint8Array => decodeBase58(text, 16_384) as Uint8Array

const byteInstruction = (instruction: Instruction): Json => ({
  programIdIndex: instruction.programIdIndex,
  accounts: Uint8Array.from(instruction.accounts),
  data: bytesOf(instruction.data),
  stackHeight: instruction.stackHeight,
})

function partsOf(answer: Json) {
  const message = (answer.transaction as Json).message as {
    header: Json
    accountKeys: string[]
    instructions: Instruction[]
  }
  const meta = answer.meta as Json & {
    innerInstructions: { index: number; instructions: Instruction[] }[]
  }
  const loaded = (meta.loadedAddresses ?? {}) as { writable?: string[]; readonly?: string[] }
  const keys = [...message.accountKeys, ...(loaded.writable ?? []), ...(loaded.readonly ?? [])]
  return { message, meta, keys }
}
