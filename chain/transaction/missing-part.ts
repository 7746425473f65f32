/**
 * Parts of a transaction's result that the decoder needs and its source does not have. Pure.
 *
 * A node that records no extended metadata answers null instead of a list, and a router's swaps are then in none of
 * its parts. A list may also be empty where the chain's cannot be: a call inside another one is logged, and so is each
 * call of a venue. Logs that end with "Log truncated" are whole in this sense, and so is an empty list of inner
 * instructions where no call inside another one was logged.
 */

import type { Json } from './parts.ts'
import type { ChainTransaction, ResultPart } from './transaction.ts'

const OF_VENUES = ['logMessages', 'preTokenBalances', 'postTokenBalances'] as const

/**
 * The first part that is missing; undefined where none is. `programs`: keys of the programs that ran; `runsVenue`: whether
 * one of them is a venue's. Any other transaction needs no logs and no balances.
 */
export function missingPart(
  transaction: ChainTransaction,
  programs: Iterable<number>,
  runsVenue: boolean,
): ResultPart | undefined {
  if (transaction.lacks('innerInstructions')) return 'innerInstructions'
  const { keyCount } = transaction
  const isKey = (index: number): boolean => index >= 0 && index < keyCount
  for (const program of programs) if (!isKey(program)) return 'loadedAddresses'
  if (!runsVenue) return undefined
  const list = OF_VENUES.find((part) => transaction.lacks(part))
  if (list !== undefined) return list
  if (transaction.logs?.length === 0) return 'logMessages'
  for (const { accounts } of transaction.instructions) {
    for (let at = 0; at < accounts.length; at++) {
      if (!isKey(accounts[at] as number)) return 'loadedAddresses'
    }
  }
  return undefined
}

/** Whether a result as JSON lacks a list. `hasDefaults`: an absent one is empty. */
export function lacksList(meta: Json, part: ResultPart, hasDefaults: boolean): boolean {
  const list = meta[part]
  if (list === undefined && hasDefaults) return false
  if (!Array.isArray(list)) return true
  return part === 'innerInstructions' && list.length === 0 && hasNestedCall(meta.logMessages)
}

/** Programs cannot write such a line: theirs begin with "Program log: " or "Program data: ". */
const NESTED_CALL = /^Program \w+ invoke \[(?:[2-9]|\d\d+)\]$/

export const hasNestedCall = (logs: unknown): boolean =>
  Array.isArray(logs) && logs.some((line) => typeof line === 'string' && NESTED_CALL.test(line))
