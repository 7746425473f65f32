/**
 * A wallet of somebody who is known, as an operator names it. Pure.
 */
import { printed, type Refusal } from './contract.ts'
import { type OperatorFields, withoutEmpty } from './operator-line.ts'
import { ADDRESS, type Rule, TEXT } from './rule.ts'

export type Kol = {
  wallet: string
  displayName: string
  /** Without the @; empty when there is none; undefined where nothing is said: what is known of it stays. */
  twitterHandle: string | undefined
}

/** What a file must have; a handle may be missing. */
export const KOL_COLUMNS = ['wallet', 'display_name'] as const

const DISPLAY_NAME: Rule = {
  expected: `${TEXT.expected}, and not blank`,
  holds: (value) => TEXT.holds(value) && (value as string).trim() !== '',
}
const TWITTER_HANDLE: Rule = {
  expected: '1 to 15 letters, digits or _, with or without an @ before them',
  holds: (value) => typeof value === 'string' && /^@?\w{1,15}$/.test(value),
}

/** The KOL of a line, or all that speaks against it. */
export function kolOf(fields: OperatorFields): { kol: Kol } | { refusals: Refusal[] } {
  const { twitter_handle: handle } = fields
  const { wallet, display_name: displayName } = withoutEmpty(fields)
  const refusals: Refusal[] = []
  const check = (field: string, value: unknown, rule: Rule): void => {
    if (rule.holds(value)) return
    refusals.push({ field, value: printed(value), reason: `expected ${rule.expected}` })
  }
  check('wallet', wallet, ADDRESS)
  check('display_name', displayName, DISPLAY_NAME)
  if (handle !== undefined && handle !== '') check('twitter_handle', handle, TWITTER_HANDLE)
  if (refusals.length > 0) return { refusals }
  return {
    kol: {
      wallet: wallet as string,
      displayName: (displayName as string).trim(),
      twitterHandle: (handle as string | undefined)?.replace('@', ''),
    },
  }
}
