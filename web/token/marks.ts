/** Swaps that are marked on the candles: of whales, of the creator, of a chosen wallet. */

import type { Swap } from '../../clients/typescript/generated.ts'
import { bucketOf } from '../../domain/time/time-bucket.ts'
import { type Timeframe, widthOf } from '../../domain/time/timeframe.ts'
import type { Mark } from '../charts/candle-chart.tsx'
import { useLoaded } from '../client/loaded.ts'
import { type Given, get } from '../client/request.ts'
import { useFigures, useIsPinned } from '../client/slot/figures.ts'

const SWAPS_MAX = 200
const RENEWED_MS = 10_000
export const WHALE_MIN_SOL = 50

/** Letters on the candles. */
const LETTERS = { whales: 'W', creator: 'C', wallet: '•' } as const
type Kind = keyof typeof LETTERS

type Marking = {
  mint: string
  /** Pool of the candles; swaps of other pools are not on them. */
  pool: string | undefined
  creator: string | undefined
  wallet: string | undefined
  hasWhales: boolean
  timeframe: Timeframe
}

/** The newest of each kind, at most 200; ascending. */
export function useMarks({ mint, pool, creator, wallet, hasWhales, timeframe }: Marking): Mark[] {
  const common = { token_address: mint, pair_address: pool, limit: SWAPS_MAX }
  const whales = useSwaps(hasWhales, { ...common, min_sol: WHALE_MIN_SOL })
  const creators = useSwaps(creator !== undefined, { ...common, user: creator })
  const chosen = useSwaps(wallet !== undefined, { ...common, user: wallet })
  const width = widthOf(timeframe)
  const marksOf = (kind: Kind, swaps: readonly Swap[]): Mark[] =>
    swaps.map(({ timestamp, is_buy: isBuy, signature }) => ({
      ms: bucketOf(Number(timestamp), width),
      isBuy,
      text: LETTERS[kind],
      signature,
    }))
  const all = [
    ...marksOf('whales', whales),
    ...marksOf('creator', creators),
    ...marksOf('wallet', chosen),
  ]
  return distinct(all).sort((a, b) => a.ms - b.ms)
}

function useSwaps(isWanted: boolean, parameters: Given<'listSwaps'>): readonly Swap[] {
  const key = isWanted ? JSON.stringify(parameters) : ''
  // The candles that they are on are continued by the feed.
  const isPinned = useIsPinned()
  const ofNow = useLoaded(isPinned ? '' : key, (signal) => get('listSwaps', parameters, signal), {
    everyMs: RENEWED_MS,
  })
  const ofSlot = useFigures('listSwaps', isPinned ? key : '', (read) =>
    read('listSwaps', parameters),
  )
  const { value } = isPinned ? ofSlot : ofNow
  return (isWanted && value?.data) || []
}

/** One mark for all swaps of a kind and side in a bar: the newest. */
function distinct(marks: readonly Mark[]): Mark[] {
  return [
    ...new Map(
      marks.toReversed().map((mark) => [`${mark.ms} ${mark.text} ${mark.isBuy}`, mark]),
    ).values(),
  ]
}
