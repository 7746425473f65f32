/** Sparkline of a token over a window, from the candles of its top pool, renewed once a minute. */
import { MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { TIMEFRAMES, widthOf } from '../../domain/time/timeframe.ts'
import { Sparkline } from '../charts/deferred-sparkline.tsx'
import { useLoaded } from '../client/loaded.ts'
import { get } from '../client/request.ts'

/** Candles that make a readable line. */
const POINTS_MIN = 24
const RENEWED_MS = 60_000

/** The widest timeframe that draws enough points. */
function timeframeOf(minutes: number) {
  const windowMs = minutes * MINUTE_MS
  return TIMEFRAMES.findLast((each) => windowMs / widthOf(each) >= POINTS_MIN) ?? TIMEFRAMES[0]
}

export function PriceLine({
  mint,
  minutes,
  name,
}: {
  mint: string
  minutes: number
  name: string
}) {
  const timeframe = timeframeOf(minutes)
  const { value } = useLoaded(
    `${mint} ${minutes}`,
    (signal) => {
      const from = Date.now() - Math.max(minutes, POINTS_MIN) * MINUTE_MS
      const query = { token_address: mint, timeframe, from: Math.floor(from) }
      return get('listCandles', query, signal)
    },
    { everyMs: RENEWED_MS },
  )
  if (value === undefined) return <span class="sparkline" />
  const closes = value.data.map(({ close }) => close)
  if (closes.length < 2) return <span class="quiet">too few candles</span>
  return (
    <Sparkline
      values={closes}
      label={`Price of ${name}, ${closes.length} candles of ${timeframe}`}
    />
  )
}
