/** The market: totals, trending tokens, movers, newest pools and whale swaps. */
import { Layout } from '../layout/layout.tsx'
import { MoversPanel } from './movers.tsx'
import { NewestPools } from './pools.tsx'
import { Totals } from './totals.tsx'
import { Trending } from './trending.tsx'
import { Whales } from './whales.tsx'

export function MarketPage() {
  return (
    <Layout title="Market">
      <h1 class="unseen">Market</h1>
      <Totals />
      <div class="market">
        <div class="column">
          <Trending />
          <MoversPanel />
        </div>
        <div class="column">
          <Whales />
          <NewestPools />
        </div>
      </div>
    </Layout>
  )
}
