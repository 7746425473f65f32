/** Parts at the head of every page, of the console as well. */
import { IS_PUBLIC } from '../../client/session.ts'

const LINKS = [
  ['/', 'Market'],
  ['/screener', 'Screener'],
  ['/leaderboard', 'Leaderboard'],
  ['/docs', 'API'],
  ['/graphql', 'GraphQL'],
  ['/admin', 'Console'],
  ['/account', 'Account'],
] as const

/** Links that a visitor without a key has no use for. */
const CLOSED_TO_VISITORS: readonly string[] = ['/graphql', '/admin']

export function SkipLink() {
  return (
    <a class="skip" href="#content">
      Skip to content
    </a>
  )
}

export function Brand() {
  return (
    <a class="brand" href="/">
      <img src="/assets/icon.svg" alt="" width="22" height="22" />
      Swaptide
    </a>
  )
}

type PageLinksProps = {
  /** Path of the link that is marked. */
  current: string
  /** "page": the link is the page itself; "true": the page is one of several of the link. */
  mark: 'page' | 'true'
  class?: string
}

export function PageLinks({ current, mark, class: name }: PageLinksProps) {
  const shown = IS_PUBLIC ? LINKS.filter(([path]) => !CLOSED_TO_VISITORS.includes(path)) : LINKS
  return (
    <nav class={name} aria-label="Pages">
      {shown.map(([path, text]) => (
        <a key={path} href={path} aria-current={current === path ? mark : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}
