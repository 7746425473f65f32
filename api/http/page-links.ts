/** Links and policy that pages of every part of the API share. Pure. */

/** Where the files that are bundled from web/ are served. */
export const PAGE_ASSETS = '/assets'

export const PAGE_POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Ways to the other pages; the header of the pages in web/ has the same, which test/api/pages/links.test.ts compares. */
export const PAGE_LINKS = [
  ['/', 'Market'],
  ['/screener', 'Screener'],
  ['/leaderboard', 'Leaderboard'],
  ['/docs', 'API'],
  ['/graphql', 'GraphQL'],
  ['/admin', 'Console'],
  ['/account', 'Account'],
] as const

/** Links that need neither a key nor the token of operators. */
export const VISITOR_LINKS = PAGE_LINKS.filter(([path]) => path !== '/graphql' && path !== '/admin')

/** Links as HTML; the one of the page itself is marked. */
export function linksOf(
  links: readonly (readonly [path: string, text: string])[],
  current: string,
): string {
  return links
    .map(([path, text]) => {
      const isCurrent = path === current ? ` aria-current="page"` : ''
      return `<a href="${path}"${isCurrent}>${text}</a>`
    })
    .join('\n')
}
