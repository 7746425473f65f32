/**
 * A swap that is to be written: its two sides with their accounts, and the transfers that every venue has. Pure.
 */
import type { Swap } from '../../domain/events/swap.ts'
import { venueOf } from '../../domain/venue.ts'
import type { InstructionLayout } from '../decoder/layout.ts'
import { WSOL_MINT } from '../decoder/venue-swap.ts'
import { TOKEN_PROGRAMS } from '../transaction/token-program.ts'
import type { TransactionForm } from './form.ts'
import { addressOf, drawOf, isDrawn } from './keys.ts'
import { bytesOfHex, u64 } from './payload.ts'
import type { TokenAccount, TransactionWriter } from './transaction-writer.ts'

const SOL_DECIMALS = 9
const MS_A_SECOND = 1_000
const TWO_TO_64 = 2 ** 64
const BPS = 10_000n
/** Base units in a vault of which no event states what it holds. */
const UNSTATED_BASE_UNITS = 1n << 60n

/** One side of a swap. */
type WrittenSide = {
  readonly mint: string
  readonly vault: TokenAccount
  readonly wallet: TokenAccount
  /** Base units that the pool received or sent. */
  readonly leg: bigint
  /** Base units that Token-2022 withholds: paid on top of an input, lost from an output. */
  readonly fee: bigint
  /** The pool's reserve after the swap. */
  readonly reserve: bigint
}

/** The vault of a pool; `before` as TokenAccount has it. */
export function vaultOf(
  pool: string,
  mint: string,
  rest: { decimals: number; program: string; before?: bigint; isNew?: boolean },
): TokenAccount {
  return { key: addressOf(`vault ${pool} ${mint}`), mint, owner: authorityOf(pool), ...rest }
}

export const authorityOf = (pool: string): string => addressOf(`authority ${pool}`)

/** Base units that a pool owes in addition to its reserves: fees that were not collected yet. */
export const owedBy = (pool: string, mint: string): bigint =>
  BigInt(drawOf(`owed ${pool} ${mint}`) % 1_000_000)

/** Quote units that a pool counts into its price in addition to its reserve, where the swap states none. */
export const virtualQuoteOf = (pool: string): bigint =>
  BigInt(drawOf(`virtual ${pool}`) % 2_000_000) * 10_000n

/** Whether the token is the first of the pool's two mints. */
export const isTokenFirst = (pool: string, percent = 50): boolean =>
  isDrawn(`first ${pool}`, percent)

export function walletAccount(
  owner: string,
  mint: string,
  rest: { decimals: number; program: string; isTemporary?: boolean },
): TokenAccount {
  return { key: addressOf(`wallet ${owner} ${mint}`), mint, owner, ...rest }
}

/** How the vaults of a venue's pools relate to the reserves that its swaps state. */
export type VaultBalances = 'reserves' | 'reserves_and_owed' | 'unstated'

export class SwapCall {
  readonly swap: Swap
  readonly writer: TransactionWriter
  readonly form: TransactionForm
  readonly program: string
  /** The account that the venue names as the trader. */
  readonly trader: string
  readonly #vaults: VaultBalances
  /** Base units that leave a vault in addition to the legs, by mint: they are part of what it held before. */
  #leaving = new Map<string, bigint>()

  constructor(
    swap: Swap,
    writer: TransactionWriter,
    form: TransactionForm,
    trader: string,
    vaults: VaultBalances,
  ) {
    this.swap = swap
    this.writer = writer
    this.form = form
    this.trader = trader
    this.program = venueOf(swap.dex).program
    this.#vaults = vaults
  }

  get seconds(): number {
    return Math.floor(this.swap.timestamp / MS_A_SECOND)
  }

  get sol(): WrittenSide {
    const { solAmount, isBuy, realSolReserves } = this.swap
    return this.#side(WSOL_MINT, BigInt(solAmount), isBuy, 0n, BigInt(realSolReserves))
  }

  get token(): WrittenSide {
    const { swap } = this
    const fee = BigInt(swap.isBuy ? swap.transferFeeOut : swap.transferFeeIn)
    const reserve = BigInt(swap.realTokenReserves)
    return this.#side(swap.tokenAddress, BigInt(swap.tokenAmount), !swap.isBuy, fee, reserve)
  }

  /** A fee of the input in its own mint: the simulated one is in SOL. */
  get feeOfInput(): bigint {
    const { fee, feeBps, isBuy } = this.swap
    return isBuy ? BigInt(fee) : (this.input.leg * BigInt(feeBps)) / BPS
  }

