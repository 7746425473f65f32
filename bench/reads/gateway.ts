/**
 * Cost of the gateway: a route whose response is cached, with its key, limit and cache, alongside a bare Koa that answers
 * as many bytes; and admission only. The servers alternate each second under the same client, because a machine may
 * change its speed by half within a few.
 */
// @ts-expect-error: it comes without types.
import autocannon from 'autocannon'
import { createKey } from '../../api/gateway/keys/keys.ts'
import type { Tier } from '../../api/routing/caller.ts'
import { cpuMicros } from '../measure/cpu.ts'
import { expectEqual } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import type { ApiMessage } from '../programs/api-program.ts'
import type { GatewayMessage, GatewayRequest } from '../programs/gateway-program.ts'
import { startProgram } from '../programs/program.ts'
import type { Stage } from '../stage.ts'

const PATH = '/wallets/11111111111111111111111111111111/stats'
/** The client does not notice that a connection ends with its 10,000th request: none gets so far. */
const CONNECTIONS = 32
const ROUNDS = 6
const ROUND_SECONDS = 1
const WARM_UP_SECONDS = 2
/** Each may send 30,000 requests a minute. */
const KEYS = 10
const PASSES = 50_000

const CACHED = 'a cached response, with key'
const LIMITED = 'a cached response, with key and limit'
const BARE = 'bare Koa, a body of the same size'
const RATIO = 'a cached response / bare Koa'
const LIMITED_RATIO = 'a cached response with limit / bare Koa'
const ADMISSION = 'key and limit only'

export const gateway: Measurement = {
  name: 'gateway',
  figures: [
    { figure: CACHED, unit: 'requests/s' },
    { figure: LIMITED, unit: 'requests/s' },
    { figure: BARE, unit: 'requests/s' },
    { figure: RATIO, unit: '', digits: 2, goal: '>= 0.70' },
    { figure: LIMITED_RATIO, unit: '', digits: 2, goal: '>= 0.70' },
    { figure: ADMISSION, unit: 'us CPU a request', digits: 1, goal: '<= 150' },
  ],
  round: ({ stages, stack, workerFlags }) =>
    stages.use(async (stage) => {
      const { redisUrl } = stack
      const { databaseUrl } = stage
      const keys = await makeKeys(stage, 'pro')
      const unlimited = await makeKeys(stage, 'enterprise')
      const admission = startProgram<GatewayMessage>('gateway-program.ts', {
        pass: PASSES,
        databaseUrl,
        redisUrl,
        keys,
      } satisfies GatewayRequest)
      const { micros } = await admission.receive('passed')
      await admission.stop()
      const api = startProgram<ApiMessage>(
        'api-program.ts',
        { databaseUrl, redisUrl, prefix: 'b.' },
        workerFlags,
      )
      const { url } = await api.receive('ready')
      const bytes = await bytesOf(url + PATH, keys[0] as string)
      const bare = startProgram<GatewayMessage>('gateway-program.ts', {
        serve: bytes,
      } satisfies GatewayRequest)
      const bareUrl = (await bare.receive('ready')).url + PATH
      try {
        const loads = {
          cached: { pid: api.pid, url: url + PATH, keys: unlimited },
          limited: { pid: api.pid, url: url + PATH, keys },
          empty: { pid: bare.pid, url: bareUrl, keys },
        }
        await load(loads.limited, WARM_UP_SECONDS)
        await load(loads.empty, WARM_UP_SECONDS)
        const { cached, limited, empty } = await alternating(loads)
        return [
          { figure: CACHED, value: cached.perSecond, cpu: { API: cached.micros } },
          { figure: LIMITED, value: limited.perSecond, cpu: { API: limited.micros } },
          { figure: BARE, value: empty.perSecond, cpu: { Koa: empty.micros } },
          { figure: RATIO, value: cached.perSecond / empty.perSecond },
          { figure: LIMITED_RATIO, value: limited.perSecond / empty.perSecond },
          { figure: ADMISSION, value: micros },
        ]
      } finally {
        await api.stop()
        await bare.stop()
      }
    }),
}

async function makeKeys({ db }: Stage, tier: Tier): Promise<string[]> {
  const wanted = { tier, environment: 'test', account: 'bench', by: 'bench' } as const
  return Promise.all(Array.from({ length: KEYS }, async () => (await createKey(db, wanted)).key))
}

async function bytesOf(url: string, key: string): Promise<number> {
  const answer = await fetch(url, { headers: { 'X-API-Key': key } })
  expectEqual('status of the cached response', answer.status, 200)
  return (await answer.arrayBuffer()).byteLength
}

type Load = { pid: number; url: string; keys: readonly string[] }
type Seen = { perSecond: number; micros: number }

/** For each load, requests a second and its server's CPU for one of them, over all of its seconds. */
async function alternating<Name extends string>(
  loads: Readonly<Record<Name, Load>>,
): Promise<Record<Name, Seen>> {
  const each = Object.entries<Load>(loads).map(([name, target]) => ({
    ...{ name, target, requests: 0, seconds: 0, micros: 0 },
  }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const sum of each) {
      const { requests, seconds, micros } = await load(sum.target, ROUND_SECONDS)
      sum.requests += requests
      sum.seconds += seconds
      sum.micros += micros
    }
  }
  const seen = each.map(({ name, requests, seconds, micros }) => [
    name,
    { perSecond: requests / seconds, micros: micros / requests },
  ])
  return Object.fromEntries(seen)
}

async function load(
  { pid, url, keys }: Load,
  wantedSeconds: number,
): Promise<{ requests: number; seconds: number; micros: number }> {
  const from = cpuMicros(pid)
  const { non2xx, errors, requests, duration } = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: wantedSeconds,
    requests: keys.map((key) => ({ headers: { 'x-api-key': key } })),
  })
  expectEqual('refused or failed', non2xx + errors, 0)
  return { requests: requests.total, seconds: duration, micros: cpuMicros(pid) - from }
}
