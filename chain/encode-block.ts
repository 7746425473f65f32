/**
 * From events to blocks: the reverse of the decoder, for tests and the demonstration (docs/sources.md). Shared with it are
 * tables only (docs/decisions/0037-encoder-shares-tables-not-arithmetic.md). Pure.
 *
 * - Events of one signature are one transaction. Between them, where their indexes leave room, lie votes and failed swaps.
 * - A token line is written into the transaction that makes the mint's pool. Where the events hold none, such a transaction
 *   is put before the first event of the pool: on the chain no mint trades before it has one.
 * - A block time is in whole seconds, and facts that a venue's program does not publish are lost.
 */
import { type ChainEvent, type MarketEvent, payloadOf } from '../domain/events/event.ts'
import type { PoolEvent } from '../domain/events/pool-event.ts'
import type { Swap } from '../domain/events/swap.ts'
import type { Token } from '../domain/events/token.ts'
import { writePoolEvent } from './encode-pool.ts'
import { fillerOf } from './encoder/fillers.ts'
import { formOf, type TransactionForm } from './encoder/form.ts'
import { addressOf, blockhashOf, signatureOf } from './encoder/keys.ts'
import { PoolCall } from './encoder/pool-call.ts'
import { SwapCall } from './encoder/swap-call.ts'
import { type Json, TransactionWriter } from './encoder/transaction-writer.ts'
import { ENCODERS } from './venues/encoders.ts'

/** The events of a slot, in their order. */
export type EventSlot = {
  readonly slot: number
  readonly parentSlot: number
  /** Unix ms. */
  readonly timestamp: number
  readonly events: readonly MarketEvent[]
}

export type EncodeOptions = {
  /** Names the chain: blocks of the same slot on another one have other hashes. */
  readonly chain?: string
  /** The parts of each transaction's form that are not drawn. */
  readonly form?: Partial<TransactionForm>
  /** Writes the events' transactions only. */
  readonly isBare?: boolean
}

/** The result of `getBlock` with encoding json and all transactions. */
export type EncodedBlock = Json & {
  blockhash: string
  previousBlockhash: string
  parentSlot: number
  blockTime: number
  transactions: Json[]
}

export const ROUTER = addressOf('router')
/** The account with which the router trades: a program's address, which signs nothing. */
export const ROUTER_AUTHORITY = addressOf('router authority')
const OTHER_PAYER = addressOf('other payer')
const MS_A_SECOND = 1_000

export function encodeBlock(slot: EventSlot, options: EncodeOptions = {}): EncodedBlock {
  const { chain = 'chain', form = {}, isBare = false } = options
  const transactions: Json[] = []
  const decimals = decimalsOf(slot.events)
  for (const group of groupsOf(slot.events)) {
    const txIndex = Math.max(group.blockTxIndex, transactions.length)
    while (!isBare && transactions.length < txIndex) {
      const name = `${chain} ${slot.slot} ${transactions.length}`
      transactions.push(fillerOf(name, () => writeGroup(group, decimals, form, signatureOf(name))))
    }
    transactions.push(writeGroup(group, decimals, form))
  }
  return {
    previousBlockhash: blockhashOf(chain, slot.parentSlot),
    blockhash: blockhashOf(chain, slot.slot),
    parentSlot: slot.parentSlot,
    blockTime: Math.floor(slot.timestamp / MS_A_SECOND),
    blockHeight: slot.slot,
    transactions,
  }
}

/** The events of one transaction. */
export type EventGroup = {
  readonly signature: string
  readonly blockTxIndex: number
  readonly swaps: Swap[]
  readonly poolEvents: PoolEvent[]
  /** Lines of the mints that the transaction makes. */
  readonly tokens: ReadonlyMap<string, Token>
}

/** The events by transaction, with the transactions that make pools which the events do not. */
export function* groupsOf(events: readonly MarketEvent[]): Generator<EventGroup> {
  const tokens = new Map<string, Token>()
  let group: EventGroup | undefined
  for (const event of events) {
    if (event.kind === 'token') {
      if (event.token.decimals !== undefined) tokens.set(event.token.tokenAddress, event.token)
      continue
    }
    const each = payloadOf(event)
    if (each.signature !== group?.signature) {
      if (group !== undefined) yield group
      const isCreation = event.kind === 'pool_event' && event.poolEvent.event === 'created'
      const token = tokens.get(each.tokenAddress)
      tokens.delete(each.tokenAddress)
      if (token !== undefined && !isCreation) yield openingOf(event, token)
      group = {
        signature: each.signature,
        blockTxIndex: each.blockTxIndex,
        swaps: [],
        poolEvents: [],
        tokens: new Map(token !== undefined && isCreation ? [[each.tokenAddress, token]] : []),
      }
    }
    if (event.kind === 'swap') group.swaps.push(event.swap)
    else group.poolEvents.push(event.poolEvent)
  }
  if (group !== undefined) yield group
}

