/** The frame of every page: name, search, links, state of the feed. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { now } from '../client/clock.ts'
import { feedState } from '../client/feed.ts'
import { view } from '../client/location.ts'
import { IS_PUBLIC, needsKey } from '../client/session.ts'
import { durationText } from '../format/time.ts'
import { Brand, PageLinks, SkipLink } from './head/parts.tsx'
import { SearchBox } from './head/search.tsx'
import { SignIn } from './sign-in.tsx'

/** Milliseconds for which a resumed feed names how long it was away. */
const NOTICE_MS = 20_000

export function Layout({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} - Swaptide`
  }, [title])
  // The account alone needs a key where pages are public: the next page does not.
  useLayoutEffect(() => {
    if (IS_PUBLIC) needsKey.value = false
  }, [])
  return (
    <>
      <SkipLink />
      <header>
        <Brand />
        <SearchBox />
        <PageLinks current={view.value.path} mark="page" />
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
