// The API with its feeds over a FEED of the test's own, which the test writes itself.

import type { ExecutionContext } from 'ava'
import type { FeedSource } from '../../../api/feed/feed.ts'
import { TIMING, type Timing } from '../../../api/feed/timing.ts'
import { createKey, type Tier } from '../../../api/gateway/keys.ts'
import { type Api, type ApiOptions, startApi } from '../../../api/main.ts'
import type { FeedEvent } from '../../../streams/event-wire.ts'
import { openPipeline, type Pipeline, readFeed } from '../../support/pipeline.ts'

export type FeedApi = {
  pipeline: Pipeline
  api: Api
  /** `ws://.../ws/v1` with a key of the tier in its query. */
  urlFor(tier: Tier): Promise<string>
  /** The same with the key beside it. */
  keyFor(tier: Tier): Promise<{ id: number; key: string; url: string }>
  /** Another process of the same installation, as far as it can be one here. */
  another(options?: Partial<ApiOptions>): Promise<Api>
}

export async function feedApi(
  t: ExecutionContext,
  given: {
    feed?: Partial<FeedSource>
    timing?: Partial<Timing>
    api?: Partial<ApiOptions>
    pipeline?: Pipeline
  } = {},
): Promise<FeedApi> {
  const pipeline = given.pipeline ?? (await openPipeline(t))
  const { databaseUrl, db, jetStream, topology, prefix, recording } = pipeline
  const another: FeedApi['another'] = async (options = {}) => {
    const timing = { ...TIMING, tickMs: 50, ...given.timing }
    const feed = {
      jetStream,
      stream: topology.feed.stream,
      watchEveryMs: 100,
      timing,
      ...given.feed,
    }
    const api = await startApi({
      databaseUrl,
      prefix,
      port: 0,
      log: recording.log,
      feed,
      ...given.api,
      ...options,
    })
    t.teardown(() => api.stop())
    return api
  }
  const api = await another()
  const keyFor: FeedApi['keyFor'] = async (tier) => {
    const made = await createKey(db, { tier, environment: 'test', account: 'test', by: 'test' })
    const url = `${api.url.replace('http', 'ws')}/ws/v1?api_key=${made.key}`
    return { id: made.id, key: made.key, url }
  }
  return { pipeline, api, another, keyFor, urlFor: async (tier) => (await keyFor(tier)).url }
}

/** All events of FEED that a test expects, in its order. */
export async function eventsOf(
  pipeline: Pipeline,
  wanted: (event: FeedEvent) => boolean,
): Promise<FeedEvent[]> {
  return (await readFeed(pipeline)).flatMap(({ events }) => events).filter(wanted)
}
