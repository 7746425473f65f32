/**
 * A pool event that is to be written: its accounts, and the transfers that every venue has. Pure.
 */
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Token } from '../../domain/events/token.ts'
import { type DexId, venueOf } from '../../domain/venue.ts'
import { WSOL_MINT } from '../decoder/venue-swap.ts'
import type { InstructionLayout } from '../layouts/instructions.ts'
import { TOKEN_PROGRAMS } from '../transaction/token-program.ts'
import type { TransactionForm } from './form.ts'
import { bytesOfHex } from './payload.ts'
import { isTokenFirst, placed, vaultOf, walletAccount } from './swap-call.ts'
import type { TokenAccount, TransactionWriter } from './transaction-writer.ts'

const SOL_DECIMALS = 9
/** Where it is not half of the pools: the base of a PumpSwap pool is a token, as a rule. */
const TOKEN_FIRST_PERCENT: Readonly<Partial<Record<DexId, number>>> = { 2: 80 }
const UNSTATED_BASE_UNITS = 1n << 60n
const ACCOUNTS_MIN = 8
/** An instruction that no reader distinguishes by its tag. */
export const ANY: InstructionLayout = { tag: '181ec828051c0777', at: {} }

/** A pool event that is to be written; `token`: the line of the mint that the same transaction makes. */
export class PoolCall {
  readonly event: PoolEvent
  readonly token: Token | undefined
  readonly writer: TransactionWriter
  readonly form: TransactionForm
  readonly program: string
  readonly owner: string
  readonly #decimals: number

  constructor(
    event: PoolEvent,
    token: Token | undefined,
    decimals: number,
    writer: TransactionWriter,
    form: TransactionForm,
  ) {
    this.event = event
    this.token = token
    this.writer = writer
    this.form = form
    this.program = venueOf(event.dex).program
    this.owner = event.creator ?? ''
    this.#decimals = decimals
  }

  /** The mints in the order in which the pool has them. */
  get mints(): [first: string, second: string] {
    const { pairAddress, tokenAddress, dex } = this.event
    return isTokenFirst(pairAddress, TOKEN_FIRST_PERCENT[dex])
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
