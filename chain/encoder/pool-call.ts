/**
 * A pool event that is to be written: its accounts, and the transfers that every venue has. Pure.
 */
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Token } from '../../domain/events/token.ts'
import { venueOf } from '../../domain/venue.ts'
import { ANCHOR_IDL } from '../decoder/known.ts'
import type { InstructionLayout } from '../decoder/layout.ts'
import { WSOL_MINT } from '../decoder/venue-swap.ts'
import { TOKEN_PROGRAMS } from '../transaction/token-program.ts'
import type { TransactionForm } from './form.ts'
import { bytesOfHex } from './payload.ts'
import { isTokenFirst, placed, vaultOf, walletAccount } from './swap-call.ts'
import type { TokenAccount, TransactionWriter } from './transaction-writer.ts'

const SOL_DECIMALS = 9
const UNSTATED_BASE_UNITS = 1n << 60n
const ACCOUNTS_MIN = 8
/** An instruction that every program by Anchor has, and that no reader distinguishes by its tag. */
export const ANY: InstructionLayout = { tag: ANCHOR_IDL, at: {} }

/** The pool's token: its decimals, and its line where the same transaction makes the mint. */
type PoolMint = { readonly line: Token | undefined; readonly decimals: number }

export class PoolCall {
  readonly event: PoolEvent
  readonly token: Token | undefined
  readonly writer: TransactionWriter
  readonly form: TransactionForm
  readonly program: string
  readonly owner: string
  readonly #decimals: number
  readonly #tokenFirstPercent: number | undefined

  constructor(
    event: PoolEvent,
    mint: PoolMint,
    writer: TransactionWriter,
    form: TransactionForm,
    tokenFirstPercent?: number,
  ) {
    this.event = event
    this.token = mint.line
    this.writer = writer
    this.form = form
    this.program = venueOf(event.dex).program
    this.owner = event.creator ?? ''
    this.#decimals = mint.decimals
    this.#tokenFirstPercent = tokenFirstPercent
  }

  /** The mints in the order in which the pool has them. */
  get mints(): [first: string, second: string] {
    const { pairAddress, tokenAddress } = this.event
    return isTokenFirst(pairAddress, this.#tokenFirstPercent)
      ? [tokenAddress, WSOL_MINT]
      : [WSOL_MINT, tokenAddress]
  }

  amountOf(mint: string): bigint {
    const { solAmount = 0, tokenAmount = 0 } = this.event
    return BigInt(mint === WSOL_MINT ? solAmount : tokenAmount)
  }

  #rest(mint: string): { decimals: number; program: string } {
    const decimals = mint === WSOL_MINT ? SOL_DECIMALS : this.#decimals
    return { decimals, program: TOKEN_PROGRAMS[0] }
  }

  vault(mint: string): TokenAccount {
    const isNew = this.event.event === 'created'
    const before = isNew ? 0n : UNSTATED_BASE_UNITS
    return vaultOf(this.event.pairAddress, mint, { ...this.#rest(mint), isNew, before })
  }

  wallet(mint: string): TokenAccount {
    return walletAccount(this.owner, mint, this.#rest(mint))
  }

  /** Both amounts move between the owner and the vaults. */
  move(isIn: boolean, extra: (mint: string) => bigint = () => 0n): void {
    for (const mint of this.mints) {
      const [from, to] = isIn
        ? [this.wallet(mint), this.vault(mint)]
        : [this.vault(mint), this.wallet(mint)]
      const baseUnits = this.amountOf(mint) + extra(mint)
      this.writer.transfer({ from, to, authority: from.owner, baseUnits })
    }
  }

  call(
    layout: InstructionLayout,
    accounts: Readonly<Record<string, string>>,
    body: () => void = () => {},
  ): void {
    const highest = Math.max(ACCOUNTS_MIN, ...Object.values(layout.at))
    const bytes = Buffer.concat([bytesOfHex(layout.tag), Buffer.alloc(16, 1)])
    this.writer.call(this.program, placed(layout.at, accounts, highest + 2), bytes, body)
  }
}
