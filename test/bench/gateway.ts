/**
 * What the gateway costs: a route whose answer is kept, with its key, limit and cache, beside a bare Koa that
 * answers as many bytes; and the way through the gate alone. The servers take turns under the same client.
 */
// @ts-expect-error: it comes without types.
import autocannon from 'autocannon'
import { createKey, type Tier } from '../../api/gateway/keys.ts'
import type { ApiSaid } from './api-program.ts'
import { startMeter } from './cpu.ts'
import type { GatewayAsked, GatewaySaid } from './gateway-program.ts'
import { expectEqual, type Measurement } from './measurement.ts'
import { type Program, startProgram } from './program.ts'
import type { Stage } from './stage.ts'

const PATH = '/wallets/11111111111111111111111111111111/stats'
/** The client does not hear that a connection ends with its 10,000th request: none comes so far. */
const CONNECTIONS = 32
const SECONDS = 3
const WARM_UP_SECONDS = 2
/** Each may ask 30,000 times a minute. */
const KEYS = 10
const PASSES = 50_000

const KEPT = 'a kept answer, with key'
const LIMITED = 'a kept answer, with key and limit'
const BARE = 'bare Koa, a body of the same size'
const RATIO = 'a kept answer / bare Koa'
const LIMITED_RATIO = 'a kept answer with limit / bare Koa'
const GATE = 'key and limit alone'

export const gateway: Measurement = {
  name: 'gateway',
  needsStack: true,
  figures: [
    { figure: KEPT, unit: 'requests/s' },
    { figure: LIMITED, unit: 'requests/s' },
    { figure: BARE, unit: 'requests/s' },
    { figure: RATIO, unit: '', digits: 2, goal: '>= 0.70' },
    { figure: LIMITED_RATIO, unit: '', digits: 2, goal: '>= 0.70' },
    { figure: GATE, unit: 'us CPU a request', digits: 1, goal: '<= 150' },
  ],
  round: ({ stages, stack, workerFlags }) =>
    stages.use(async (stage) => {
      const { redisUrl } = stack
      const { databaseUrl } = stage
      const keys = await makeKeys(stage, 'pro')
      const unlimited = await makeKeys(stage, 'enterprise')
      const gate = startProgram<GatewaySaid>('gateway-program.ts', {
        pass: PASSES,
        databaseUrl,
        redisUrl,
        keys,
      } satisfies GatewayAsked)
      const { micros } = await gate.hear('passed')
      await gate.stop()
      const api = startProgram<ApiSaid>(
        'api-program.ts',
        { databaseUrl, redisUrl, prefix: 'b.' },
        workerFlags,
      )
      const { url } = await api.hear('ready')
      const bytes = await bytesOf(url + PATH, keys[0] as string)
      const bare = startProgram<GatewaySaid>('gateway-program.ts', {
        serve: bytes,
      } satisfies GatewayAsked)
      const bareUrl = (await bare.hear('ready')).url + PATH
      try {
        await load(api, url + PATH, keys, WARM_UP_SECONDS)
        await load(bare, bareUrl, keys, WARM_UP_SECONDS)
        const kept = await load(api, url + PATH, unlimited, SECONDS)
        const limited = await load(api, url + PATH, keys, SECONDS)
        const empty = await load(bare, bareUrl, keys, SECONDS)
        return [
          { figure: KEPT, value: kept.perSecond, cpu: { API: kept.micros } },
          { figure: LIMITED, value: limited.perSecond, cpu: { API: limited.micros } },
          { figure: BARE, value: empty.perSecond, cpu: { Koa: empty.micros } },
          { figure: RATIO, value: kept.perSecond / empty.perSecond },
          { figure: LIMITED_RATIO, value: limited.perSecond / empty.perSecond },
          { figure: GATE, value: micros },
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
  expectEqual('status of what is kept', answer.status, 200)
  return (await answer.arrayBuffer()).byteLength
}

/** Requests a second and the server's CPU for one of them. */
async function load(
  { pid }: Pick<Program<ApiSaid>, 'pid'>,
  url: string,
  keys: readonly string[],
  seconds: number,
): Promise<{ perSecond: number; micros: number }> {
  const meter = startMeter({ server: pid })
  const { non2xx, errors, requests, duration } = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: keys.map((key) => ({ headers: { 'x-api-key': key } })),
  })
  expectEqual('refused or failed', non2xx + errors, 0)
  const { server = Number.NaN } = meter.perSwap(requests.total)
  return { perSecond: requests.total / duration, micros: server }
}
