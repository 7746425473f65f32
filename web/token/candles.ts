/** Candles of a token or of one of its pools, live. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { TIMEFRAMES, type Timeframe } from '../../domain/time/timeframe.ts'
import type { Bar } from '../charts/candle-chart.tsx'
import { subscribe } from '../client/feed.ts'
import { useLoaded } from '../client/loaded.ts'
import { type Answer, get } from '../client/request.ts'
import { type Figures, type Read, useFigures, useIsPinned } from '../client/slot/figures.ts'

type Candle = Answer<'listCandles'>['data'][number]
type Streamed = Candle & { timeframe: string }

/** The most that one request returns. */
const CANDLES_MAX = 5_000
/** Fewer are no chart: a pool of which there are more is shown instead. */
const CHART_MIN = 30
/** The timeframe with the most candles. */
const [FINEST = '1m'] = TIMEFRAMES

export type Candles = {
  bars: readonly Bar[]
  pool: string | undefined
  /** Whether it is shown instead of the token's top pool, which has few candles. */
  isOther: boolean
}

/**
 * `pool`: of this pool only; undefined: of the token's top pool, or of its busiest one ever where the top pool of the last
 * day has too few. Prices are SOL per whole token.
 */
export function useCandles(
  mint: string,
  pool: string | undefined,
  timeframe: Timeframe,
): Figures<Candles> {
  const lost = useSignal(0)
  const isPinned = useIsPinned()
  const key = `${mint} ${pool} ${timeframe} ${lost.value}`
  const load = async (read: Read) => {
    if (pool !== undefined) return { ...(await readPool(pool, timeframe, read)), isOther: false }
    return readToken(mint, timeframe, read)
  }
  const live = useLoaded(isPinned ? '' : key, (signal) =>
    load((id, parameters) => get(id, parameters, signal)),
  )
  const past = useFigures('listCandles', isPinned ? key : '', load)
  const read = isPinned ? past : live
  const bars = useSignal<readonly Bar[]>([])
  const source = read.value?.pool?.pair_address
  const listed = read.value?.data
  const isOther = read.value?.isOther ?? false
  useEffect(() => {
    bars.value = (listed ?? []).map(barOf)
    if (listed === undefined || isPinned) return
    const shown = isOther ? source : pool
    const filter =
      shown === undefined ? { tokens: [mint], timeframe } : { pools: [shown], timeframe }
    return subscribe({
      channel: 'candles',
      filter,
      onFrame: (frames) => {
        for (const candle of frames as Streamed[]) {
          // Another pool has become the token's top pool: its chart is another one.
          if (source !== undefined && candle.pair_address !== source) lost.value += 1
          else bars.value = merged(bars.value, barOf(candle))
        }
      },
    })
  }, [listed])
  const value = read.value && { bars: bars.value, pool: source, isOther }
  return { ...read, value, isOfNow: !isPinned || past.isOfNow }
}

type Listed = Answer<'listCandles'>

function readPool(pool: string, timeframe: Timeframe, read: Read): Promise<Listed> {
  return read('listCandles', { pair_address: pool, timeframe, limit: CANDLES_MAX })
}

/** Every timeframe is of the same pool: the one with more candles of the finest. */
async function readToken(mint: string, timeframe: Timeframe, read: Read) {
  const token = { token_address: mint }
  const top = await read('listCandles', { ...token, timeframe, limit: CANDLES_MAX })
  if (top.data.length >= CHART_MIN) return { ...top, isOther: false }
  const finest = { ...token, timeframe: FINEST, limit: CHART_MIN }
  const always = { ...finest, from: 0, to: Date.now() }
  const [few, busiest] = await Promise.all([
    read('listCandles', finest),
    read('listCandles', always),
  ])
  const other = busiest.pool?.pair_address
  if (other === undefined || busiest.data.length <= few.data.length)
    return { ...top, isOther: false }
  return { ...(await readPool(other, timeframe, read)), isOther: true }
}

function barOf({ timestamp, volume_sol: volume, open, high, low, close }: Candle): Bar {
  return { ms: Number(timestamp), open, high, low, close, volume }
}

/** Replaces the bar of the same time, or inserts it; the oldest of too many is dropped. Bars ascend. */
function merged(bars: readonly Bar[], bar: Bar): readonly Bar[] {
  const at = bars.findLastIndex(({ ms }) => ms <= bar.ms)
  const isSame = bars[at]?.ms === bar.ms
  return bars.toSpliced(isSame ? at : at + 1, isSame ? 1 : 0, bar).slice(-CANDLES_MAX)
}
