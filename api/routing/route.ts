/**
 * A route, declared once: path, parameters, response, family, errors, and its handler. The declaration validates
 * requests, serializes responses and generates the OpenAPI document.
 *
 * A handler never sees HTTP: it gets parameters of the schema's types and returns a value of the response's type.
 * error.ts renders the errors that it throws.
 */

import { hash } from 'node:crypto'
import type { Static, TObject, TSchema } from 'typebox'
import { parseExact } from '../../domain/text/exact-json.ts'
import type { VenueNaming } from '../../domain/venue.ts'
import { inOnePiece } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { bodyParserOf, type ParseBody } from './body.ts'
import { ANY_CALLER, type Caller } from './caller.ts'
import {
  type Declaration,
  type Described,
  type Example,
  type NoBody,
  type Reading,
  reportingHistory,
  type Seconds,
} from './declaration.ts'
import { type ErrorCode, toApiError } from './error.ts'
import { type Write, writeExact, writerOf } from './json.ts'
import { type Parse, parserOf } from './parameters.ts'
import type { NearWork } from './reading/feed-list.ts'
import type { HistorySource } from './reading/history.ts'
import type { Reader } from './reading/reader.ts'
import type { Begin } from './reading/standbys.ts'
import { withTextIntegers } from './schema.ts'
import { namedSchema } from './venue-naming.ts'

export type Route = Described & {
  example: Example
  parameters: TObject
  body?: TObject
  answer: TSchema
  parse: Parse
  /** The same route with texts instead of integers that a double may round, compiled once. */
  withTextIntegers: () => Pick<Route, 'answer' | 'respond' | 'cacheName'>
  /** Absent: no body is accepted. */
  parseBody?: ParseBody
  /** The same route, which reads from there since when its history is complete; absent: it states none. */
  withHistory?: (source: HistorySource) => Route
  /** The same route with venues named so in its answers. */
  named: (
    naming: VenueNaming,
  ) => Pick<Route, 'answer' | 'respond' | 'cacheName' | 'withTextIntegers'>
  /** The response as JSON text, and the seconds that it may be cached. Rejects with ApiError. */
  respond: (parameters: Record<string, unknown>, reading: Reading) => Promise<Fresh>
  /** Cache key of responses to these parameters; absent: they are not cached. */
  cacheName?: (parameters: Record<string, unknown>, caller: Caller) => string
  cacheBy?: (caller: Caller) => string
}

/** An uncached response: its JSON text, and for how many seconds it may be cached. */
export type Fresh = { body: string; seconds: number }

const PATH_PARAMETER = /\{(\w+)\}/g

/** The routes with venues named so in their answers. */
export function withVenueNames(routes: readonly Route[], naming: VenueNaming): Route[] {
  return routes.map((each) => {
    if (naming === 'ids') return each
    const { answer, respond, cacheName, withTextIntegers } = each.named(naming)
    const named = { ...each, answer, respond, withTextIntegers }
    return { ...named, ...(cacheName === undefined ? {} : { cacheName }) }
  })
}

/** The routes, where those of history read it from there. */
export function withHistory(routes: readonly Route[], source: HistorySource): Route[] {
  return routes.map((each) => each.withHistory?.(source) ?? each)
}

export function route<
  Parameters extends TObject,
  Answer extends TSchema,
  Body extends TObject = NoBody,
>(given: Declaration<Parameters, Answer, Body>): Route {
  const { isOfHistory, ...plain } = given
  if (isOfHistory === undefined) return madeRoute(given)
  const declared = plain as Declaration<Parameters, Answer, Body>
  return {
    ...madeRoute(reportingHistory(declared, undefined)),
    withHistory: (source) => madeRoute(reportingHistory(declared, source)),
  }
}

function madeRoute<
  Parameters extends TObject,
  Answer extends TSchema,
  Body extends TObject = NoBody,
>(declared: Declaration<Parameters, Answer, Body>): Route {
  const write: Write = writerOf(declared.answer)
  const { cacheSeconds: lifetime = 0 } = declared
  let texted: Route | undefined
  const isEverybodys = declared.cacheSeconds !== undefined && declared.cacheBy === undefined
  return {
    ...declared,
    example: exampleOf(declared),
    errors: errorsOf(declared),
    withTextIntegers: () => {
      texted ??= textRoute(declared)
      return texted
    },
    named: (naming) => route({ ...declared, answer: namedSchema(declared.answer, naming) }),
    parse: parserOf(declared.parameters, pathParameters(declared.path)),
    ...(declared.body === undefined ? {} : { parseBody: bodyParserOf(declared.body) }),
    async respond(given, reading) {
      const { reader, signal, caller: requester, quota, feedPosition } = reading
      const parameters = given as Static<Parameters> & Static<Body>
      const caller = isEverybodys ? ANY_CALLER : requester
      const written = async (
        answering: Promise<Static<Answer>>,
        lasting: Promise<number> | undefined,
      ): Promise<Fresh> => {
        const [answer, seconds] = await Promise.all([answering, lasting])
        return { body: write(answer), seconds: seconds ?? secondsOf(lifetime, answer) }
      }
      try {
        if ('read' in declared) {
          return await readNear(declared, reading, (db) =>
            inOnePiece(db, () =>
              written(declared.read(parameters, db), readSeconds(lifetime, parameters, db)),
            ),
          )
        }
        if ('write' in declared) {
          const parts = await readNear(declared, reading, (db) => declared.write(parameters, db))
          return { body: parts.join(''), seconds: 0 }
        }
        const rest = {
          ...(quota === undefined || isEverybodys ? {} : { quota }),
          ...(feedPosition === undefined ? {} : { feedPosition }),
          near: <Result>(work: NearWork<Result>) => readNear(declared, reading, work),
        }
        const answering = declared.respond(parameters, { reader, signal, caller, ...rest })
        return await written(
          answering,
          isRead(lifetime) ? reader.run(signal, (db) => lifetime.read(parameters, db)) : undefined,
        )
      } catch (error) {
        throw toApiError(error)
      }
    },
    ...(declared.cacheSeconds === undefined ? {} : { cacheName: cacheNameOf(declared) }),
  }
}

