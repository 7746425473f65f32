/**
 * Requests of the mixed reads: every GET of the OpenAPI document that needs a key, by its example, with addresses,
 * signatures and times of stored rows. A hot request is one of a few of its route; a cold one has an address that the
 * route has not served yet, as long as unused ones remain.
 */
import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import type { Db } from '../../sql/db.ts'
import { Prng } from '../../streams/simulator/prng.ts'

/** `path` with its query. */
export type ReadRequest = { kind: 'hot' | 'cold'; route: string; path: string }

type Parameter = {
  name: string
  in: 'path' | 'query'
  required: boolean
  example?: unknown
  schema: { format?: string; default?: unknown } & Partial<Record<'items', { format?: string }>>
}
type Operation = { parameters: Parameter[]; security?: object[] }
type Document = { paths: Record<string, { get?: Operation }> }

const HOT_VARIANTS = 4
/** Bound of the addresses of each kind, the newest and any others. */
const ADDRESSES_MAX = 20_000
const NOT_READS = [
  '/openapi.json',
  '/asyncapi.json',
  '/docs',
  '/healthz',
  '/readyz',
  '/graphql',
  '/metrics',
  '/ws/v1',
]

const POOLS: Readonly<Record<string, string>> = {
  mint: 'select address as text from token',
  pool: 'select pair_address as text from pool',
  wallet: 'select address as text from wallet',
  signature: 'select signature as text from swap',
}

type Stored = { texts: Record<string, string[]>; newestMs: number }

export async function openReadRequests(db: Db, url: string): Promise<{ next: () => ReadRequest }> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const routes = Object.entries(document.paths).flatMap(([path, { get }]) =>
    get === undefined || path.startsWith('/admin') || NOT_READS.includes(path)
      ? []
      : [{ path, parameters: get.parameters }],
  )
  const stored = await readStored(db)
  const prng = new Prng([1])
  const counts = new Map<string, number>()
  let drawn = 0
  return {
    next() {
      const { path, parameters } = routes[prng.below(routes.length)] as (typeof routes)[number]
      const kind = drawn++ % 2 === 0 ? 'hot' : 'cold'
      const count = counts.get(path) ?? HOT_VARIANTS
      counts.set(path, count + 1)
      const ordinal = kind === 'hot' ? prng.below(HOT_VARIANTS) : count
      return { kind, route: path, path: pathOf(path, parameters, stored, ordinal) }
    },
  }
}

async function readStored(db: Db): Promise<Stored> {
  const texts: Stored['texts'] = {}
  for (const [name, statement] of Object.entries(POOLS)) {
    const { rows } = await db.query<{ text: string }>(`${statement} limit ${ADDRESSES_MAX}`)
    texts[name] = rows.map(({ text }) => text)
  }
  const { rows } = await db.query<{ ms: number }>('select max(last_timestamp_ms) as ms from pool')
  return { texts, newestMs: Number(rows[0]?.ms) }
}

function pathOf(
  template: string,
  parameters: readonly Parameter[],
  stored: Stored,
  ordinal: number,
): string {
  let path = template
  const query = new URLSearchParams()
  for (const parameter of parameters) {
    if (!parameter.required && parameter.example === undefined) continue
    const text = textFor(template, parameter, stored, ordinal)
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, text)
    else query.set(parameter.name, text)
  }
  return query.size === 0 ? path : `${path}?${query}`
}

function textFor(
  template: string,
  { name, schema, example }: Parameter,
  { texts, newestMs }: Stored,
  ordinal: number,
): string {
  const pick = (kind: string): string => texts[kind]?.[ordinal % (texts[kind]?.length ?? 1)] ?? ''
  if (schema.format === 'signature') return pick('signature')
  if (schema.format === 'address' || schema.items?.format === 'address') {
    if (name.startsWith('pair')) return pick('pool')
    const isWallet = ['w', 'wallet', 'user', 'creator'].includes(name)
    return pick(isWallet ? 'wallet' : 'mint')
  }
  if (template === '/search' && name === 'q') return pick('mint').slice(0, 3 + (ordinal % 40))
  if (schema.format === 'date') {
    const day = newestMs - (name === 'from' || name === 'start' ? 24 * HOUR_MS : 0)
    return new Date(day).toISOString().slice(0, 10)
  }
  if (name === 'from') return String(newestMs - HOUR_MS - (ordinal % 600) * 1_000)
  if (name === 'to') return String(newestMs)
  return String(Array.isArray(example) ? example.join() : (example ?? schema.default ?? ''))
}
