/** Entry of the pages: shows the page of the address. */
import { render } from 'preact'
import { AccountPage } from './account/page.tsx'
import { isOwnPath, view, watchLinks } from './client/location.ts'
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

/** The HTML of the server has the same text, without the search. */
function UnknownPage() {
  return (
    <Layout title="Page not found">
      <h1>Page not found</h1>
      <p>
        There is no page at this address. Go to the{' '}
        <a class="plain" href="/">
          market
        </a>
        .
      </p>
    </Layout>
  )
}

function Page() {
  const { path } = view.value
  const [name = '', subject = ''] = path.slice(1).split('/')
  if (!isOwnPath(path)) return <UnknownPage />
  switch (name.toLowerCase()) {
    case '':
      return <MarketPage />
    case 'token':
      return <TokenPage key={subject} mint={subject} />
    case 'tx':
      return <TransactionPage key={subject} signature={subject} />
    case 'screener':
      return <ScreenerPage />
    case 'leaderboard':
      return <LeaderboardPage />
    case 'wallet':
      return <WalletPage key={subject} wallet={subject} />
    case 'account':
      return <AccountPage />
    default:
      return <UnknownPage />
  }
}

watchLinks()
const holder = document.getElementById('app')
if (holder !== null) render(<Page />, holder)
