// Every GET of /openapi.json with hostile parameters: never a 5xx, never a hang, always an answer of the documented
// shape, and neither the key nor a word of the database in answers or logs.

import test from 'ava'
import { createKey } from '../../api/gateway/keys/keys.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { apiUnderTest } from '../support/api/api-under-test.ts'
import { insertLedger } from '../support/api/insert-ledger.ts'
import { NASTY, OURS, withinBound } from '../support/api/nasty.ts'
import { sampleSwap, signatureOf } from '../support/market/sample-swap.ts'
import { requestedSeed } from '../support/seed.ts'
import { openJobBench } from '../support/workers/jobs.ts'

type Parameter = {
  name: string
  in: string
  example?: unknown
  examples?: { alone: { value: unknown } }
  schema: { enum?: string[] }
}
type Document = { paths: Record<string, { get?: { parameters: Parameter[] } }> }

const REQUESTS_A_ROUTE = 60
const HEADERS_BYTES_MAX = 15_000
test('no route fails, hangs or leaks for any request', async (t) => {
  const bench = openJobBench(t)
  const under = await apiUnderTest(t, {
    redisUrl: bench.redisUrl,
    prefix: bench.prefix,
    jobs: bench.queue(),
    adminKey: 'an-operators-key-of-the-fuzz',
  })
  bench.work({ databaseUrl: under.databaseUrl })
  await insertLedger(
    under.db,
    Array.from({ length: 30 }, (_, n) => sampleSwap({ signature: signatureOf(n), slot: 100 + n })),
  )
  const wanted = { tier: 'enterprise', environment: 'test', account: 'fuzz', by: 'test' } as const
  const { key } = await createKey(under.db, wanted)
  const { paths } = (await under.call('/openapi.json')).body as unknown as Document
  const seed = requestedSeed() ?? Date.now() % 1_000_000
  t.log(`seed ${seed}`)
  const prng = new Prng([seed])
  const pick = <Value>(values: readonly Value[]): Value =>
    values[prng.below(values.length)] as Value
  const textFor = ({ examples, schema, name, ...given }: Parameter): string => {
    const example = given.example ?? examples?.alone.value
    if (prng.chance(0.45) && example !== undefined) return String(example)
    if (prng.chance(0.3) && schema.enum !== undefined) return pick(schema.enum)
    return name === 'limit' && prng.chance(0.5) ? String(prng.below(300)) : pick(NASTY)
  }
  const statuses = new Map<number, number>()
  for (const [template, { get }] of Object.entries(paths)) {
    if (get === undefined) continue
    for (let request = 0; request < REQUESTS_A_ROUTE; request++) {
      let path = template
      const query = new URLSearchParams()
      for (const parameter of get.parameters) {
        const value = textFor(parameter)
        if (parameter.in === 'path') {
          path = path.replace(`{${parameter.name}}`, encodeURIComponent(value.toWellFormed()))
        } else if (prng.chance(0.6)) {
          query.append(parameter.name, value)
          if (prng.chance(0.1)) query.append(parameter.name, textFor(parameter))
        }
      }
      if (prng.chance(0.1)) query.append(pick(NASTY), pick(NASTY))
      const requested = `${path}?${query}`
      // The server refuses such a request, as its own test shows.
      if (requested.length > HEADERS_BYTES_MAX) continue
      const headers = { 'X-API-Key': key, Authorization: '' }
      if (template.startsWith('/admin'))
        headers.Authorization = 'Bearer an-operators-key-of-the-fuzz'
      else if (prng.chance(0.1)) query.set('api_key', key)
      const { status, text } = await withinBound(requested, under.call(requested, headers))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500) t.fail(`${status} ${requested}: ${text}`)
      if (text.includes(key)) t.fail(`tells the key: ${requested}`)
      if (template !== '/openapi.json' && OURS.test(text))
        t.fail(`tells what is ours: ${requested}: ${text}`)
    }
  }
  t.log(Object.fromEntries(statuses))
  t.true((statuses.get(200) ?? 0) > 100 && (statuses.get(400) ?? 0) > 100, 'or it proves nothing')
  t.false(under.lines.some((line) => line.includes(key)))
  t.false(under.lines.some((line) => line.includes('request failed')))
})