/** Reads on a standby where there is one for the route; operators and checks of readiness see the primary. */
async function readNear<Result>(
  { path, access }: Pick<Described, 'path' | 'access'>,
  { reader, standbys, signal, feedPosition, onReadAge }: Reading,
  work: NearWork<Result>,
): Promise<Result> {
  const readFrom = (near: Reader, begin: Begin): Promise<Result> => {
    // Before the snapshot: an event between the two is then in both, and its reader skips it by its commit.
    const position = feedPosition?.()
    return near.run(signal, (db) => {
      const begun = begin()
      return work(db, begun === undefined ? position : begun.position)
    })
  }
  if (standbys === undefined || access !== undefined) return readFrom(reader, () => undefined)
  const { result, ageMs } = await standbys.run(path, readFrom, reader)
  onReadAge?.(ageMs)
  return result
}

/** The route with another schema of its answer, which writes it. */
function textRoute<Parameters extends TObject, Answer extends TSchema, Body extends TObject>(
  declared: Declaration<Parameters, Answer, Body>,
): Route {
  const answer = withTextIntegers(declared.answer)
  if (!('write' in declared)) return route({ ...declared, answer } as never)
  const { write, ...rest } = declared
  const read = async (parameters: Static<Parameters> & Static<Body>, db: Queryable) =>
    parseExact((await write(parameters, db)).join(''))
  return route({ ...rest, answer, read } as never)
}

/** An unknown parameter is refused on every route, also on those that have none. */
function errorsOf({ errors }: Pick<Described, 'errors'>): readonly ErrorCode[] {
  return errors.includes('INVALID_PARAM') ? errors : [...errors, 'INVALID_PARAM']
}

function exampleOf({ example }: { example: Example | Record<string, unknown> }): Example {
  return typeof example === 'function' ? example : () => example
}

function isRead<Parameters, Answer>(
  lifetime: Seconds<Parameters, Answer>,
): lifetime is Extract<Seconds<Parameters, Answer>, { read: unknown }> {
  return typeof lifetime === 'object' && 'read' in lifetime
}

function readSeconds<Parameters, Answer>(
  lifetime: Seconds<Parameters, Answer>,
  parameters: Parameters,
  db: Queryable,
): Promise<number> | undefined {
  return isRead(lifetime) ? lifetime.read(parameters, db) : undefined
}

/** Lifetime of a response without a read. */
function secondsOf<Answer>(lifetime: Seconds<never, Answer>, answer: Answer): number {
  if (typeof lifetime === 'number') return lifetime
  return 'ofAnswer' in lifetime ? lifetime.ofAnswer(answer) : 0
}

/** Characters of a hash that stand for the whole: 132 bits and more. */
const NAME_LENGTH = 22

/**
 * Path and validated parameters in one order, whatever the order and spelling of the query. The shape of
 * the answer is part of the name: two versions of the program side by side share nothing that differs.
 */
function cacheNameOf({
  path,
  answer,
  cacheBy = () => '',
}: {
  path: string
  answer: TSchema
  cacheBy?: (caller: Caller) => string
}): Required<Route>['cacheName'] {
  const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, NAME_LENGTH)
  const shape = digest(JSON.stringify(answer))
  return (parameters, caller) => {
    const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
    return `${path}:${digest(`${shape} ${cacheBy(caller)} ${writeExact(sorted)}`)}`
  }
}

export function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(PATH_PARAMETER), (match) => match[1] as string)
}

const LAST_PARAMETER = /\/\{\w+\}$/

/**
 * The paths of a route: its own, and its own without the last parameter where another route would read that as a
 * parameter (`/swaps/trader` as the signature "trader"). At the latter it responds that the parameter is required.
 */
export function pathsOf(
  { path }: Pick<Route, 'path'>,
  routes: readonly Pick<Route, 'path'>[],
): string[] {
  const bare = path.replace(LAST_PARAMETER, '')
  const parent = bare.slice(0, bare.lastIndexOf('/'))
  const isTaken =
    bare !== path &&
    routes.some((other) => other.path.replace(LAST_PARAMETER, '/{}') === `${parent}/{}`)
  return isTaken ? [path, bare] : [path]
}

/** The path as the router writes it: `/swaps/:signature`. */
export function routerPath(path: string): string {
  return path.replaceAll(PATH_PARAMETER, ':$1')
}
