/**
 * Public pages: HTML with a head of its own for each subject, preview pictures, the site map and the rules for crawlers. All
 * are limited by the address of the visitor, and nothing is written.
 *
 * Law: a page of nothing is 404 and not to be listed. Where a page cannot be read, its shell is sent with the status of the
 * error, and the script shows the state and tries again.
 */
import { hash } from 'node:crypto'
import Router from '@koa/router'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import type { AdmissionControl } from '../../gateway/admission-control.ts'
import type { PublicPages } from '../../gateway/visitors.ts'
import { ANY_CALLER } from '../../routing/caller.ts'
import { ApiError, renderError, statusOf, toApiError } from '../../routing/error.ts'
import type { RequestState } from '../../serving/access-log.ts'
import { passVisitor } from '../../serving/admission.ts'
import { endOf } from '../../serving/handle-route.ts'
import type { PagePath } from '../shell.ts'
import { headElements, originBy, type PageHead, pageContent } from './head.ts'
import { encodePng } from './picture/png.ts'
import { drawPreview, type Preview } from './picture/preview.ts'
import { PICTURED, type Pictured, type SubjectDeps, subjectReader } from './read-subject.ts'
import { openSiteMap } from './site-map.ts'
import { SITE_HEADS, SITE_PREVIEW } from './subjects.ts'

type PublicSiteDeps = SubjectDeps & {
  admissionControl: AdmissionControl
  publicPages: PublicPages
  /** Milliseconds that a request may take. */
  deadlineMs: number
}

/** Parts of a page. `status`: 200 where the page has something. */
type AnsweredPage = { status: number; head: string; content: string }

export type PublicSite = {
  router: Router
  answer(context: Context, path: PagePath): Promise<AnsweredPage>
}

/** Pictures in memory: some 20 KB each. */
const PICTURES_MAX = 256
const PARAMETERS = { token: 'mint', wallet: 'wallet' } as const satisfies Record<Pictured, string>
/** Seconds that services of previews cache a picture. */
const PICTURE_SECONDS = 300
const MAP_SECONDS = 3_600

export function openPublicSite(deps: PublicSiteDeps): PublicSite {
  const subjects = subjectReader(deps)
  const router = new Router()
  addPictures(router, deps, subjects)
  addSiteMap(router, deps)
  return {
    router,
    async answer(context, path) {
      const origin = originOf(context, deps.publicPages)
      try {
        const signal = await admitted(context, deps)
        const head = await headOf(path, context.params as Record<string, string>, signal)
        return head === undefined ? unknownPage(context) : pageOf(head, origin)
      } catch (thrown) {
        return failedPage(context, toApiError(thrown))
      }
    },
  }

  async function headOf(
    path: PagePath,
    { mint = '', wallet = '', signature = '' }: Record<string, string>,
    signal: AbortSignal,
  ): Promise<PageHead | undefined> {
    switch (path) {
      case '/token/:mint':
        return (await subjects.of('token', mint, signal))?.head
      case '/wallet/:wallet':
        return (await subjects.of('wallet', wallet, signal))?.head
      case '/tx/:signature':
        return subjects.transaction(signature, signal)
      default:
        return SITE_HEADS[path]
    }
  }
}

/** Counts the visit; the signal ends with the request. Rejects with ApiError. */
async function admitted(
  context: Context,
  { admissionControl, deadlineMs }: PublicSiteDeps,
): Promise<AbortSignal> {
  await passVisitor(context as Context & { state: RequestState }, admissionControl)
  const admission = Promise.resolve({ caller: ANY_CALLER, headers: {} })
  return endOf(context, { admission }, deadlineMs)
}

function pageOf(head: PageHead, origin: string | undefined): AnsweredPage {
  return { status: 200, head: headElements(head, origin), content: pageContent(head) }
}

const UNKNOWN: PageHead = {
  title: 'Not found - Swaptide',
  heading: 'Not found',
  description: 'No swap of this address is indexed here.',
}

function unknownPage(context: Context): AnsweredPage {
  context.set('X-Robots-Tag', 'noindex')
  return { ...pageOf(UNKNOWN, undefined), status: 404 }
}

/** Crawlers come again after a refusal or an outage; the page loses its place in no list. */
function failedPage(context: Context, error: ApiError): AnsweredPage {
  const { headers } = renderError(error, 'enveloped')
  context.set(headers)
  context.state.error = error
  const head = { title: 'Swaptide', description: error.message }
  return {
    status: error.status ?? statusOf(error.code, 'enveloped'),
    head: headElements(head, undefined),
    content: '',
  }
}

