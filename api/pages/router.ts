/**
 * Pages for people: their HTML and files, and the session of a browser. A program that requests the same paths is answered
 * as by any other path of the API.
 *
 * The HTML is the same for everybody and, unless pages are public (public/router.ts), holds nothing of the market. A key comes in a header, as everywhere, or by a
 * one-time link, never in a form's body; the link's secret leaves the address with the redirect.
 */
import Router from '@koa/router'
import type { Context, Next } from 'koa'
import type { AdmissionControl } from '../gateway/admission-control.ts'
import type { PageSessions } from '../gateway/page-session.ts'
import type { SignInLinks } from '../gateway/sign-in-links.ts'
import { encodingOf } from '../http/compression.ts'
import { PAGE_ASSETS, PAGE_POLICY } from '../http/page-links.ts'
import { prefersPage, wantsPage } from '../openapi/router.ts'
import { ApiError } from '../routing/error.ts'
import type { RequestState } from '../serving/access-log.ts'
import { pass } from '../serving/admission.ts'
import { type BundledFile, bundleOf } from './bundle.ts'
import type { PublicSite } from './public/router.ts'
import { htmlOf, PAGE_PATHS, type PagePath, PUBLIC_MARK, unknownHtmlOf } from './shell.ts'

type PagesDeps = {
  admissionControl: AdmissionControl
  sessions: PageSessions
  links: SignInLinks
  /** Absent: pages are for those who have a key. */
  site?: PublicSite | undefined
  /** Paths that are also routes of the API. */
  isRoute: (path: PagePath) => boolean
}

const SESSION_PATH = '/session'
/** Secret of a one-time link. */
export const LINK_PARAMETER = 'k'
/** Seconds that a browser caches a file whose name changes with its content. */
const FINGERPRINTED_SECONDS = 31_536_000

export function pagesRouter(deps: PagesDeps): Router {
  const { site, isRoute } = deps
  const router = new Router()
  for (const path of PAGE_PATHS) {
    router.get(path, async (context: Context, next: Next) => {
      if (path === '/' && redeemLink(context, deps)) return
      const isOpened = site === undefined || isRoute(path) ? opensPage(context) : visits(context)
      if (!isOpened) return await next()
      context.state.route = path.replaceAll(/:(\w+)/g, '{$1}')
      await (site === undefined ? answerShell(context, path) : answerVisit(context, path, site))
    })
  }
  router.get(`${PAGE_ASSETS}/:name`, async (context) => {
    context.state.route = `${PAGE_ASSETS}/{name}`
    const file = (await bundleOf()).files.get(context.params.name ?? '')
    if (file === undefined) throw new ApiError('NOT_FOUND', 'file not found')
    answerFile(context, file)
  })
  addSession(router, deps)
  return router
}

/**
 * Whether a browser opens the URL. One with a key in it is a request to the API by hand: a page would leave the key in the
 * address, and does not use it.
 */
function opensPage(context: Context): boolean {
  return wantsPage(context) && context.query.api_key === undefined
}

/** The same where no route has the path and pages are public: crawlers accept anything, and may send no key. */
function visits(context: Context): boolean {
  const { authorization, 'x-api-key': key = authorization } = context.req.headers
  const isKeyless = key === undefined && context.query.api_key === undefined
  return isKeyless && context.accepts(['html', 'json']) === 'html'
}

/**
 * Answers an unknown path with a page for people, signed in or not: a session does not count when an address is typed.
 * False: a program requests it, or the request has a key.
 */
export async function answersUnknownPage(context: Context, isPublic: boolean): Promise<boolean> {
  const { authorization, 'x-api-key': key = authorization } = context.req.headers
  const isOpened = context.method === 'GET' || context.method === 'HEAD'
  if (!isOpened || !prefersPage(context)) return false
  if (key !== undefined || context.query.api_key !== undefined) return false
  const { pages } = await bundleOf()
  answerHtml(context, unknownHtmlOf(pages['/'], isPublic))
  context.status = 404
  return true
}

async function answerShell(context: Context, path: PagePath): Promise<void> {
  const { pages } = await bundleOf()
  answerHtml(context, htmlOf(pages[path]))
}

async function answerVisit(context: Context, path: PagePath, site: PublicSite): Promise<void> {
  const { pages } = await bundleOf()
  const { status, head, content } = await site.answer(context, path)
  answerHtml(context, htmlOf(pages[path], { head: `${head}\n${PUBLIC_MARK}`, content }))
  context.status = status
}

function answerHtml(context: Context, html: string): void {
  context.type = 'html'
  context.set('Cache-Control', 'no-cache')
  context.set('Content-Security-Policy', PAGE_POLICY)
  context.set('X-Content-Type-Options', 'nosniff')
  // Some browsers send no other header by which a request of this origin is known.
  context.set('Referrer-Policy', 'same-origin')
  context.body = html
}

function answerFile(context: Context, file: BundledFile): void {
  const lasting = `public, max-age=${FINGERPRINTED_SECONDS}, immutable`
  context.set('Cache-Control', file.isFingerprinted ? lasting : 'no-cache')
  context.set('X-Content-Type-Options', 'nosniff')
  context.set('ETag', file.etag)
  context.type = file.type
  if (context.get('If-None-Match').includes(file.etag)) {
    context.status = 304
    return
  }
  const encoding = encodingOf(context.req, file.body.length)
  if (encoding !== undefined) context.set('Content-Encoding', encoding)
  context.body = encoding === undefined ? file.body : file.encoded[encoding]
}

/** Signs the browser in and removes the secret from the address. False: the address has none. */
function redeemLink(context: Context, { sessions, links }: PagesDeps): boolean {
  const secret = context.query[LINK_PARAMETER]
  // A program that looks ahead at a link must not use it up.
  if (typeof secret !== 'string' || context.method !== 'GET') return false
  context.state.route = '/'
  const key = links.redeem(secret)
  if (key !== undefined)
    context.set('Set-Cookie', sessions.cookieLine(key, context.get('Host'), isSecure(context)))
  context.set('Cache-Control', 'no-store')
  context.set('Referrer-Policy', 'no-referrer')
  context.status = 303
  context.redirect(key === undefined ? '/?link=expired' : '/')
  context.body = ''
  return true
}

function addSession(router: Router, { admissionControl, sessions }: PagesDeps): void {
  router.post(SESSION_PATH, async (context) => {
    context.state.route = SESSION_PATH
    const { authorization, 'x-api-key': header = authorization } = context.req.headers
    if (header === undefined) throw new ApiError('UNAUTHORIZED', 'send the API key in X-API-Key')
    await pass(context as unknown as Context & { state: RequestState }, admissionControl)
    const key = String(header).replace(/^Bearer +/i, '')
    context.set('Set-Cookie', sessions.cookieLine(key, context.get('Host'), isSecure(context)))
    context.status = 204
  })
  router.delete(SESSION_PATH, (context) => {
    context.state.route = SESSION_PATH
    context.set(
      'Set-Cookie',
      sessions.cookieLine(undefined, context.get('Host'), isSecure(context)),
    )
    context.status = 204
  })
}

/** Trusts the header of a reverse proxy: a client that forges it only loses its own session. */
function isSecure(context: Context): boolean {
  return context.secure || context.get('X-Forwarded-Proto') === 'https'
}
