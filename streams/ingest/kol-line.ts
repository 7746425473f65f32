/**
 * A line of an operator's file that names the owner of a wallet. Pure.
 */

import { trimName, trimPasted } from '../../domain/text/padding.ts'
import type { OperatorFields } from './operator-line.ts'
import { leftOut, printed, type Refusal } from './refusal.ts'
import { ADDRESS, type Rule, TEXT } from './rule.ts'

export type Kol = {
  wallet: string
  displayName: string
  /** Without the @; empty: no handle; undefined: the stored handle stays. */
  twitterHandle: string | undefined
}

/** Required columns; a handle may be missing. */
export const KOL_COLUMNS = ['wallet', 'display_name'] as const

const DISPLAY_NAME: Rule = { ...TEXT, expected: `${TEXT.expected}, and not blank` }
const TWITTER_HANDLE: Rule = {
  expected: '1 to 15 letters, digits or _, with or without an @ before them',
  holds: (value) => typeof value === 'string' && /^@?\w{1,15}$/.test(value),
}

/** `warnings`: an invalid handle was ignored. */
export type ReadKol = { kol: Kol; warnings?: readonly Refusal[] }

/** The KOL of a line, or all that speaks against it. */
export function kolOf(fields: OperatorFields): ReadKol | { refusals: Refusal[] } {
  const { wallet: pasted, display_name: padded, twitter_handle: handle } = fields
  const wallet = typeof pasted === 'string' ? trimPasted(pasted) : pasted
  const displayName = trimmedName(padded)
  const twitterHandle = trimmedName(handle)
  const isAbsent = twitterHandle === undefined || twitterHandle === ''
  const bad = isAbsent ? [] : refusalsOf('twitter_handle', twitterHandle, TWITTER_HANDLE)
  const refusals = [
    ...refusalsOf('wallet', unlessEmpty(wallet), ADDRESS),
    ...refusalsOf('display_name', unlessEmpty(displayName), DISPLAY_NAME),
  ]
  if (refusals.length > 0) return { refusals: [...refusals, ...bad] }
  const kol = {
    wallet: wallet as string,
    displayName: displayName as string,
    // An empty one deletes the stored value.
    twitterHandle:
      bad.length > 0 ? undefined : (twitterHandle as string | undefined)?.replace('@', ''),
  }
  return bad.length === 0 ? { kol } : { kol, warnings: bad.map(leftOut) }
}

function refusalsOf(field: string, value: unknown, rule: Rule): Refusal[] {
  if (rule.holds(value)) return []
  return [{ field, value: printed(value), reason: `expected ${rule.expected}` }]
}

const unlessEmpty = (value: unknown): unknown => (value === '' ? undefined : value)

const trimmedName = (value: unknown): unknown =>
  typeof value === 'string' ? trimName(value) : value
