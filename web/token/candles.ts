/** Candles of a token or of one of its pools, live. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Timeframe } from '../../domain/time/timeframe.ts'
import type { Bar } from '../charts/candle-chart.tsx'
import { subscribe } from '../client/feed.ts'
import { type Loaded, useLoaded } from '../client/loaded.ts'
import { type Answer, get } from '../client/request.ts'

type Candle = Answer<'listCandles'>['data'][number]
type Streamed = Candle & { timeframe: string }

/** As many as one request returns. */
const CANDLES_MAX = 5_000

export type Candles = { bars: readonly Bar[]; pool: string | undefined }

/** `pool`: of this pool alone; undefined: of the token's top pool. Prices are SOL per whole token. */
export function useCandles(
  mint: string,
  pool: string | undefined,
  timeframe: Timeframe,
): Loaded<Candles> {
  const lost = useSignal(0)
  const query = pool === undefined ? { token_address: mint } : { pair_address: pool }
  const read = useLoaded(`${mint} ${pool} ${timeframe} ${lost.value}`, (signal) =>
    get('listCandles', { ...query, timeframe, limit: CANDLES_MAX }, signal),
  )
  const bars = useSignal<readonly Bar[]>([])
  const source = read.value?.pool?.pair_address
  const listed = read.value?.data
  useEffect(() => {
    bars.value = (listed ?? []).map(barOf)
    if (listed === undefined) return
    const filter = pool === undefined ? { tokens: [mint], timeframe } : { pools: [pool], timeframe }
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
  const value = read.value && { bars: bars.value, pool: source }
  return { ...read, value }
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
