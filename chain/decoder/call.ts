/**
 * Calls of a venue's program in a transaction: one instruction with what it emitted. Pure.
 *
 * A program emits events in two ways: by calling itself with a tagged payload (self-CPI), or by `Program data:` in
 * its logs. A call of a program may hold calls of others, but no other call of itself, so a tagged instruction
 * belongs to the nearest earlier untagged one of the same program.
 */
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import { type InvocationLog, type ProgramLogs, readLogs } from '../transaction/logs.ts'
import { lazy } from '../transaction/parts.ts'
import { isIn, type Span, TokenMoves } from '../transaction/token-moves.ts'
import {
  type ChainInstruction,
  type ChainTransaction,
  payloadOf,
  type TokenBalance,
} from '../transaction/transaction.ts'
import type { PlacedTransfer } from '../transaction/transfers.ts'
import { discriminatorOf } from './layout.ts'

/** An event's payload; its discriminator begins at `offset`. */
export type EmittedEvent = {
  readonly discriminator: string
  readonly payload: Uint8Array
  readonly offset: number
}

export type Call = {
  readonly transaction: ChainTransaction
  readonly instruction: ChainInstruction
  /** Position in the execution order, and that of the first instruction after the call. */
  readonly at: number
  readonly end: number
  readonly payload: Uint8Array
  /** First 8 bytes of the instruction as hex; '' if it is shorter. */
  readonly discriminator: string
  readonly events: readonly EmittedEvent[]
  readonly rayLogs: () => readonly Uint8Array[]
  /** Whether the node cut the logs before the call ended. */
  readonly isLogCut: () => boolean
  /** All token transfers of the transaction. */
  readonly moves: () => TokenMoves
}

/** Tag before the discriminator of an event that was emitted by self-CPI. */
export const EVENT_TAG = 'e445a52e51cb9a1d'
const EVENT_TAG_BYTES = 8
const NO_EVENTS: readonly EmittedEvent[] = []
const NO_LOG: InvocationLog = { payloads: [], rayLogs: [], isWhole: false }

/** Calls of the venues' programs in execution order, each with its venue. */
export function* callsOf<V>(
  transaction: ChainTransaction,
  venues: ReadonlyMap<number, V>,
): Generator<readonly [call: Call, venue: V]> {
  const { instructions } = transaction
  const moves = lazy(() => new TokenMoves(transaction))
  const logs = lazy(() => logsOf(transaction, venues))
  const invocations = new Map<number, number>()
  for (const [at, instruction] of instructions.entries()) {
    const venue = venues.get(instruction.program)
    if (venue === undefined) continue
    const invocation = invocations.get(instruction.program) ?? 0
    invocations.set(instruction.program, invocation + 1)
    const payload = payloadOf(instruction)
    const discriminator = discriminatorOf(payload)
    if (discriminator === EVENT_TAG) continue
    const log = (): InvocationLog =>
      logs().invocations.get(transaction.key(instruction.program))?.[invocation] ?? NO_LOG
    yield [
      {
        transaction,
        instruction,
        at,
        end: endOfCall(instructions, at),
        payload,
        discriminator,
        events: eventsOf(instructions, at, log),
        rayLogs: () => log().rayLogs.map((text) => Buffer.from(text, 'base64')),
        isLogCut: () => logs().isTruncated && !log().isWhole,
        moves,
      },
      venue,
    ]
  }
}

/** By the index of the program's key, the result of `venueOf` for each of the programs that ran and has one. */
export function venuesOf<V>(
  transaction: ChainTransaction,
  venueOf: (program: string) => V | undefined,
  programs: Iterable<number> = transaction.programs,
): ReadonlyMap<number, V> {
  const venues = new Map<number, V>()
  for (const program of programs) {
    const venue = venueOf(transaction.key(program))
    if (venue !== undefined) venues.set(program, venue)
  }
  return venues
}

function logsOf(transaction: ChainTransaction, venues: ReadonlyMap<number, unknown>): ProgramLogs {
  const programs = new Set([...venues.keys()].map((index) => transaction.key(index)))
  return readLogs(transaction.logs ?? [], (program) => programs.has(program))
}

/** Events that the call emitted: by self-CPI, and only where there are none of these, those in its logs. */
function eventsOf(
  instructions: readonly ChainInstruction[],
  at: number,
  log: () => InvocationLog,
): readonly EmittedEvent[] {
  const { program, outer } = instructions[at] as ChainInstruction
  const events: EmittedEvent[] = []
  for (let next = at + 1; next < instructions.length; next++) {
    const inner = instructions[next] as ChainInstruction
    if (inner.outer !== outer) break
    if (inner.program !== program) continue
    const payload = payloadOf(inner)
    if (discriminatorOf(payload) !== EVENT_TAG) break
    events.push(eventAt(payload, EVENT_TAG_BYTES))
  }
  if (events.length > 0) return events
  const { payloads } = log()
  if (payloads.length === 0) return NO_EVENTS
  return payloads.map((text) => eventAt(Buffer.from(text, 'base64'), 0))
}

const eventAt = (payload: Uint8Array, offset: number): EmittedEvent => ({
  discriminator: discriminatorOf(payload, offset),
  payload,
  offset,
})

/** The first instruction that is not inside the call. Without heights: the first outside tokens and itself. */
function endOfCall(instructions: readonly ChainInstruction[], at: number): number {
  const { height, outer, program } = instructions[at] as ChainInstruction
  let end = at + 1
  for (; end < instructions.length; end++) {
    const next = instructions[end] as ChainInstruction
    if (next.outer !== outer) break
    if (height === 1) continue
    if (height > 0 ? next.height <= height : next.program === program && !isEvent(next)) break
  }
  return end
}

const isEvent = (instruction: ChainInstruction): boolean =>
  discriminatorOf(payloadOf(instruction)) === EVENT_TAG

/** Account number `position` of the call as an index of the transaction's keys; undefined where it has fewer. */
export function accountOf(call: Call, position: number): number | undefined {
  return call.instruction.accounts[position]
}

/** Base58 of account number `position` of the call; '' where it has fewer. */
export function keyOf(call: Call, position: number): string {
  const index = accountOf(call, position)
  return index === undefined ? '' : call.transaction.key(index)
}

/** The balance of the token account at that position of the call. */
export function balanceOf(call: Call, position: number): TokenBalance | undefined {
  const index = accountOf(call, position)
  return index === undefined ? undefined : call.transaction.tokenBalances.get(index)
}

/** The call's own positions in the execution order. */
export const spanOf = ({ at, end }: Call): Span => ({ from: at, to: end })

/** Transfers inside the call, or a part of it. */
export function transfersIn(call: Call, span: Span = spanOf(call)): readonly PlacedTransfer[] {
  return call.moves().transfers.filter((transfer) => isIn(transfer, span))
}

export const addressOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : encodeBase58(bytes)
