/** Entry of the pages: shows the page of the address. */
import { render } from 'preact'
import { AccountPage } from './account/page.tsx'
import { view, watchLinks } from './client/location.ts'
import { deferred } from './layout/deferred.tsx'
import { Layout } from './layout/layout.tsx'
import { MarketPage } from './market/page.tsx'
import { TransactionPage } from './tx/page.tsx'

const WalletPage = deferred(async () => (await import('./wallet/page.tsx')).WalletPage)
const TokenPage = deferred(async () => (await import('./token/page.tsx')).TokenPage)
const ScreenerPage = deferred(async () => (await import('./screener/page.tsx')).ScreenerPage)
const LeaderboardPage = deferred(
  async () => (await import('./leaderboard/page.tsx')).LeaderboardPage,
)

function Page() {
  const [name = '', subject = ''] = view.value.path.slice(1).split('/')
  if (name === '') return <MarketPage />
  if (name === 'token') return <TokenPage key={subject} mint={subject} />
  if (name === 'tx') return <TransactionPage key={subject} signature={subject} />
  if (name === 'screener') return <ScreenerPage />
  if (name === 'leaderboard') return <LeaderboardPage />
  if (name === 'wallet') return <WalletPage key={subject} wallet={subject} />
  if (name === 'account') return <AccountPage />
  return (
    <Layout title="Not found">
      <h1>There is no such page</h1>
    </Layout>
  )
}

watchLinks()
const holder = document.getElementById('app')
if (holder !== null) render(<Page />, holder)
