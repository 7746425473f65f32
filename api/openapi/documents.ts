/**
 * /openapi.json and /asyncapi.json, built once, with examples from the data of this installation.
 *
 * A document never fails for lack of examples: without the database, or without a trade, it uses those of the story
 * for a few seconds. It is cached like other responses, so it has an ETag and is fast however much its examples read.
 */
import { hash } from 'node:crypto'
import Type from 'typebox'
import type { Log } from '../../domain/log.ts'
import type { VenueNaming } from '../../domain/venue.ts'
import { asyncApiDocument } from '../feed/websocket/protocol/asyncapi.ts'
import { type Reading, type Route, route } from '../routing/route.ts'
import { openApiDocument } from './document.ts'
import { findLiveExamples } from './installation/installation.ts'
import { type LiveExamples, localizeAsyncApi, localizeOpenApi } from './installation/localize.ts'
import type { Serves } from './paths/other-paths.ts'

export type DocumentDeps = {
  serves: Serves
  venueNames?: VenueNaming | undefined
  now: () => number
  log: Log
}

type JsonObject = Record<string, unknown>
type Document = {
  path: `/${string}`
  operationId: string
  summary: string
  /** The beginning of it, as its own example. */
  beginning: JsonObject
  make: () => JsonObject
  localize: (document: JsonObject, live: LiveExamples) => JsonObject
}

/** Seconds that examples are cached: times of the last hour stay within it. */
const LIVE_SECONDS = 300
/** Seconds until it is looked again for what was not there yet. */
export const PARTIAL_SECONDS = 10

/** Routes of the two documents, which document themselves as well. */
export function documentRoutes(routes: readonly Route[], deps: DocumentDeps): Route[] {
  const both: Route[] = [
    documentRoute(
      {
        path: '/openapi.json',
        operationId: 'getOpenApi',
        summary: 'This document',
        beginning: { openapi: '3.1.0', info: { title: 'Swaptide', version: '1.0.0' } },
        make: () => openApiDocument([...routes, ...both], deps.serves),
        localize: localizeOpenApi,
      },
      routes,
      deps,
    ),
    documentRoute(
      {
        path: '/asyncapi.json',
        operationId: 'getAsyncApi',
        summary: 'The WebSocket feed at /ws/v1, as AsyncAPI 3',
        beginning: { asyncapi: '3.1.0', info: { title: 'Swaptide feed', version: '1.0.0' } },
        make: () => asyncApiDocument(deps.venueNames),
        localize: localizeAsyncApi,
      },
      routes,
      deps,
    ),
  ]
  return both
}

function documentRoute(
  { path, operationId, summary, beginning, make, localize }: Document,
  routes: readonly Route[],
  { now, log }: DocumentDeps,
): Route {
  // Built once, on the first request.
  let made: { document: JsonObject; digest: string } | undefined
  const makeOnce = () => {
    if (made !== undefined) return made
    const document = make()
    made = { document, digest: hash('sha256', JSON.stringify(document), 'base64url') }
    return made
  }
  const whole = new WeakSet<JsonObject>()
  const findLive = async (reading: Reading) => {
    try {
      return await findLiveExamples(routes, reading, now())
    } catch (error) {
      log.warn({ path, err: error }, 'failed to read examples of a document')
      return undefined
    }
  }
  return route({
    path,
    operationId,
    access: 'public',
    family: 'enveloped',
    summary,
    parameters: Type.Object({}),
    answer: Type.Unsafe<JsonObject>({ type: 'object', examples: [beginning] }),
    errors: [],
    example: {},
    cacheSeconds: {
      ofAnswer: (document) => (whole.has(document) ? LIVE_SECONDS : PARTIAL_SECONDS),
    },
    // Processes that serve different paths share no document.
    cacheBy: () => makeOnce().digest,
    async respond(_, reading) {
      const { document } = makeOnce()
      const found = await findLive(reading)
      if (found === undefined) return document
      const live = localize(document, found.examples)
      if (found.isWhole) whole.add(live)
      return live
    },
  })
}
