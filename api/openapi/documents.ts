/**
 * /openapi.json and /asyncapi.json, with examples from the data of this installation.
 *
 * A document never fails for lack of examples: without the database, or without a trade, it uses the recorded ones for
 * a few seconds. It is cached like other responses, so it has an ETag and is fast however much its examples read.
 */
import { hash } from 'node:crypto'
import Type from 'typebox'
import type { Log } from '../../domain/log.ts'
import type { VenueNaming } from '../../domain/venue.ts'
import { recordedExamples } from '../examples/recorded.ts'
import { asyncApiDocument } from '../feed/websocket/protocol/asyncapi.ts'
import type { Reading } from '../routing/declaration.ts'
import { writeExact } from '../routing/json.ts'
import { type Route, route } from '../routing/route.ts'
import { openApiDocument } from './document.ts'
import { type Examples, examplesOf } from './examples.ts'
import { findMarket } from './installation/installation.ts'
import type { Serves } from './paths/other-paths.ts'

type DocumentDeps = {
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
  make: (examples: Examples) => JsonObject
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
        make: (examples) => openApiDocument([...routes, ...both], deps.serves, examples),
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
        make: ({ market }) => asyncApiDocument(market, deps.venueNames),
      },
      routes,
      deps,
    ),
  ]
  return both
}

function documentRoute(
  { path, operationId, summary, beginning, make }: Document,
  routes: readonly Route[],
  { now, log }: DocumentDeps,
): Route {
  // With recorded examples: built once, on the first request.
  let made: { document: JsonObject; digest: string } | undefined
  const makeOnce = () => {
    if (made !== undefined) return made
    const document = make(examplesOf())
    made = { document, digest: hash('sha256', writeExact(document), 'base64url') }
    return made
  }
  const whole = new WeakSet<JsonObject>()
  const findLive = async (reading: Reading) => {
    try {
      return await findMarket(routes, reading, now(), recordedExamples().market)
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
      const found = await findLive(reading)
      if (found === undefined) return makeOnce().document
      const live = make(examplesOf(found.market))
      if (found.isWhole) whole.add(live)
      return live
    },
  })
}
