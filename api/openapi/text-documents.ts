/**
 * /llms.txt, /docs/NAME.md and /schema.graphql: the documents of this version as text, for programs that read them. No key
 * is needed.
 *
 * The list of documents is read with the first request, from the folder `docs` of the installed version: nothing else is
 * served. Links in a document are relative, and lead to the others here as they do in the repository.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Router from '@koa/router'
import type { Context } from 'koa'
import { VENUES } from '../../domain/venue.ts'
import { ApiError } from '../routing/error.ts'

const FOLDER = fileURLToPath(new URL('../../docs/', import.meta.url))
/** Seconds that a client caches a document. */
const CACHE_SECONDS = 3_600

const SUMMARY =
  `Open, self-hosted swap and wallet analytics for ${VENUES.length} DEX venues of Solana: REST, GraphQL, WebSocket and gRPC over swaps, ` +
  'candles, positions with their lots, rankings and token statistics.'

/** Machine-readable documents, each alongside its description. */
const MACHINE_READABLE = [
  [
    '/openapi.json',
    'OpenAPI',
    'every REST route with parameters, bounds, answers, errors and examples',
  ],
  ['/schema.graphql', 'GraphQL schema', 'types and fields of /graphql'],
  ['/asyncapi.json', 'AsyncAPI', 'frames of the WebSocket feed'],
  ['/ingest.schema.json', 'JSON Schema of the ingest format', 'a line of NDJSON'],
] as const

/** Slash-separated names below the folder, in alphabetical order; those of a subfolder after those next to it. */
function documentNames(): string[] {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'))
  const depthOf = (name: string): number => name.split('/').length
  return names.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
}

/** The title of a document, and its first paragraph. */
function headOf(name: string): { title: string; about: string } {
  const paragraphs = readFileSync(join(FOLDER, name), 'utf8').split('\n\n')
  const title = paragraphs[0]?.replace(/^# /, '').trim() ?? name
  const about = paragraphs.slice(1).find((text) => /^\w/.test(text)) ?? ''
  return { title, about: about.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ') }
}

function indexOf(names: readonly string[]): string {
  const isMain = (name: string): boolean => !name.includes('/')
  const lineOf = (name: string): string => {
    const { title, about } = headOf(name)
    return `- [${title}](/docs/${name})${isMain(name) && about !== '' ? `: ${about}` : ''}`
  }
  const machine = MACHINE_READABLE.map(([path, title, about]) => `- [${title}](${path}): ${about}`)
  return [
    `# Swaptide\n\n> ${SUMMARY}`,
    `## Documents\n\n${names.filter(isMain).map(lineOf).join('\n')}`,
    `## Machine-readable\n\n${machine.join('\n')}`,
    `## Optional\n\n${names
      .filter((name) => !isMain(name))
      .map(lineOf)
      .join('\n')}`,
    '',
  ].join('\n\n')
}

/** `schemaText` is called with the first request for the schema. */
export function textDocumentsRouter(schemaText: () => string): Router {
  let schema: string | undefined
  let read: { known: ReadonlySet<string>; index: string } | undefined
  const readOnce = () => {
    if (read !== undefined) return read
    const names = documentNames()
    read = { known: new Set(names), index: indexOf(names) }
    return read
  }
  const router = new Router()
  router.get('/llms.txt', (context: Context) => {
    context.state.route = '/llms.txt'
    answerText(context, 'text/plain', readOnce().index)
  })
  router.get('/schema.graphql', (context: Context) => {
    context.state.route = '/schema.graphql'
    schema ??= schemaText()
    answerText(context, 'text/plain', schema)
  })
  for (const path of ['/docs/:name.md', '/docs/:folder/:name.md']) {
    router.get(path, async (context: Context) => {
      context.state.route = path.replaceAll(/:(\w+)/g, '{$1}')
      const { folder, name } = context.params as Record<string, string>
      const document = folder === undefined ? `${name}.md` : `${folder}/${name}.md`
      if (!readOnce().known.has(document)) throw new ApiError('NOT_FOUND', 'document not found')
      answerText(context, 'text/markdown', await readFile(join(FOLDER, document), 'utf8'))
    })
  }
  return router
}

function answerText(context: Context, type: string, body: string): void {
  context.set('Content-Type', `${type}; charset=utf-8`)
  context.set('Cache-Control', `public, max-age=${CACHE_SECONDS}`)
  context.set('X-Content-Type-Options', 'nosniff')
  context.body = body
}
