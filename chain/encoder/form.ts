/**
 * In which of the forms that occur on the chain a transaction is written. Pure.
 */
import { drawOf, isDrawn } from './keys.ts'

/** Ages of the programs: 0 writes the oldest layout of each event, the last one the newest. */
export const AGES = [0, 1, 2, 3, 4] as const
export type Age = (typeof AGES)[number]

export type TransactionForm = {
  readonly version: 'legacy' | 0 | 1
  /** Accounts come from lookup tables. */
  readonly hasLookups: boolean
  /** The node recorded how deep each inner instruction is. */
  readonly hasHeights: boolean
  /** The venues are called by another program. */
  readonly isRouted: boolean
  /** Whether the router trades with its own accounts, so that the venue names no wallet. */
  readonly isRouterTrader: boolean
  /** Another wallet than the trader's pays for the transaction. */
  readonly hasOtherPayer: boolean
  /** Transfers name their mint and its decimals. */
  readonly checksTransfers: boolean
  /** Transfers name the fee that Token-2022 withholds. */
  readonly namesFees: boolean
  /** SOL is wrapped within the transaction. */
  readonly wrapsSol: boolean
  /** The logs end before the first event. */
  readonly isLogCut: boolean
  /** A referrer gets a part of the fee, on venues that have them. */
  readonly isReferred: boolean
  readonly age: Age
}

/** The form of a transaction, by its signature; what `fixed` holds is not drawn. */
export function formOf(signature: string, fixed: Partial<TransactionForm> = {}): TransactionForm {
  const is = (what: string, percent: number): boolean => isDrawn(`${what} ${signature}`, percent)
  const version = fixed.version ?? ([0, 0, 'legacy', 1] as const)[drawOf(signature) % 4] ?? 0
  const form = {
    version,
    hasLookups: is('lookups', 60),
    hasHeights: is('heights', 85),
    isRouted: is('routed', 35),
    isRouterTrader: is('router', 30),
    hasOtherPayer: is('payer', 15),
    checksTransfers: is('checks', 60),
    namesFees: is('fees', 50),
    wrapsSol: is('wraps', 50),
    isLogCut: is('cut', 4),
    isReferred: is('referred', 15),
    age: (AGES[drawOf(`age ${signature}`) % AGES.length] ?? 0) as Age,
    ...fixed,
  }
  return {
    ...form,
    hasLookups: form.hasLookups && version === 0,
    isRouterTrader: form.isRouterTrader && form.isRouted && !form.hasOtherPayer,
  }
}
