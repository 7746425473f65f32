/**
 * Bull Board, the console of BullMQ, protected by the console's own sign-in. Its static files come from npm.
 *
 * Its page template is rendered here, because the available Koa adapter brings 80 packages and loads fonts from
 * another host. The page's Content-Security-Policy restricts it to this host.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app'
import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { BODY_BYTES_MAX } from '../http/body-limit.ts'
import { PAGE_ASSETS, PAGE_LINKS } from '../http/page-links.ts'
import { ApiError } from '../routing/error.ts'
import type { Operations } from './operations.ts'

type BoardRoute = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The router's pattern, which metrics and logs use as a name. */
  path: string
  pattern: string
  /** Opened by a person rather than requested by the page. */
  isPage: boolean
  answer: (context: Context) => Promise<void>
}

const BASE = '/admin/queues'
const ANSWER_BOUND_MS = 4_000
/** The package sets styles on what it draws, and draws its icons from the data of its styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const ICON = `${PAGE_ASSETS}/icon.svg`
const UI: UIConfig = {
  boardTitle: 'Swaptide queues',
  miscLinks: [
    { text: 'Console', url: '/admin' },
    ...PAGE_LINKS.filter(([path]) => path !== '/admin').map(([url, text]) => ({ text, url })),
  ],
  boardLogo: { path: ICON, width: 24, height: 24 },
  favIcon: { default: ICON, alternative: ICON },
  hideRedisDetails: true,
  // The documentation of Bull Board is on another host.
  hideDocsLink: true,
}

/** Configuration that Bull Board passes to a server adapter. */
type Given = {
  queues: BullBoardQueues
  views: string
  statics: string
  entry: AppViewRoute
  api: AppControllerRoute[]
  config: UIConfig
}

const require = createRequire(import.meta.url)

export function boardRoutes(operations: Operations): BoardRoute[] {
  const given = collect(operations)
  const page = pageOf(given)
  const pages = [given.entry.route].flat().map(
    (path): BoardRoute => ({
      method: 'get',
      path: `${BASE}${path === '/' ? '' : path}`,
      pattern: `${BASE}/{page}`,
      isPage: true,
      async answer(context) {
        context.set('Content-Security-Policy', POLICY)
        context.type = 'html'
        context.body = page
      },
    }),
  )
  const api = given.api.flatMap((route) =>
    [route.method].flat().flatMap((method) =>
      [route.route].flat().map(
        (path): BoardRoute => ({
          method,
          path: `${BASE}${path}`,
          pattern: `${BASE}${path.replaceAll(/:(\w+)/g, '{$1}')}`,
          isPage: false,
          answer: (context) => answerApi(context, route, given),
        }),
      ),
    ),
  )
  return [...api, fileRoute(given.statics), ...pages]
}

function collect(operations: Operations): Given {
  const given: Partial<Given> = {}
  const take = (part: Partial<Given>): IServerAdapter => {
    Object.assign(given, part)
    return adapter
  }
  const adapter: IServerAdapter = {
    setQueues: (queues) => take({ queues }),
    setViewsPath: (views) => take({ views }),
    setStaticPath: (_, statics) => take({ statics }),
    setEntryRoute: (entry) => take({ entry }),
    setErrorHandler: () => adapter,
    setApiRoutes: (api) => take({ api }),
    setUIConfig: (config) => take({ config }),
  }
  const { BullMQAdapter, createBullBoard } = loadPackage()
  const queues = operations.boardQueues().map((queue) => new BullMQAdapter(queue))
  createBullBoard({ queues, serverAdapter: adapter, options: { uiConfig: UI } })
  return given as Given
}

type Package = Pick<typeof import('@bull-board/api'), 'createBullBoard'> &
  Pick<typeof import('@bull-board/api/bullMQAdapter'), 'BullMQAdapter'>

/** Loaded where there are queues to show: with BullMQ it is an eighth of the API's modules by CPU. */
function loadPackage(): Package {
  const { createBullBoard }: Package = require('@bull-board/api')
  const { BullMQAdapter }: Package = require('@bull-board/api/bullMQAdapter')
  return { createBullBoard, BullMQAdapter }
}

/** The template with its places filled; without what it would fetch from elsewhere. */
function pageOf({ views, entry, config }: Given): string {
  const { name, params } = entry.handler({ basePath: BASE, uiConfig: config })
  const template = readFileSync(join(views, name), 'utf8')
  const filled = template.replaceAll(/<%[-=] *(\w+) *%>/g, (_, key: string) =>
    String((params as Record<string, unknown>)[key] ?? ''),
  )
  return filled.replaceAll(/<link href="https?:[^>]*>/g, '')
}

async function answerApi(
  context: Context,
  route: AppControllerRoute,
  { queues, config }: Given,
): Promise<void> {
  const { params } = context as Context & { params: Record<string, string> }
  const { query } = context
  const { headers } = context.req
  const body = await bodyOf(context)
  const request = { queues, uiConfig: config, query, params, body, headers }
  try {
    // Bull Board waits for Redis for as long as it takes.
    const late = pause(ANSWER_BOUND_MS, undefined, { ref: false }).then(() => {
      throw new Error('Redis does not answer')
    })
    const answered = route.handler(request as Parameters<typeof route.handler>[0])
    const answer = await Promise.race([answered, late])
    context.status = answer.status ?? 200
    context.body = answer.body
  } catch (cause) {
    throw new ApiError('UNAVAILABLE', 'the queues cannot be reached: try again', { cause })
  }
}

/** JSON of at most 64 KiB; an empty object where there is none. */
async function bodyOf(context: Context): Promise<unknown> {
  if (['GET', 'HEAD'].includes(context.method)) return {}
  try {
    const text = await getRawBody(context.req, { limit: BODY_BYTES_MAX, encoding: 'utf8' })
    return text === '' ? {} : JSON.parse(text)
  } catch (cause) {
    throw new ApiError('INVALID_PARAM', 'request body: expected JSON of at most 64 KiB', { cause })
  }
}

/** The files of the package, and no others. */
function fileRoute(folder: string): BoardRoute {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = new Set(names)
  return {
    method: 'get',
    path: `${BASE}/static/{*name}`,
    pattern: `${BASE}/static/{name}`,
    isPage: false,
    async answer(context) {
      const { name = '' } = (context as Context & { params: Record<string, string> }).params
      const extension = /\.(css|js|svg|png|ico|json)$/.exec(name)?.[1]
      if (extension === undefined || !files.has(name)) {
        throw new ApiError('NOT_FOUND', 'file not found')
      }
      context.type = extension
      context.body = await readFile(join(folder, name))
    },
  }
}