function originOf(context: Context, { url }: PublicPages): string | undefined {
  if (url !== undefined) return url
  const isSecure = context.secure || context.get('X-Forwarded-Proto') === 'https'
  return originBy(context.get('Host'), isSecure)
}

type Subjects = ReturnType<typeof subjectReader>

function addPictures(router: Router, deps: PublicSiteDeps, subjects: Subjects): void {
  const pictures = new LRUCache<string, Promise<Buffer>>({ max: PICTURES_MAX })
  const pictureOf = (preview: Preview): Promise<Buffer> => {
    const name = hash('sha256', JSON.stringify(preview), 'base64url')
    const known = pictures.get(name)
    if (known !== undefined) return known
    const drawn = encodePng(drawPreview(preview))
    pictures.set(name, drawn)
    return drawn
  }
  const add = (path: string, find: (context: Context, signal: AbortSignal) => Promise<Preview>) =>
    router.get(path, async (context) => {
      context.state.route = path.replaceAll(/:(\w+)/g, '{$1}')
      const signal = await admitted(context, deps)
      answerPicture(context, await pictureOf(await find(context, signal)))
    })
  add('/preview/site.png', async () => SITE_PREVIEW)
  for (const kind of PICTURED) {
    add(`/preview/${kind}/:${PARAMETERS[kind]}.png`, async (context, signal) => {
      const id = String(context.params[PARAMETERS[kind]])
      const subject = await subjects.of(kind, id, signal)
      if (subject === undefined) throw unknownAddress()
      return subject.preview
    })
  }
}

const unknownAddress = (): ApiError =>
  new ApiError('NOT_FOUND', 'no swap of this address is indexed', {
    headers: { 'X-Robots-Tag': 'noindex' },
  })

function answerPicture(context: Context, picture: Buffer): void {
  const etag = `"${hash('sha256', picture, 'base64url').slice(0, 22)}"`
  context.set('Cache-Control', `public, max-age=${PICTURE_SECONDS}`)
  context.set('X-Content-Type-Options', 'nosniff')
  context.set('ETag', etag)
  context.type = 'png'
  if (context.get('If-None-Match').includes(etag)) context.status = 304
  else context.body = picture
}

function addSiteMap(router: Router, deps: PublicSiteDeps): void {
  const map = openSiteMap({ ...deps, tokensPerMap: deps.publicPages.tokensPerMap })
  router.get('/sitemap.xml', async (context) => {
    context.state.route = '/sitemap.xml'
    const signal = await admitted(context, deps)
    answerXml(context, await map.whole(expectOrigin(context, deps), signal))
  })
  router.get('/sitemap/:part.xml', async (context) => {
    context.state.route = '/sitemap/{part}.xml'
    const signal = await admitted(context, deps)
    const { part = '' } = context.params
    const found = await map.part(part, expectOrigin(context, deps), signal)
    if (found === undefined) throw new ApiError('NOT_FOUND', 'the site map has no such part')
    answerXml(context, found)
  })
  router.get('/robots.txt', (context) => {
    context.state.route = '/robots.txt'
    context.set('Cache-Control', `public, max-age=${MAP_SECONDS}`)
    context.type = 'text'
    context.body = rulesOf(originOf(context, deps.publicPages))
  })
}

/** A site map consists of whole URLs. */
function expectOrigin(context: Context, { publicPages }: PublicSiteDeps): string {
  const origin = originOf(context, publicPages)
  if (origin !== undefined) return origin
  throw new ApiError('INVALID_PARAM', 'the header Host names no host: set PUBLIC_URL')
}

function answerXml(context: Context, text: string): void {
  context.set('Cache-Control', `public, max-age=${MAP_SECONDS}`)
  context.set('X-Content-Type-Options', 'nosniff')
  context.type = 'application/xml'
  context.body = text
}

/** Paths of the API stay allowed: crawlers that run scripts read what the pages show. */
function rulesOf(origin: string | undefined): string {
  const closed = ['/account', '/admin', '/graphql', '/mcp', '/metrics']
  const map = origin === undefined ? '' : `\nSitemap: ${origin}/sitemap.xml\n`
  return `User-agent: *\n${closed.map((path) => `Disallow: ${path}\n`).join('')}Allow: /\n${map}`
}
