/** Entry of the console of operators: shows the page that the HTML of the server names. */
import { type ComponentType, render } from 'preact'
import { Frame } from './frame.tsx'
import { AuditPage } from './pages/audit.tsx'
import { ChartsPage } from './pages/charts.tsx'
import { DeadLettersPage } from './pages/dead-letters.tsx'
import { HistoryPage } from './pages/history.tsx'
import { KeysPage } from './pages/keys.tsx'
import { KolsPage } from './pages/kols.tsx'
import { LanesPage } from './pages/lanes.tsx'
import { ReplaysPage } from './pages/replays.tsx'
import { SectorsPage } from './pages/sectors.tsx'
import { SourcesPage } from './pages/sources/page.tsx'
import { WebhooksPage } from './pages/webhooks.tsx'
import { SignIn } from './sign-in.tsx'

const PAGES: readonly { path: string; title: string; Page: ComponentType }[] = [
  { path: '/admin', title: 'Lanes and jobs', Page: LanesPage },
  { path: '/admin/charts', title: 'Charts', Page: ChartsPage },
  { path: '/admin/dead-letters', title: 'Dead letters', Page: DeadLettersPage },
  { path: '/admin/keys', title: 'Keys', Page: KeysPage },
  { path: '/admin/kols', title: 'KOLs', Page: KolsPage },
  { path: '/admin/sectors', title: 'Sectors', Page: SectorsPage },
  { path: '/admin/replays', title: 'Replays', Page: ReplaysPage },
  { path: '/admin/sources', title: 'Sources', Page: SourcesPage },
  { path: '/admin/history', title: 'History', Page: HistoryPage },
  { path: '/admin/webhooks', title: 'Webhooks', Page: WebhooksPage },
  { path: '/admin/audit', title: 'Audit', Page: AuditPage },
]
/** Bull Board has pages of its own. */
const SECTIONS = [...PAGES, { path: '/admin/queues', title: 'Queues' }]

function Console({ open }: { open: string | undefined }) {
  const shown = PAGES.find(({ path }) => path === open)
  if (shown === undefined) {
    return (
      <Frame title="Sign in">
        <SignIn />
      </Frame>
    )
  }
  const { path, title, Page } = shown
  return (
    <Frame title={title} menu={{ open: path, sections: SECTIONS }}>
      <Page />
    </Frame>
  )
}

const holder = document.getElementById('app')
if (holder !== null) render(<Console open={holder.dataset.page} />, holder)