/** Makes the mint and its pool before their first event, with the amounts that this event states. */
function openingOf(event: ChainEvent, token: Token): EventGroup {
  const each = payloadOf(event)
  const { slot, timestamp, pairAddress, tokenAddress, dex, blockTxIndex } = each
  const amounts =
    event.kind === 'swap'
      ? [event.swap.realSolReserves, event.swap.realTokenReserves]
      : [event.poolEvent.solAmount, event.poolEvent.tokenAmount]
  const [solAmount, tokenAmount] = amounts
  const signature = signatureOf(`opening ${pairAddress}`)
  const poolEvent: PoolEvent = {
    event: 'created',
    ...{ signature, slot, timestamp, pairAddress, tokenAddress, dex, blockTxIndex, ixIndex: 0 },
    creator: token.creator ?? addressOf(`issuer ${tokenAddress}`),
    ...(solAmount === undefined ? {} : { solAmount }),
    ...(tokenAmount === undefined ? {} : { tokenAmount }),
  }
  const tokens = new Map([[tokenAddress, token]])
  return { signature, blockTxIndex: 0, swaps: [], poolEvents: [poolEvent], tokens }
}

/** Decimals by mint: lines of pool events lack them, and no reader needs them there. */
function decimalsOf(events: readonly MarketEvent[]): ReadonlyMap<string, number> {
  const decimals = new Map<string, number>()
  for (const event of events) {
    if (event.kind === 'swap') decimals.set(event.swap.tokenAddress, event.swap.quoteDecimals)
    if (event.kind === 'token' && event.token.decimals !== undefined) {
      decimals.set(event.token.tokenAddress, event.token.decimals)
    }
  }
  return decimals
}

/** The form of a group's transaction: parts that do not fit its events are left out. */
export function formOfGroup(
  { signature, swaps, poolEvents }: EventGroup,
  fixed: Partial<TransactionForm>,
): TransactionForm {
  const form = formOf(signature, fixed)
  const users = new Set(swaps.map(({ user }) => user))
  const mints = new Set(swaps.map(({ tokenAddress }) => tokenAddress))
  const hasPoolEvents = poolEvents.length > 0
  const needsLogs = poolEvents.some(
    ({ dex, event }) => event !== 'created' && ENCODERS[dex].needsLogsOfLiquidity === true,
  )
  return {
    ...form,
    isLogCut: form.isLogCut && !needsLogs && mints.size === swaps.length,
    isRouterTrader: form.isRouterTrader && !hasPoolEvents && users.size === 1,
    // Where a wallet's account is used twice, its balance does not show what each transfer lost.
    namesFees: form.namesFees || mints.size < swaps.length,
  }
}

/** `failedAs`: the signature under which the same transaction failed. */
function writeGroup(
  group: EventGroup,
  decimals: ReadonlyMap<string, number>,
  fixed: Partial<TransactionForm>,
  failedAs?: string,
): Json {
  const { swaps, poolEvents, tokens } = group
  const form = formOfGroup(group, fixed)
  const owners = [
    ...swaps.map(({ user }) => user),
    ...poolEvents.map(({ creator = '' }) => creator),
  ]
  const signers = form.hasOtherPayer ? [OTHER_PAYER, ...owners] : owners
  const writer = new TransactionWriter(form, signers)
  const writeAll = (): void => {
    for (const event of poolEvents) {
      const { tokenAddress } = event
      const token = tokens.get(tokenAddress)
      const { tokenFirstPercent } = ENCODERS[event.dex]
      const mint = { line: token, decimals: decimals.get(tokenAddress) ?? 0 }
      writePoolEvent(new PoolCall(event, mint, writer, form, tokenFirstPercent))
    }
    for (const swap of swaps) writeSwap(swap, writer, form)
  }
  if (form.isRouted) writer.call(ROUTER, [ROUTER_AUTHORITY], Buffer.alloc(24, 7), writeAll)
  else writeAll()
  if (failedAs === undefined) return writer.finish(group.signature)
  return writer.finish(failedAs, { InstructionError: [0, { Custom: 6_001 }] })
}

function writeSwap(swap: Swap, writer: TransactionWriter, form: TransactionForm): void {
  const { writeSwap: write, vaults, refusesFees } = ENCODERS[swap.dex]
  const stated = refusesFees ? { ...swap, transferFeeIn: 0, transferFeeOut: 0 } : swap
  const trader = form.isRouterTrader ? ROUTER_AUTHORITY : swap.user
  write(new SwapCall(stated, writer, form, trader, vaults))
}
