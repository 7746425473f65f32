/** An installation with webhooks for a test: FEED that the test writes, the API, and senders as programs to kill. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { Redis } from 'ioredis'
import type { ApiOptions } from '../../../api/main.ts'
import type { WebhookOptions } from '../../../api/webhooks/sending/running.ts'
import { feedApi } from '../feed/feed-api.ts'
import { testServers } from '../servers/servers.ts'
import { type Pipeline, until } from '../workers/pipeline.ts'

const PROGRAM = join(import.meta.dirname, 'webhooks-program.ts')
const ADMIN_KEY = 'a-long-key-of-the-operators'
export const SECRET_KEY = randomBytes(24).toString('base64url')

/** Shown fields of a webhook that tests read. */
type Shown = Record<string, unknown> & {
  id: number
  state: string
  secret: string
  waiting: number
  delivered: number
  cursor: string
  last_error: string | null
}
type Answered = { status: number; text: string; shown: Shown }

export type WebhookBench = {
  pipeline: Pipeline
  apiUrl: string
  /** A request of an operator. */
  operate(method: string, path: string, body?: unknown): Promise<Answered>
  create(fields: { url: string } & Record<string, unknown>): Promise<Shown>
  show(id: number): Promise<Shown>
  /** A sender in a process of its own, killed with the test. */
  send(options?: Partial<WebhookOptions>): ChildProcess
  options: WebhookOptions
}

/** Retries that a test can wait for. */
export const QUICK = { first: 20, greatest: 200, giveUpAfter: 3_600_000 }

export async function webhookBench(
  t: ExecutionContext,
  api: Partial<ApiOptions> = {},
): Promise<WebhookBench> {
  const webhooks = { secretKey: SECRET_KEY, policy: 'allow' } as const
  const fed = await feedApi(t, { api: { adminKey: ADMIN_KEY, webhooks, ...api } })
  const { pipeline } = fed
  const { databaseUrl, natsUrl, prefix, laneCount, recording } = pipeline
  const { redisUrl } = testServers()
  removeQueues(t, redisUrl, prefix)
  const servers = { databaseUrl, natsUrl, redisUrl, prefix, laneCount }
  const options: WebhookOptions = {
    ...servers,
    ...webhooks,
    retrying: QUICK,
    attemptBoundMs: 5_000,
    log: recording.log,
  }
  const operate: WebhookBench['operate'] = async (method, path, body) => {
    const answer = await fetch(`${fed.api.url}/admin/v1/webhooks${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${ADMIN_KEY}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, shown: JSON.parse(text).data }
  }
  return {
    pipeline,
    apiUrl: fed.api.url,
    options,
    operate,
    async create(fields) {
      const { status, text, shown } = await operate('POST', '', fields)
      t.is(status, 200, text)
      return shown
    },
    async show(id) {
      return (await operate('GET', `/${id}`)).shown
    },
    send(given = {}) {
      const { log: _, ...rest } = { ...options, lockMs: 1_000, ...given }
      const child = spawn(process.execPath, [PROGRAM, JSON.stringify(rest)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      child.stdout?.resume()
      t.teardown(() => child.kill('SIGKILL'))
      return child
    },
  }
}

function removeQueues(t: ExecutionContext, redisUrl: string, prefix: string): void {
  const redis = new Redis(redisUrl)
  t.teardown(async () => {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(keys)
    redis.disconnect()
  })
}

/** Resolves when all of FEED is read for the webhook and every delivery is accepted. */
export async function untilDelivered(bench: WebhookBench, ids: readonly number[], boundMs: number) {
  const newest = (await bench.pipeline.jetStream.manager.streams.info(
    bench.pipeline.topology.feed.stream,
  )) as { state: { last_seq: number } }
  await until('every delivery is accepted', boundMs, async () => {
    for (const id of ids) {
      const { waiting, cursor } = await bench.show(id)
      if (waiting > 0 || Number(cursor.split('-').at(-1)) < newest.state.last_seq) return false
    }
    return true
  })
}
