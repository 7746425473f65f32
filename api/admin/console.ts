/**
 * /admin in a browser: signing in, the pages, files of KOLs and sectors, and the board of the queues.
 *
 * A request without a session gets the sign-in page and nothing else. The token is sent in Authorization, as
 * everywhere, never in a URL or a body, so that no log and no browser history contains it.
 */
import Router from '@koa/router'
import type { Context } from 'koa'
import type { Registry } from 'prom-client'
import getRawBody from 'raw-body'
import { expectOperator } from '../gateway/keys/authenticate.ts'
import {
  cookieLine,
  expectOperatorRequest,
  hasSession,
  makeSession,
  SESSION_SECONDS,
} from '../gateway/operator-session.ts'
import { BODY_BYTES_MAX } from '../http/body-limit.ts'
import { PAGE_POLICY } from '../http/page-links.ts'
import { ApiError } from '../routing/error.ts'
import { boardRoutes } from './board.ts'
import type { Operations } from './operations.ts'
import { BY } from './operator-route.ts'
import { CONSOLE_PAGES, SIGN_IN_PAGE } from './pages.ts'

type ConsoleOptions = {
  adminKey: string
  operations: Operations | undefined
  /** Absent: there is no /metrics. */
  registry: Registry | undefined
}

export function consoleRouter({ adminKey, operations, registry }: ConsoleOptions): Router {
  const router = new Router()
  router.use(async (context, next) => {
    context.set('Cache-Control', 'no-store')
    context.set('X-Content-Type-Options', 'nosniff')
    context.set('Referrer-Policy', 'no-referrer')
    context.set('Content-Security-Policy', PAGE_POLICY)
    await next()
  })
  for (const [path, html] of CONSOLE_PAGES) {
    router.get(path, (context) => {
      context.state.route = path
      context.type = 'html'
      if (hasSession(context, adminKey)) context.body = html
      else if (path === '/admin') context.body = SIGN_IN_PAGE
      else context.redirect(signInPath(path))
    })
  }
  addSession(router, adminKey)
  if (registry !== undefined) addMetrics(router, adminKey, registry)
  if (operations === undefined) return router
  addImport(router, adminKey, 'kols', (file) => operations.importKols(file, BY))
  addImport(router, adminKey, 'sectors', async (file) => {
    const { stored, isCounted, refusals } = await operations.importSectors(file, BY)
    return { stored, is_counted: isCounted, refusals }
  })
  for (const { method, path, pattern, isPage, answer } of boardRoutes(operations)) {
    router.register(path, [method], async (context: Context) => {
      context.state.route = pattern
      if (isPage && !hasSession(context, adminKey))
        return context.redirect(signInPath('/admin/queues'))
      expectOperatorRequest(context, adminKey)
      await answer(context)
    })
  }
  return router
}

function signInPath(next: string): string {
  return `/admin?next=${encodeURIComponent(next)}`
}

function addSession(router: Router, adminKey: string): void {
  const path = '/admin/session'
  router.post(path, (context) => {
    context.state.route = path
    expectOperator(context.get('Authorization'), adminKey)
    const session = makeSession(adminKey, Date.now() + SESSION_SECONDS * 1_000)
    context.set('Set-Cookie', cookieLine(session, context.get('Host'), isSecure(context)))
    context.status = 204
  })
  router.delete(path, (context) => {
    context.state.route = path
    context.set('Set-Cookie', cookieLine('', context.get('Host'), isSecure(context)))
    context.status = 204
  })
}

/** For Prometheus, which brings the token along; the same without one is on METRICS_PORT. */
function addMetrics(router: Router, adminKey: string, registry: Registry): void {
  const path = '/metrics'
  router.get(path, async (context) => {
    context.state.route = path
    expectOperator(context.get('Authorization'), adminKey)
    context.type = registry.contentType
    context.body = await registry.metrics()
  })
}

/** Trusts the header of a reverse proxy: a client that forges it only loses its own session. */
function isSecure(context: Context): boolean {
  return context.secure || context.get('X-Forwarded-Proto') === 'https'
}

/** The body is a file as `swaptide import` takes it. */
function addImport(
  router: Router,
  adminKey: string,
  kind: 'kols' | 'sectors',
  take: (file: Uint8Array) => Promise<unknown>,
): void {
  const path = `/admin/${kind}/import`
  router.post(path, async (context) => {
    context.state.route = path
    expectOperatorRequest(context, adminKey)
    // Read as bytes: decoding would replace what is no UTF-8, which is to be refused with its line.
    const file = await getRawBody(context.req, { limit: BODY_BYTES_MAX }).catch(
      (cause: unknown) => {
        throw new ApiError('INVALID_PARAM', 'the body is too long or did not come whole', { cause })
      },
    )
    context.body = { success: true, data: await take(file) }
  })
}
