/**
 * Tags, directions and referral fees of the swaps of venues 7 to 9. Pure.
 */
import { ANCHOR_SWAP, ANCHOR_SWAP2 } from '../decoder/layout.ts'
import { addressOf } from './keys.ts'
import type { SwapCall } from './swap-call.ts'

/** Anchor's `swap` and `swap2`; no reader distinguishes them. */
export const anchorTagOf = ({ form }: SwapCall): string =>
  form.age > 2 ? ANCHOR_SWAP2 : ANCHOR_SWAP

export const REFERRER = addressOf('referrer')

/** A referrer's part of a leg. */
const REFERRAL_DIVISOR = 2_000n

const A_TO_B = 0

const B_TO_A = 1

export const directionOf = (isFirstIn: boolean): number => (isFirstIn ? A_TO_B : B_TO_A)

/** Base units of the input that leave its vault again for a referrer. */
export function referralOf({ form, input, output }: SwapCall): bigint {
  if (!form.isReferred || input.fee + output.fee > 0n) return 0n
  return input.leg / REFERRAL_DIVISOR
}
