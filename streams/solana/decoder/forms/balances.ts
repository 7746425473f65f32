/**
 * Token balances before and after a transaction, by account index: the same fields in every form. Pure.
 */
import type { TokenBalance } from '../transaction.ts'
import { amountOf, countOf, type Json, listOf, objectOf, textOf } from './parts.ts'

export function tokenBalancesOf(meta: Json): ReadonlyMap<number, TokenBalance> {
  const balances = new Map<number, TokenBalance>()
  for (const each of listOf(meta.preTokenBalances)) {
    const [index, read] = readBalance(objectOf(each))
    if (index !== undefined)
      balances.set(index, { ...read, isNew: false, before: read.baseUnits, after: 0n })
  }
  for (const each of listOf(meta.postTokenBalances)) {
    const [index, read] = readBalance(objectOf(each))
    if (index === undefined) continue
    const earlier = balances.get(index)
    const before = earlier?.before ?? 0n
    balances.set(index, { ...read, isNew: earlier === undefined, before, after: read.baseUnits })
  }
  return balances
}

type BalanceRead = { mint: string; owner: string; decimals: number; baseUnits: bigint }

function readBalance(entry: Json): [index: number | undefined, read: BalanceRead] {
  const shown = objectOf(entry.uiTokenAmount)
  return [
    // Protobuf printed as JSON leaves out zeros.
    entry.accountIndex === undefined ? 0 : countOf(entry.accountIndex),
    {
      mint: textOf(entry.mint),
      owner: textOf(entry.owner),
      decimals: countOf(shown.decimals) ?? 0,
      baseUnits: amountOf(shown.amount),
    },
  ]
}
