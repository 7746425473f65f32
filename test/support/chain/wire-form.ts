/**
 * A transaction in its wire form, as nodes serve it with encoding base64: the legacy form, version 0 and version 1
 * (SIMD-0385). Written from their documentation, apart from the readers.
 */
import { decodeBase58 } from '../../../domain/numbers/base58.ts'

type Json = Record<string, unknown>
type Instruction = { programIdIndex: number; accounts: number[]; data: string }
/** Some files of the data folder lack empty lists. */
type Lookup = { accountKey: string; writableIndexes?: number[]; readonlyIndexes?: number[] }
type Message = {
  header: {
    numRequiredSignatures: number
    numReadonlySignedAccounts: number
    numReadonlyUnsignedAccounts: number
  }
  accountKeys: string[]
  recentBlockhash: string
  instructions: Instruction[]
  addressTableLookups?: Lookup[]
  transactionConfig?: TransactionConfig
}
type TransactionConfig = {
  priorityFee?: number | null
  computeUnitLimit?: number | null
  loadedAccountsDataSizeLimit?: number | null
  heapSize?: number | null
}

const VERSION_0 = 0x80
const VERSION_1 = 0x81

/** An entry of encoding json as the same node serves it with encoding base64. */
export function asBase64(entry: Json): Json {
  return { ...entry, transaction: [wireBytesOf(entry).toString('base64'), 'base64'] }
}

/** The bytes of an entry of encoding json. */
export function wireBytesOf({ transaction, version }: Json): Buffer {
  const { signatures, message } = transaction as { signatures: string[]; message: Message }
  const signed = signatures.map(bytesOf)
  if (version === 1) return Buffer.concat([version1Bytes(message), ...signed])
  const prefix = version === 0 ? [VERSION_0] : []
  const lookups = version === 0 ? listBytes(message.addressTableLookups ?? [], lookupBytes) : []
  return Buffer.concat([
    Buffer.from(compactLength(signed.length)),
    ...signed,
    Buffer.from([...prefix, ...headerBytes(message)]),
    ...listBytes(message.accountKeys, bytesOf),
    bytesOf(message.recentBlockhash),
    ...listBytes(message.instructions, instructionBytes),
    ...lookups,
  ])
}

const bytesOf = (text: string): Buffer => Buffer.from(decodeBase58(text, 16_384) ?? [])

const headerBytes = ({ header }: Message): number[] => [
  header.numRequiredSignatures,
  header.numReadonlySignedAccounts,
  header.numReadonlyUnsignedAccounts,
]

/** A length in groups of seven bits, the least first. */
function compactLength(length: number): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, ...compactLength(length >> 7)]
}

function listBytes<Part>(parts: readonly Part[], write: (part: Part) => Buffer): Buffer[] {
  return [Buffer.from(compactLength(parts.length)), ...parts.map(write)]
}

function instructionBytes({ programIdIndex, accounts, data }: Instruction): Buffer {
  const payload = bytesOf(data)
  const lengths = [programIdIndex, ...compactLength(accounts.length), ...accounts]
  return Buffer.concat([Buffer.from([...lengths, ...compactLength(payload.length)]), payload])
}

function lookupBytes({ accountKey, writableIndexes, readonlyIndexes }: Lookup): Buffer {
  const indexes = [writableIndexes, readonlyIndexes].flatMap((each = []) => {
    return [...compactLength(each.length), ...each]
  })
  return Buffer.concat([bytesOf(accountKey), Buffer.from(indexes)])
}

/** Without the signatures, which follow it. */
function version1Bytes(message: Message): Buffer {
  const { mask, values } = configOf(message.transactionConfig ?? {})
  const payloads = message.instructions.map(({ data }) => bytesOf(data))
  const counts = [message.instructions.length, message.accountKeys.length]
  return Buffer.concat([
    Buffer.from([VERSION_1, ...headerBytes(message)]),
    u32(mask),
    bytesOf(message.recentBlockhash),
    Buffer.from(counts),
    ...message.accountKeys.map(bytesOf),
    values,
    ...message.instructions.map(({ programIdIndex, accounts }, at) => {
      const length = payloads[at]?.length ?? 0
      return Buffer.from([programIdIndex, accounts.length, length & 0xff, length >> 8])
    }),
    ...message.instructions.map(({ accounts }, at) => {
      return Buffer.concat([Buffer.from(accounts), payloads[at] ?? Buffer.alloc(0)])
    }),
  ])
}

/** The mask has two bits for the priority fee of 8 bytes, and one for each value of 4 bytes. */
function configOf(config: TransactionConfig): { mask: number; values: Buffer } {
  const { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } = config
  let mask = 0
  const values: Buffer[] = []
  if (priorityFee != null) {
    mask |= 0b11
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(priorityFee))
    values.push(bytes)
  }
  for (const [at, value] of [computeUnitLimit, loadedAccountsDataSizeLimit, heapSize].entries()) {
    if (value == null) continue
    mask |= 1 << (at + 2)
    values.push(u32(value))
  }
  return { mask, values: Buffer.concat(values) }
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
