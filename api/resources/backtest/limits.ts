/** Limits of copy back-tests: what is answered in a request, and what by a job. Pure. */
import { ApiError } from '../../routing/error.ts'

export type CopyLimits = {
  /** Orders of the leaders in the slots. */
  readonly ordersMax: number
  /** Swaps that the leaders may have up to the last slot: all are read, as their balances follow from them. */
  readonly swapsMax: number
}

export type CopyJobLimits = CopyLimits & {
  /** Trades of all runs that an answer stores. */
  readonly tradesMax: number
}

/** A question, counted before anything of it is read. */
export type CountedQuestion = {
  readonly fromSlot: number
  readonly toSlot: number
  readonly newestSlot: number
  readonly orders: number
  /** Whether `orders` are all of them. */
  readonly isWhole: boolean
  /** Swaps up to the last slot, counted as far as one more than a job may read. */
  readonly swaps: number
}

/** The runs share the process with all other reads. */
export const REQUEST_LIMITS: CopyLimits = { ordersMax: 2_000, swapsMax: 200_000 }
/** 400,000 trades are some 60 MB as they are stored. */
export const JOB_LIMITS: CopyJobLimits = {
  ordersMax: 100_000,
  swapsMax: 500_000,
  tradesMax: 400_000,
}

/** The question is beyond the limits that it was read with. */
export class QuestionTooLarge extends Error {
  override name = 'QuestionTooLarge'
  readonly counted: CountedQuestion

  constructor(counted: CountedQuestion) {
    super('the question is too large')
    this.counted = counted
  }
}

export const isWithin = ({ orders, swaps }: CountedQuestion, limits: CopyLimits): boolean =>
  orders <= limits.ordersMax && swaps <= limits.swapsMax

/** The refusal of a question that is not within the limits. `advice`: what to do instead. */
export function tooLarge(
  { fromSlot, toSlot, orders, isWhole }: CountedQuestion,
  { ordersMax, swapsMax }: CopyLimits,
  advice = 'send fewer slots or wallets',
): ApiError {
  if (orders > ordersMax) {
    const shown = isWhole ? `${orders}` : `more than ${orders}`
    return new ApiError(
      'TOO_MANY_ORDERS',
      `the wallets have ${shown} orders in slots ${fromSlot} to ${toSlot}, the limit is ${ordersMax}: ${advice}`,
      { details: { orders, limit: ordersMax } },
    )
  }
  return new ApiError(
    'TOO_MANY_ORDERS',
    `the wallets have more than ${swapsMax} swaps up to slot ${toSlot}: send fewer wallets or an earlier end`,
  )
}
