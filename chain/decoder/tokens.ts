/**
 * Describes the mints whose pools a transaction creates: decimals, supply, symbol, name, URI. Pure.
 *
 * Reads the instructions that a launch on any venue runs: those of the token programs and of the metadata programs. A
 * mint is described only where the transaction made it, so that its supply is the sum minted.
 */

import { INT64_MAX, int64 } from '../../domain/amount.ts'
import type { Token } from '../../domain/events/token.ts'
import type { TokenTexts } from '../../domain/text/token-text.ts'
import { METADATA_PROGRAM, namesIn } from '../transaction/metadata-call.ts'
import { isTokenProgram } from '../transaction/token-program.ts'
import {
  type ChainInstruction,
  type ChainTransaction,
  payloadOf,
} from '../transaction/transaction.ts'
import { u64At } from '../transaction/transfers.ts'

/** First bytes of the token programs' instructions. */
const INITIALIZE_MINT = new Set([0, 20])
const MINT_TO = new Set([7, 14])

type Described = TokenTexts & { decimals?: number; supply: bigint }

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
  const stated = namesIn(program, payload)
  if (stated !== undefined) {
    Object.assign(factsAt(stated.mintAt), stated.names)
  } else if (!isToken) {
    return
  } else if (INITIALIZE_MINT.has(tag) && payload.length > 1) {
    factsAt(0).decimals = payload[1] as number
  } else if (MINT_TO.has(tag) && payload.length >= 9) {
    factsAt(0).supply += u64At(payload, 1)
  }
}