  get input(): WrittenSide {
    return this.swap.isBuy ? this.sol : this.token
  }

  get output(): WrittenSide {
    return this.swap.isBuy ? this.token : this.sol
  }

  /** Whether the first of two mints, of which the token is one, is paid in. */
  isFirstIn(isTokenFirst: boolean): boolean {
    return isTokenFirst !== this.swap.isBuy
  }

  /** States that base units leave a vault in addition to the legs: call it before the transfers. */
  leaves(mint: string, baseUnits: bigint): void {
    this.#leaving.set(mint, (this.#leaving.get(mint) ?? 0n) + baseUnits)
  }

  #side(mint: string, leg: bigint, isIn: boolean, fee: bigint, reserve: bigint): WrittenSide {
    const { swap, trader, form } = this
    const isSol = mint === WSOL_MINT
    const decimals = isSol ? SOL_DECIMALS : swap.quoteDecimals
    const program = fee > 0n ? TOKEN_PROGRAMS[1] : TOKEN_PROGRAMS[0]
    const moved = (isIn ? leg : -leg) - (this.#leaving.get(mint) ?? 0n)
    const before = this.#held(mint, reserve) - moved
    const vault = vaultOf(swap.pairAddress, mint, { decimals, program, before })
    const isTemporary = isSol && form.wrapsSol
    const wallet = walletAccount(trader, mint, { decimals, program, isTemporary })
    return { mint, vault, wallet, leg, fee, reserve }
  }

  #held(mint: string, reserve: bigint): bigint {
    if (this.#vaults === 'unstated') return UNSTATED_BASE_UNITS
    return this.#vaults === 'reserves' ? reserve : reserve + owedBy(this.swap.pairAddress, mint)
  }

  /** Base units out of the trader's account into the vault: the leg and its transfer fee. */
  pay(baseUnits: bigint = this.input.leg): void {
    const { vault, wallet, fee } = this.input
    this.writer.transfer({
      from: wallet,
      to: vault,
      authority: this.trader,
      baseUnits: baseUnits + fee,
      fee,
      namesFee: fee > 0n && this.form.namesFees,
    })
  }

  send(baseUnits: bigint = this.output.leg): void {
    const { vault, wallet, fee } = this.output
    const namesFee = fee > 0n && this.form.namesFees
    const authority = authorityOf(this.swap.pairAddress)
    this.writer.transfer({ from: vault, to: wallet, authority, baseUnits, fee, namesFee })
  }

  /** Base units from a vault or a wallet to an account of another owner. */
  giveAway(from: TokenAccount, to: string, baseUnits: bigint): void {
    if (baseUnits === 0n) return
    const { mint, decimals, program } = from
    const receiver = walletAccount(to, mint, { decimals, program })
    this.writer.transfer({ from, to: receiver, authority: from.owner, baseUnits })
  }

  /** Square root of base units of the second mint for one of the first, times 2^64; 0 where there is no price. */
  sqrtPriceX64(solPerToken: number | undefined, isTokenFirst: boolean): bigint {
    if (solPerToken === undefined) return 0n
    const ratio = solPerToken / 10 ** (this.swap.quoteDecimals - SOL_DECIMALS)
    return rootX64(isTokenFirst ? ratio : 1 / ratio)
  }

  /** The venue's program is called, with accounts at the positions of the layout. */
  call(
    { tag, at }: InstructionLayout,
    accounts: Readonly<Record<string, string>>,
    count: number,
    body: () => void,
  ): void {
    const bytes = Buffer.concat([bytesOfHex(tag), u64(this.input.leg), u64(this.output.leg)])
    this.writer.call(this.program, placed(at, accounts, count), bytes, body)
  }
}

export const rootX64 = (ratio: number): bigint => BigInt(Math.floor(Math.sqrt(ratio) * TWO_TO_64))

/** Accounts by the positions of their roles, and others at every other position. */
export function placed(
  at: Readonly<Record<string, number>>,
  accounts: Readonly<Record<string, string>>,
  count: number,
): string[] {
  const keys = Array.from({ length: count }, (_, position) => addressOf(`state ${position}`))
  for (const [role, key] of Object.entries(accounts)) {
    const position = at[role]
    if (position === undefined) throw new TypeError(`role "${role}": expected a position`)
    keys[position] = key
  }
  return keys
}

/** Whether the instruction names the amount that the trader receives. */
export const isExactOut = ({ swap }: SwapCall): boolean => isDrawn(`exact ${swap.signature}`, 30)
