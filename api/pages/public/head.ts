/**
 * The head of a public page: title, description and preview as crawlers and services of previews read them, and the same as
 * content until the script has drawn the page. Pure.
 *
 * `og:` is the Open Graph protocol; services that read `twitter:` take the rest from it.
 */
import { linksOf, PAGE_ASSETS, VISITOR_LINKS } from '../../http/page-links.ts'
import { escaped } from './texts.ts'

export type PageHead = {
  title: string
  description: string
  /** Heading of the content; absent: the title. */
  heading?: string | undefined
  /** Path of the page without its choices; absent: the page is not to be listed by search engines. */
  path?: string | undefined
  /** Path of its picture; absent: none. */
  picture?: string | undefined
}

/** Width and height of each picture. */
const PICTURE_SIZE = [1_200, 630] as const
const HOST = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Origin of the request by its headers; undefined where Host names none, as it is the client's text. */
export function originBy(host: string, isSecure: boolean): string | undefined {
  return HOST.test(host) ? `${isSecure ? 'https' : 'http'}://${host.toLowerCase()}` : undefined
}

/** Elements of the head. Without an origin those are left out that need a whole URL. */
export function headElements(head: PageHead, origin: string | undefined): string {
  const { title, description, path, picture } = head
  const lines = [
    `<title>${escaped(title)}</title>`,
    meta('name', 'description', description),
    ...(path === undefined ? [meta('name', 'robots', 'noindex')] : []),
    meta('property', 'og:site_name', 'Swaptide'),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
  ]
  if (origin !== undefined && path !== undefined) {
    const url = origin + path
    lines.push(`<link rel="canonical" href="${escaped(url)}">`, meta('property', 'og:url', url))
  }
  const hasPicture = origin !== undefined && picture !== undefined
  if (hasPicture) {
    const [width, height] = PICTURE_SIZE
    lines.push(
      meta('property', 'og:image', origin + picture),
      meta('property', 'og:image:type', 'image/png'),
      meta('property', 'og:image:width', String(width)),
      meta('property', 'og:image:height', String(height)),
      meta('property', 'og:image:alt', title),
    )
  }
  lines.push(meta('name', 'twitter:card', hasPicture ? 'summary_large_image' : 'summary'))
  return lines.join('\n')
}

function meta(attribute: 'name' | 'property', name: string, content: string): string {
  return `<meta ${attribute}="${name}" content="${escaped(content)}">`
}

/** Content of the page for clients without scripts. */
export function pageContent({ heading, title, description }: PageHead): string {
  return `<header>
<a class="brand" href="/"><img src="${PAGE_ASSETS}/icon.svg" alt="" width="22" height="22">Swaptide</a>
<nav aria-label="Pages">
${linksOf(VISITOR_LINKS, '')}
</nav>
</header>
<main id="content">
<h1><bdi>${escaped(heading ?? title)}</bdi></h1>
<p><bdi>${escaped(description)}</bdi></p>
</main>`
}
