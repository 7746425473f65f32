/** The market: totals, trending tokens, movers, newest pools and whale swaps. */
import { PinnablePage } from '../client/slot/scope.tsx'
import { SlotLine } from '../layout/head/slot.tsx'
import { Layout } from '../layout/layout.tsx'
import { MoversPanel } from './movers.tsx'
import { NewestPools } from './pools.tsx'
import { Totals } from './totals.tsx'
import { Trending } from './trending.tsx'
import { Whales } from './whales.tsx'

export function MarketPage() {
  return (
    <PinnablePage>
      <Layout title="Market">
        <h1 class="unseen">Market</h1>
        <SlotLine />
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
    </PinnablePage>
  )
}
