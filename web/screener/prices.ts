/** Prices of the tokens of a list as they change, over the feed. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { feedState, subscribe } from '../client/feed.ts'
import type { Screened } from './columns.tsx'

type Price = Pick<Screened, 'mint' | 'price_sol' | 'price_usd'>

/**
 * The rows with the newest price of each token, while the feed is live: a feed that was cut has older ones than the answer.
 * A price in SOL that did not change stays as answered, with the rate of that moment.
 */
export function useNewestPrices(rows: readonly Screened[]): readonly Screened[] {
  const prices = useSignal<ReadonlyMap<string, Price>>(new Map())
  // The order changes often, the tokens seldom.
  const mints = rows
    .map(({ mint }) => mint)
    .sort()
    .join()
  useEffect(() => {
    prices.value = new Map()
    if (mints === '') return
    return subscribe({
      channel: 'token_stats',
      filter: { tokens: mints.split(',') },
      onFrame: (frames) => {
        const newest = (frames as Price[]).map((price) => [price.mint, price] as const)
        prices.value = new Map([...prices.value, ...newest])
      },
    })
  }, [mints])
  if (feedState.value.mode !== 'live') return rows
  return rows.map((row) => {
    const price = prices.value.get(row.mint)
    if (price === undefined || price.price_sol === row.price_sol) return row
    return { ...row, price_sol: price.price_sol, price_usd: price.price_usd }
  })
}
