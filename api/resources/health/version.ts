/**
 * Routes without a key: /version, and the paths that browsers and robots request on their own (/favicon.ico,
 * /robots.txt), which have no key: a 401 for each page would be noise in the log.
 */
import Router from '@koa/router'
import type { Context } from 'koa'
import Type from 'typebox'
import { type Route, route } from '../../routing/route.ts'
import { readProgram } from './program.ts'

/** Seconds that a browser may keep what changes with a release at most. */
const CACHE_SECONDS = 86_400

/** The documents are public; paths that need a key are of no use to a robot. */
const ROBOTS_TEXT = `User-agent: *
Allow: /docs
Allow: /openapi.json
Allow: /asyncapi.json
Allow: /ingest.schema.json
Allow: /llms.txt
Disallow: /
`

const program = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    commit: Type.Optional(
      Type.String({
        description: 'Commit of the clone that the program runs from; absent elsewhere',
      }),
    ),
    schema: Type.String({
      description: 'The newest migration that this version brings',
    }),
  },
  { title: 'Version' },
)

export function versionRoute(): Route {
  const running = readProgram()
  return route({
    path: '/version',
    operationId: 'getVersion',
    access: 'public',
    family: 'enveloped',
    summary: 'Name and version of the program',
    parameters: Type.Object({}),
    answer: program,
    errors: [],
    example: {},
    respond: async () => running,
  })
}

export function visitorRouter(): Router {
  const router = new Router()
  router.get('/robots.txt', (context: Context) => {
    context.state.route = '/robots.txt'
    context.set('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
    context.type = 'text'
    context.body = ROBOTS_TEXT
  })
  // The pages name an icon of their own, which is none.
  router.get('/favicon.ico', (context: Context) => {
    context.state.route = '/favicon.ico'
    context.set('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
    context.status = 204
  })
  return router
}
