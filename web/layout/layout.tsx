/** The frame of every page: name, search, links, state of the feed. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { now } from '../client/clock.ts'
import { feedState } from '../client/feed.ts'
import { view } from '../client/location.ts'
import { needsKey } from '../client/session.ts'
import { durationText } from '../format/time.ts'
import { SearchBox } from './search.tsx'
import { SignIn } from './sign-in.tsx'

const LINKS = [
  ['/', 'Market'],
  ['/screener', 'Screener'],
  ['/leaderboard', 'Leaderboard'],
  ['/docs', 'API'],
  ['/graphql', 'GraphQL'],
  ['/admin', 'Console'],
  ['/account', 'Account'],
] as const
/** Milliseconds for which a resumed feed names how long it was away. */
const NOTICE_MS = 20_000

export function Layout({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} - Swaptide`
  }, [title])
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header>
        <a class="brand" href="/">
          <img src="/assets/icon.svg" alt="" width="22" height="22" />
          Swaptide
        </a>
        <SearchBox />
        <nav aria-label="Pages">
          {LINKS.map(([path, text]) => (
            <a key={path} href={path} aria-current={view.value.path === path ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <FeedMark />
      </header>
      <main id="content">{needsKey.value ? <SignIn /> : children}</main>
      <footer>
        <span>USD by the rate of now. Times in UTC. Windows end with the newest indexed swap.</span>
        <span>
          Charts by{' '}
          <a class="plain" href="https://www.tradingview.com/" rel="noreferrer">
            TradingView Lightweight Charts
          </a>
        </span>
      </footer>
    </>
  )
}

const MARKS = { idle: 'not live', connecting: 'connecting', live: 'live', cut: 'feed cut' } as const

function FeedMark() {
  const { mode, since, resumedAfterMs } = feedState.value
  const isNotice = mode === 'live' && resumedAfterMs > 0 && now.value - since < NOTICE_MS
  const text = mode === 'cut' ? `feed cut for ${durationText(now.value - since)}` : MARKS[mode]
  if (mode === 'idle') return null
  return (
    <span class={`feed ${mode}`} role="status">
      {isNotice ? `live, resumed after ${durationText(resumedAfterMs)}` : text}
    </span>
  )
}
