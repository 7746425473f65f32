// The API with its feeds over a FEED of the test's own, which the test writes itself.

import type { ExecutionContext } from 'ava'
import type { FeedSource } from '../../../api/feed/feed.ts'
import { TIMING, type Timing } from '../../../api/feed/websocket/protocol/timing.ts'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { type Api, type ApiOptions, startApi } from '../../../api/main.ts'
import type { Tier } from '../../../api/routing/caller.ts'
import type { FeedEvent } from '../../../streams/codec/event-codec.ts'
import { readCursor } from '../../../streams/feed/feed-cursor.ts'
import { PATIENT, PATIENT_MS } from '../api/api-under-test.ts'
import { feedEnd, openPipeline, type Pipeline, readFeed, until } from '../workers/pipeline.ts'

export type FeedApi = {
  pipeline: Pipeline
  api: Api
  /** `ws://.../ws/v1` with a key of the tier in its query. */
  urlFor(tier: Tier): Promise<string>
  /** The same with the key next to it. */
  keyFor(tier: Tier): Promise<{ id: number; key: string; url: string }>
  /** Another process of the same installation, as far as it can be one here. */
  another(options?: Partial<ApiOptions>): Promise<Api>
  /** Resolves when the process has read all messages of FEED: a new subscription begins after them. */
  untilRead(): Promise<void>
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
    // A client on a loaded machine notices late that it was closed.
    const timing = { ...TIMING, tickMs: 50, cutMs: 20_000, ...given.timing }
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
      ...PATIENT,
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
  const untilRead: FeedApi['untilRead'] = async () => {
    const { key } = await keyFor('enterprise')
    const end = await feedEnd(pipeline)
    await until('FEED is read', PATIENT_MS, async () => {
      const answer = await fetch(`${api.url}/swaps?limit=1`, { headers: { 'X-API-Key': key } })
      const { feed_cursor: cursor } = (await answer.json()) as { feed_cursor: string }
      return (readCursor(cursor)?.sequence ?? 0) >= end
    })
  }
  return {
    pipeline,
    api,
    another,
    untilRead,
    keyFor,
    urlFor: async (tier) => (await keyFor(tier)).url,
  }
}

/** All events of FEED that a test expects, in its order. */
export async function eventsOf(
  pipeline: Pipeline,
  wanted: (event: FeedEvent) => boolean,
): Promise<FeedEvent[]> {
  return (await readFeed(pipeline)).flatMap(({ events }) => events).filter(wanted)
}
