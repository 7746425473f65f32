/**
 * Describes the mints whose pools a transaction creates: decimals, supply, symbol, name, URI. Pure.
 *
 * Reads the instructions that a launch on any venue runs: those of the token programs and of the metadata programs. A
 * mint is described only where the transaction made it, so that its supply is the sum minted.
 */

import { INT64_MAX, int64 } from '../../domain/amount.ts'
import type { Token } from '../../domain/events/token.ts'
import { isTokenProgram } from '../transaction/token-program.ts'
import {
  type ChainInstruction,
  type ChainTransaction,
  payloadOf,
} from '../transaction/transaction.ts'
import { u64At } from '../transaction/transfers.ts'
import { discriminatorOf } from './layout.ts'

export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

/** First bytes of the token programs' instructions. */
const INITIALIZE_MINT = new Set([0, 20])
const MINT_TO = new Set([7, 14])
/** First byte of Metaplex's CreateMetadataAccountV3; version 2 of it is read alike. */
const CREATE_METADATA = new Set([16, 33])
const METADATA_MINT = 1
/** First 8 bytes of the token metadata interface's Initialize, as hex. */
export const INITIALIZE_METADATA = 'd2e11ea258b84d8d'
const INTERFACE_MINT = 2

type Texts = { name?: string; symbol?: string; uri?: string }
type Described = Texts & { decimals?: number; supply: bigint }

/** A token line for each of the mints that this transaction made. */
export function* tokensOf(
  transaction: ChainTransaction,
  slot: number,
  creators: ReadonlyMap<string, string | undefined>,
): Generator<Token> {
  const described = new Map<string, Described>()
  for (const instruction of transaction.instructions) describe(transaction, instruction, described)
  for (const [mint, creator] of creators) {
    const facts = described.get(mint)
    if (facts?.decimals === undefined) continue
    yield {
      tokenAddress: mint,
      slot,
      ...(creator ? { creator } : {}),
      decimals: facts.decimals,
      ...(facts.symbol === undefined ? {} : { symbol: facts.symbol }),
      ...(facts.name === undefined ? {} : { name: facts.name }),
      ...(facts.uri === undefined ? {} : { uri: facts.uri }),
      ...(facts.supply > 0n && facts.supply <= INT64_MAX ? { supply: int64(facts.supply) } : {}),
    }
  }
}

function describe(
  transaction: ChainTransaction,
  instruction: ChainInstruction,
  into: Map<string, Described>,
): void {
  const program = transaction.key(instruction.program)
  const isToken = isTokenProgram(program)
  if (!isToken && program !== METADATA_PROGRAM) return
  const payload = payloadOf(instruction)
  const tag = payload[0] ?? -1
  const factsAt = (position: number): Described => {
    const mint = transaction.key(instruction.accounts[position] ?? -1)
    const known = into.get(mint)
    if (known !== undefined) return known
    const facts: Described = { supply: 0n }
    into.set(mint, facts)
    return facts
  }
  if (!isToken) {
    if (CREATE_METADATA.has(tag)) Object.assign(factsAt(METADATA_MINT), namesAt(payload, 1))
  } else if (discriminatorOf(payload) === INITIALIZE_METADATA) {
    Object.assign(factsAt(INTERFACE_MINT), namesAt(payload, 8))
  } else if (INITIALIZE_MINT.has(tag) && payload.length > 1) {
    factsAt(0).decimals = payload[1] as number
  } else if (MINT_TO.has(tag) && payload.length >= 9) {
    factsAt(0).supply += u64At(payload, 1)
  }
}

/**
 * Name, symbol and URI, each a length of 4 bytes and UTF-8; padding is the ingest contract's to trim. An empty URI is none;
 * what follows a text beyond the end is left out with it.
 */
function namesAt(payload: Uint8Array, offset: number): Texts {
  const name = textAt(payload, offset)
  if (name === undefined) return {}
  const symbol = textAt(payload, name.end)
  if (symbol === undefined) return { name: name.text }
  const uri = textAt(payload, symbol.end)
  const names = { name: name.text, symbol: symbol.text }
  return uri === undefined || uri.text === '' ? names : { ...names, uri: uri.text }
}

/** A text after its length of 4 bytes; undefined where it ends beyond the bytes. */
export function textAt(
  payload: Uint8Array,
  offset: number,
): { text: string; end: number } | undefined {
  if (offset + 4 > payload.length) return undefined
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length)
  const end = offset + 4 + bytes.readUInt32LE(offset)
  if (end > payload.length) return undefined
  return { text: bytes.toString('utf8', offset + 4, end), end }
}
