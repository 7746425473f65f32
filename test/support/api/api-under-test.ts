// The real application on a free port over a database of its own, and requests to it. Every JSON
// answer of a route is held against the schema that /openapi.json gives for its path and status.

import { Ajv, type ValidateFunction } from 'ajv'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { type Api, type ApiOptions, startApi } from '../../../api/main.ts'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import type { Log } from '../../../domain/log.ts'
import { OWN_SCHEMA } from '../../../domain/own-schema.ts'
import type { Db } from '../../../sql/db.ts'
import { testDatabase } from '../servers/database.ts'

type JsonObject = Record<string, unknown>

/** The union of the shapes of all answers in JSON: a test reads the fields that it expects. */
export type Body = JsonObject &
  Record<'data' | 'swaps', JsonObject[]> & {
    next_cursor: string | null
    error: unknown
    message: string
  }
export type Answer = { status: number; headers: Headers; text: string; body: Body }
type Headings = Record<string, string>

export type ApiUnderTest = {
  db: Db
  databaseUrl: string
  api: Api
  key: string
  keyId: number
  /** Lines of the log, as JSON text. */
  lines: string[]
  /** GET with the key. */
  get(path: string, headers?: Headings): Promise<Answer>
  /** A plain GET: without a key unless the headers have one. */
  call(path: string, headers?: Headings, method?: string): Promise<Answer>
}

/** A deadline for tests that do not test deadlines: longer than a loaded machine stalls. */
export const PATIENT_MS = 60_000
/** Options of an API whose requests are answered whole: no deadline ends them, and no list ends short of its page. */
export const PATIENT = { deadlineMs: PATIENT_MS, walkMs: PATIENT_MS } as const

/** A window of the limits that no slow machine outlasts: ten minutes in quanta, where a test counts up to a cap. */
export const LONG_LIMIT = { limitQuanta: 60_000 } as const

/** One for all tests of a file: started before them, ended after them. */
export function apiForFile(options: Partial<ApiOptions> = {}): () => ApiUnderTest {
  const ends: (() => unknown)[] = []
  let started: ApiUnderTest | undefined
  test.serial.before(async () => {
    started = await apiUnderTest({ teardown: (end) => ends.push(end) }, options)
  })
  test.after.always(async () => {
    for (const end of ends) await end()
  })
  return () => {
    if (started === undefined) throw new Error('asked for before the tests began')
    return started
  }
}

/** One for this test, ended with it. */
export async function apiUnderTest(
  t: Pick<ExecutionContext, 'teardown'>,
  options: Partial<ApiOptions> = {},
): Promise<ApiUnderTest> {
  const { db, databaseUrl, drop } = await testDatabase()
  const lines: string[] = []
  const given = { ...PATIENT, ...options }
  const api = await startApi({ databaseUrl, port: 0, log: logInto(lines), ...given })
  t.teardown(async () => {
    await api.stop()
    await drop()
  })
  const by = 'test'
  const wanted = { tier: 'free', environment: 'test', account: 'test', by } as const
  const { id: keyId, key } = await createKey(db, wanted)
  const schemas = await documentedSchemas(api.url)
  const call: ApiUnderTest['call'] = async (path, headers = {}, method = 'GET') => {
    const response = await fetch(api.url + path, { headers, method })
    const text = await response.text()
    const type = response.headers.get('Content-Type') ?? ''
    const isJson = type.includes('json')
    const body = (isJson && text !== '' ? JSON.parse(text) : {}) as Body
    if (method === 'GET' && !type.startsWith('text/csv')) schemas.check(path, response.status, body)
    return { status: response.status, headers: response.headers, text, body }
  }
  const get: ApiUnderTest['get'] = (path, headers = {}) =>
    call(path, { 'X-API-Key': key, ...headers })
  return { db, databaseUrl, api, key, keyId, lines, get, call }
}

const TRIES_MAX = 5

/**
 * The cached answer of a request that was answered before. On a busy machine the cached one may have expired, whatever
 * its lifetime: a miss caches it again, and the request is repeated.
 */
export async function untilHit(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await call()
    if (answer.headers.get('X-Cache') === 'hit' || tries === TRIES_MAX) return answer
  }
}

const ignore = (): void => {}
export const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function logInto(lines: string[]): Log {
  const write = (fields: object | string, text?: string): void => {
    lines.push(JSON.stringify({ fields, text }))
  }
  return { debug: write, info: write, warn: write, error: write }
}

type OpenApi = {
  paths: Record<string, { get?: { responses: Record<string, { content?: JsonContent }> } }>
  components: { schemas: Record<string, object> }
}
type JsonContent = { 'application/json'?: { schema: object } }

/** An API with a short deadline may answer the first requests of a loaded machine with 504. */
async function documentOf(url: string): Promise<OpenApi> {
  let text = ''
  const isAnswered = async (): Promise<boolean> => {
    const response = await fetch(`${url}/openapi.json`)
    text = await response.text()
    return response.status === 200
  }
  if (await holdsWithin(PATIENT_MS, isAnswered)) return JSON.parse(text) as OpenApi
  throw new Error(`${url}/openapi.json: ${text}`)
}

/** Throws where an answer does not match the document for its path and status. */
export async function documentedSchemas(url: string) {
  const document = await documentOf(url)
  const ajv = new Ajv({ ...OWN_SCHEMA, strict: false, validateFormats: false })
  const compiled = new Map<string, ValidateFunction>()
  const compile = (name: string, schema: object): ValidateFunction => {
    const known = compiled.get(name)
    if (known !== undefined) return known
    const made = ajv.compile({ ...schema, components: document.components })
    compiled.set(name, made)
    return made
  }
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return {
    check(requested: string, status: number, body: unknown): void {
      const path = requested.split('?')[0] ?? ''
      const template = templates.find(({ pattern }) => pattern.test(path))
      if (template === undefined) return
      const response = document.paths[template.path]?.get?.responses[status]
      if (response === undefined) throw new Error(`${path}: status ${status} is not documented`)
      const schema = response.content?.['application/json']?.schema
      if (schema === undefined) return
      const holds = compile(`${template.path} ${status}`, schema)
      if (holds(body)) return
      throw new Error(`${path} ${status}: ${ajv.errorsText(holds.errors)}`)
    },
  }
}
