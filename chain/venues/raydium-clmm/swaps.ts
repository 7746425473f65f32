/**
 * Venue 4, Raydium CLMM: concentrated liquidity. Pure.
 *
 * SwapEvent of 205 or 221 bytes comes in the logs, one a pool: a call of the program's router swaps in several. Newer programs
 * state amounts without the transfer fees, older ones those that cross the user's accounts. The newest state the fee in each
 * of the tokens. The price is the one after; the reserves are the vaults' balances. Cut logs lose price and fee, and a change
 * of liquidity is then a reject `no_event`: it is not known whether the position lies in the price.
 */

import { addressOf, balanceOf, type Call, keyOf, transfersIn } from '../../decoder/call.ts'
import { type Fields, readFields } from '../../decoder/layout.ts'
import {
  type SwapRead,
  sidesByTransfers,
  sidesOfVaults,
  vaultSideAt,
  WSOL_MINT,
} from '../../decoder/venue-swap.ts'
import type { PlacedTransfer } from '../../transaction/transfers.ts'
import { CLMM_SWAP, RAYDIUM_CLMM_ROUTER, RAYDIUM_CLMM_SWAPS } from './layout.ts'

const SWAPS = new Set<string>(Object.values(RAYDIUM_CLMM_SWAPS).map(({ tag }) => tag))

const {
  payer: PAYER,
  pool: POOL,
  inputVault: INPUT_VAULT,
  outputVault: OUTPUT_VAULT,
} = RAYDIUM_CLMM_SWAPS.swap.at

export function readSwaps(call: Call): readonly SwapRead[] {
  const events = call.events
    .filter(({ discriminator }) => discriminator === CLMM_SWAP.discriminator)
    .map(({ payload, offset }) => readFields(CLMM_SWAP, payload, offset))
  if (isSingle(call)) return [readSwap(call, events[0])]
  const hops = new Hops(call, events.length)
  const swaps = events.map((event) => readEvent(call, event, (amounts) => hops.next(amounts)))
  return call.discriminator === RAYDIUM_CLMM_ROUTER.tag
    ? [...swaps, ...hopsWithoutEvents(call, hops.rest(), swaps.length === 0)]
    : swaps
}

type Event = Fields<typeof CLMM_SWAP>

/** A swap of one pool, with its vaults where the instruction has them. */
const isSingle = (call: Call): boolean =>
  SWAPS.has(call.discriminator) &&
  (call.events.length === 0 || balanceOf(call, INPUT_VAULT) !== undefined)

/** The vaults are at positions of the instruction. */
function readSwap(call: Call, event: Event | undefined): SwapRead {
  if (event !== undefined) {
    const [vaultIn, vaultOut] = [INPUT_VAULT, OUTPUT_VAULT].map(
      (position) => call.instruction.accounts[position],
    )
    const inner = transfersIn(call)
    return readEvent(call, event, () => ({
      vaultIn,
      vaultOut,
      paid: inner.find(({ destination }) => destination === vaultIn),
      sent: inner.find(({ source }) => source === vaultOut),
    }))
  }
  const sides = sidesByTransfers(call, INPUT_VAULT, OUTPUT_VAULT)
  if (sides === undefined) return 'no_event'
  return { pool: keyOf(call, POOL), trader: keyOf(call, PAYER), ...sides }
}

/** An amount as the event states it, and the transfer fee alongside it or in it. */
type Amount = { readonly baseUnits: bigint; readonly fee: bigint }

type Amounts = { readonly paid: Amount; readonly sent: Amount }

/** The vaults of one swap, with its transfers where they were found. */
type Hop = {
  readonly vaultIn: number | undefined
  readonly vaultOut: number | undefined
  readonly paid: PlacedTransfer | undefined
  readonly sent: PlacedTransfer | undefined
}

function readEvent(
  call: Call,
  event: Event,
  hopOf: (amounts: Amounts) => Hop | undefined,
): SwapRead {
  const { amount_0: amount0, amount_1: amount1, zero_for_one: isZeroIn } = event
  if (amount0 === undefined || amount1 === undefined || isZeroIn === undefined) return 'no_amounts'
  const zero = { baseUnits: amount0, fee: event.transfer_fee_0 ?? 0n }
  const one = { baseUnits: amount1, fee: event.transfer_fee_1 ?? 0n }
  const [paid, sent] = isZeroIn ? [zero, one] : [one, zero]
  const hop = hopOf({ paid, sent })
  if (hop === undefined) return 'no_vault'
  const span = isSingle(call) ? undefined : spanOfHop(hop)
  const input = vaultSideAt(call, hop.vaultIn, legIn(paid, hop.paid), {
    transferFee: paid.fee,
    span,
  })
  const output = vaultSideAt(call, hop.vaultOut, legOut(sent, hop.sent), {
    transferFee: sent.fee,
    span,
  })
  if (input === undefined || output === undefined) return 'no_vault'
  const base = isZeroIn ? input.mint : output.mint
  const { trade_fee_0: fee0, trade_fee_1: fee1, sqrt_price_x64: sqrtX64 } = event
  return {
    pool: addressOf(event.pool_state),
    trader: keyOf(call, PAYER),
    input,
    output,
    ...(span === undefined ? {} : { span }),
    fee: base === WSOL_MINT ? fee0 : fee1,
    priceAfter: sqrtX64 === undefined ? undefined : { sqrtX64, base },
  }
}

