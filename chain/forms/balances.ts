/**
 * Token balances before and after a transaction, by account index: the same fields in every form. Pure.
 *
 * A transaction lists a dozen and the decoder needs two or three, so an entry is read when it is first looked at.
 */
import { WireError } from '../../streams/codec/protobuf.ts'
import { amountOf, countOf, type Json, listOf, objectOf, textOf } from '../transaction/parts.ts'
import type { TokenBalance } from '../transaction/transaction.ts'

export function tokenBalancesOf(meta: Json): ReadonlyMap<number, TokenBalance> {
  const balances = new Map<number, ListedBalance>()
  for (const each of listOf(meta.preTokenBalances)) {
    const entry = objectOf(each)
    const index = indexOf(entry)
    if (index !== undefined) balances.set(index, new ListedBalance(entry, undefined, false))
  }
  for (const each of listOf(meta.postTokenBalances)) {
    const entry = objectOf(each)
    const index = indexOf(entry)
    if (index === undefined) continue
    const earlier = balances.get(index)
    balances.set(index, new ListedBalance(earlier?.pre, entry, earlier === undefined))
  }
  return balances
}

/** Protobuf printed as JSON leaves out zeros. */
const indexOf = ({ accountIndex }: Json): number | undefined =>
  accountIndex === undefined ? 0 : countOf(accountIndex)

class ListedBalance implements TokenBalance {
  readonly pre: Json | undefined
  readonly isNew: boolean
  readonly #post: Json | undefined
  #before: bigint | undefined
  #after: bigint | undefined

  constructor(pre: Json | undefined, post: Json | undefined, isNew: boolean) {
    this.pre = pre
    this.#post = post
    this.isNew = isNew
  }

  get #newest(): Json {
    return this.#post ?? this.pre ?? NOTHING
  }

  get mint(): string {
    return textOf(this.#newest.mint)
  }

  get owner(): string {
    return textOf(this.#newest.owner)
  }

  get decimals(): number {
    return countOf(objectOf(this.#newest.uiTokenAmount).decimals) ?? 0
  }

  get before(): bigint {
    this.#before ??= baseUnitsOf(this.pre)
    return this.#before
  }

  get after(): bigint {
    this.#after ??= baseUnitsOf(this.#post)
    return this.#after
  }
}

const NOTHING: Json = {}

/** Throws WireError for an amount that is none: forms of JSON are checked before (readable.ts). */
function baseUnitsOf(entry: Json | undefined): bigint {
  if (entry === undefined) return 0n
  const baseUnits = amountOf(objectOf(entry.uiTokenAmount).amount)
  if (baseUnits === undefined) throw new WireError('the amount of a token balance is not in digits')
  return baseUnits
}
