/**
 * /docs and the files of both pages, of other npm packages: a package of Swaptide holds them, a clone reads them where
 * they are installed. No key is needed: the pages prompt for one when they call the API.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Router from '@koa/router'
import type { Context } from 'koa'
import { BUILT } from '../http/built-folder.ts'
import { ApiError } from '../routing/error.ts'
import { ASSETS_PATH, type Page, reference } from './pages.ts'

type PackedFile = readonly [pack: string, folder: string]
/** Name in the path, the npm package, and the folder in it. Nothing else is served. */
export const FILES: Readonly<Record<string, PackedFile>> = {
  'swagger-ui.css': ['swagger-ui-dist', '.'],
  'swagger-ui-bundle.js': ['swagger-ui-dist', '.'],
  'graphiql.min.css': ['graphiql', '.'],
  'graphiql.min.js': ['graphiql', '.'],
  'react.production.min.js': ['react', 'umd'],
  'react-dom.production.min.js': ['react-dom', 'umd'],
}
/** Seconds that a browser caches a file: names do not change with versions. */
const CACHE_SECONDS = 3_600

const { resolve } = createRequire(import.meta.url)

export function docsRouter(): Router {
  const router = new Router()
  router.get('/docs', (context: Context) => {
    context.state.route = '/docs'
    answerPage(context, reference)
  })
  router.get(`${ASSETS_PATH}/:name`, async (context) => {
    context.state.route = `${ASSETS_PATH}/{name}`
    const name = context.params.name ?? ''
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined
    if (file === undefined) throw new ApiError('NOT_FOUND', 'file not found')
    context.type = name.endsWith('.css') ? 'css' : 'js'
    context.set('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
    context.set('X-Content-Type-Options', 'nosniff')
    context.body = await readFile(pathOf(name, file))
  })
  return router
}

/** Where the file is on this installation. */
export function pathOf(name: string, [pack, folder]: PackedFile): string {
  const held = join(BUILT, name)
  return existsSync(held) ? held : join(dirname(resolve(`${pack}/package.json`)), folder, name)
}

export function answerPage(context: Context, { html, policy }: Page): void {
  context.type = 'html'
  context.set('Content-Security-Policy', policy)
  context.set('X-Content-Type-Options', 'nosniff')
  context.set('Referrer-Policy', 'no-referrer')
  context.body = html
}

/** Whether a browser opens the URL, rather than a program requesting it. */
export function wantsPage(context: Context): boolean {
  return context.method === 'GET' && context.query.query === undefined && prefersPage(context)
}

/** Whether the client would rather have a page than JSON. */
export function prefersPage(context: Context): boolean {
  return context.accepts(['json', 'application/graphql-response+json', 'html']) === 'html'
}
