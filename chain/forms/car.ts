/**
 * The form of a CAR file: a transaction as its bytes on the wire, and its result as a zstd frame of protobuf. Pure.
 *
 * A result costs more to unpack than a transaction to read, and most run no venue. It is unpacked where a program that is read is
 * among the keys of the message, or may be among those that lookup tables load. Any other transaction runs none: a program that is
 * called must be a key.
 */
import { zstdDecompressSync } from 'node:zlib'
import { WireError } from '../../streams/codec/protobuf.ts'
import type {
  ChainInstruction,
  ChainTransaction,
  ResultPart,
  TokenBalance,
} from '../transaction/transaction.ts'
import { StatusMeta } from './geyser/status-meta.ts'
import { KeySet } from './key-set.ts'
import { keyTextAt } from './key-texts.ts'
import { WireMessage } from './wire-message.ts'

/** Programs that call no program of a venue: votes, and those that most transactions run alongside a router. */
const CALLS_NO_VENUE = new KeySet([
  'Vote111111111111111111111111111111111111111',
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
])

/** Bytes of a result; a larger one is none. */
const META_BYTES_MAX = 64 * 1024 * 1024
/** Most results are smaller; buffers of less than half of Node's pool are taken from it, which saves a fifth of unpacking. */
const UNPACKED_CHUNK_BYTES = 4_000

/** A transaction that cannot be read, with the reason. */
export class UnreadableTransaction extends Error {
  override name = 'UnreadableTransaction'
  /** '' where the message itself cannot be read. */
  readonly signature: string

  constructor(signature: string, reason: string) {
    super(reason)
    this.signature = signature
  }
}

/** The bytes in a file; `meta` is packed, and empty where no result was recorded. */
export type PackedTransaction = {
  readonly index: number
  readonly message: Buffer
  readonly meta: () => Buffer
}

/** One that runs none of the programs: neither its keys nor its result were read. */
export const OTHER_TRANSACTION: ChainTransaction = {
  signature: '',
  index: undefined,
  hasFailed: false,
  signerCount: 0,
  keyCount: 0,
  key: () => '',
  programs: [],
  instructions: [],
  logs: undefined,
  tokenBalances: new Map(),
  lacks: () => false,
}

/** Throws UnreadableTransaction; parts of its result throw WireError when they are read. */
export function readCarTransaction(
  { index, message, meta }: PackedTransaction,
  programs: KeySet,
): ChainTransaction {
  const wire = WireMessage.read(message)
  if (wire === undefined) throw new UnreadableTransaction('', 'it is no transaction')
  if (!mayRun(wire, programs)) return OTHER_TRANSACTION
  try {
    return new CarTransaction(wire, index, StatusMeta.read(unpacked(meta())))
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    throw new UnreadableTransaction(wire.signature, reason)
  }
}

function mayRun(wire: WireMessage, programs: KeySet): boolean {
  return wire.names(programs) || (wire.hasLookups && !wire.runsOnly(CALLS_NO_VENUE))
}

class UnreadableResult extends Error {
  override name = 'UnreadableResult'
}

function unpacked(packed: Buffer): Buffer {
  if (packed.length === 0) throw new UnreadableResult('its result was not recorded')
  try {
    const limits = { maxOutputLength: META_BYTES_MAX, chunkSize: UNPACKED_CHUNK_BYTES }
    return zstdDecompressSync(packed, limits)
  } catch (cause) {
    throw new UnreadableResult('its result cannot be unpacked', { cause })
  }
}

/** Why a result cannot be read; undefined for any other error. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof UnreadableResult) return error.message
  return error instanceof WireError ? `its result is not protobuf: ${error.message}` : undefined
}

class CarTransaction implements ChainTransaction {
  readonly index: number
  readonly #message: WireMessage
  readonly #meta: StatusMeta
  #signature: string | undefined
  #instructions: readonly ChainInstruction[] | undefined

  constructor(message: WireMessage, index: number, meta: StatusMeta) {
    this.index = index
    this.#message = message
    this.#meta = meta
  }

  get signature(): string {
    this.#signature ??= this.#message.signature
    return this.#signature
  }

  get hasFailed(): boolean {
    return this.#meta.hasFailed
  }

  get signerCount(): number {
    return this.#message.signerCount
  }

  get keyCount(): number {
    return this.#message.keyCount + this.#meta.loadedKeys.length
  }

  key(index: number): string {
    const { keyCount } = this.#message
    if (index < keyCount) return index < 0 ? '' : this.#message.key(index)
    const loaded = this.#meta.loadedKeys[index - keyCount]
    return loaded === undefined ? '' : keyTextAt(this.#meta.bytes, ...loaded)
  }

  get programs(): ReadonlySet<number> {
    return new Set(this.instructions.map(({ program }) => program))
  }

  get instructions(): readonly ChainInstruction[] {
    this.#instructions ??= this.#meta.withInner(this.#message.instructions())
    return this.#instructions
  }

  get logs(): readonly string[] | undefined {
    return this.#meta.logs
  }

  get tokenBalances(): ReadonlyMap<number, TokenBalance> {
    return this.#meta.tokenBalances
  }

  /** The runtime logs every call: a result without a log line and without an inner instruction was not recorded. */
  lacks(part: ResultPart): boolean {
    return (part === 'innerInstructions' && this.#meta.isBare) || this.#meta.lacks(part)
  }
}