const legIn = ({ baseUnits, fee }: Amount, transfer: PlacedTransfer | undefined): bigint =>
  transfer?.baseUnits === baseUnits + fee ? baseUnits : baseUnits - fee

const legOut = ({ baseUnits, fee }: Amount, transfer: PlacedTransfer | undefined): bigint =>
  transfer?.baseUnits === baseUnits + fee ? baseUnits + fee : baseUnits

function spanOfHop({ paid, sent }: Hop): { from: number; to: number } | undefined {
  if (paid === undefined || sent === undefined) return undefined
  return { from: Math.min(paid.at, sent.at), to: Math.max(paid.at, sent.at) + 1 }
}

/**
 * The swaps of a router's call by their transfers: those into the pool and out of it follow each other, pool after pool, and
 * each transfer is of one swap. One pool sends what the next one receives, so an amount alone names no transfer.
 */
class Hops {
  readonly #call: Call
  readonly #transfers: readonly PlacedTransfer[]
  readonly #hasTwoEach: boolean
  #at = 0

  constructor(call: Call, swapCount: number) {
    this.#call = call
    this.#transfers = transfersIn(call)
    this.#hasTwoEach = this.#transfers.length === 2 * swapCount
  }

  /** The next swap's transfers; undefined where none follow that could be its. */
  next(amounts: Amounts): Hop | undefined {
    const paidAt = this.#find(amounts.paid, this.#at, ({ destination }) => destination)
    const sentAt = this.#find(amounts.sent, paidAt + 1, ({ source }) => source)
    if (paidAt >= 0 && sentAt >= 0) {
      this.#at = sentAt + 1
      return hopOf(this.#transfers[paidAt], this.#transfers[sentAt])
    }
    if (!this.#hasTwoEach) return undefined
    const [paid, sent] = this.#transfers.slice(this.#at, this.#at + 2)
    this.#at += 2
    return hopOf(paid, sent)
  }

  rest(): readonly PlacedTransfer[] {
    return this.#transfers.slice(this.#at)
  }

  #find(
    { baseUnits, fee }: Amount,
    from: number,
    vaultOf: (transfer: PlacedTransfer) => number,
  ): number {
    return this.#transfers.findIndex(
      (transfer, index) =>
        index >= from &&
        (transfer.baseUnits === baseUnits || transfer.baseUnits === baseUnits + fee) &&
        this.#isVault(vaultOf(transfer)),
    )
  }

  #isVault(account: number): boolean {
    const balance = this.#call.transaction.tokenBalances.get(account)
    return (
      balance !== undefined && (balance.owner === '' || balance.owner !== keyOf(this.#call, PAYER))
    )
  }
}

const hopOf = (
  paid: PlacedTransfer | undefined,
  sent: PlacedTransfer | undefined,
): Hop | undefined =>
  paid === undefined || sent === undefined
    ? undefined
    : { vaultIn: paid.destination, vaultOut: sent.source, paid, sent }

/** Accounts of a router from the pool's state to the vault of its input. */
const POOL_BEFORE_VAULT = 2

/** Swaps of a router whose events were cut off: by pairs of transfers, and the vaults next to each other in its accounts. */
function hopsWithoutEvents(
  call: Call,
  transfers: readonly PlacedTransfer[],
  isNoneRead: boolean,
): readonly SwapRead[] {
  const accounts = Array.from(call.instruction.accounts)
  const own = transfers.filter(
    ({ source, destination }) => accounts.includes(source) && accounts.includes(destination),
  )
  if (own.length === 0) return isNoneRead ? ['no_event'] : []
  const swaps: SwapRead[] = []
  for (let at = 0; at < own.length; at += 2) {
    const hop = hopOf(own[at], own[at + 1])
    swaps.push(hop === undefined ? 'no_event' : readHop(call, accounts, hop))
  }
  return swaps
}

function readHop(call: Call, accounts: readonly number[], hop: Hop): SwapRead {
  const { vaultIn, vaultOut } = hop
  if (vaultIn === undefined || vaultOut === undefined) return 'no_vault'
  const at = accounts.findIndex(
    (account, index) => account === vaultIn && accounts[index + 1] === vaultOut,
  )
  const pool = accounts[at - POOL_BEFORE_VAULT]
  if (at < 0 || pool === undefined) return 'unknown_pool'
  const span = spanOfHop(hop)
  const sides = sidesOfVaults(call, vaultIn, vaultOut, span)
  if (sides === undefined) return 'no_event'
  return {
    pool: call.transaction.key(pool),
    trader: keyOf(call, PAYER),
    ...sides,
    ...(span === undefined ? {} : { span }),
  }
}
