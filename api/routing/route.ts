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
  Accepted,
  answeringAsOf,
  type Declaration,
  type Described,
  type Example,
  type NearReading,
  type NoBody,
  type Reading,
  reportingHistory,
  type Seconds,
} from './declaration.ts'
import { ApiError, type ErrorCode, toApiError } from './error.ts'
import { type Write, writeExact, writerOf } from './json.ts'
import { type Parse, parserOf } from './parameters.ts'
import { AS_OF_NAMES, type AsOfSource, refuseAsOf, statedMoment } from './reading/as-of.ts'
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
  /** Schema of the state that is sent with status 202 where the answer is not ready. */
  accepted?: TSchema
  parse: Parse
  /** The same route with texts instead of integers that a double may round, compiled once. */
  withTextIntegers: () => Pick<Route, 'answer' | 'respond' | 'cacheName'>
  /** Absent: no body is accepted. */
  parseBody?: ParseBody
  /** The same route, which reads from there what its declaration needs; absent: nothing. */
  withSources?: (sources: RouteSources) => Route
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

/** Since when the history is complete, and what a moment is. */
type RouteSources = { history: HistorySource; asOf: AsOfSource }

/** An uncached response: its JSON text, for how many seconds it may be cached, and whether it is not ready. */
export type Fresh = { body: string; seconds: number; isAccepted?: true }

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

/** The routes, where those of history and of moments read them from there. */
export function withSources(routes: readonly Route[], sources: RouteSources): Route[] {
  return routes.map((each) => each.withSources?.(sources) ?? each)
}

/** The routes, where those without the parameters of a moment refuse them, with the routes of their topic that have them. */
export function refusingAsOf(routes: readonly Route[]): Route[] {
  const able = routes.filter(hasAsOf)
  return routes.map((each) => {
    const { parse, parseBody, body } = each
    if (states(each.parameters)) {
      if (parseBody === undefined) return each
      return {
        ...each,
        parseBody(given) {
          expectIn('query', given)
          return parseBody(given)
        },
      }
    }
    if (body !== undefined && states(body)) {
      return {
        ...each,
        parse(given, nameOf) {
          expectIn('body', given)
          return parse(given, nameOf)
        },
      }
    }
    const others = able.filter(({ path }) => isOfTopic(path, each.path)).map(shownRoute)
    const refuse = (given: unknown): void => refuseAsOf(given, shownRoute(each), others)
    return {
      ...each,
      parse(given, nameOf) {
        refuse(given)
        return parse(given, nameOf)
      },
      ...(parseBody === undefined
        ? {}
        : {
            parseBody(given: unknown) {
              refuse(given)
              return parseBody(given)
            },
          }),
    }
  })
}

const hasAsOf = ({ parameters, body }: Route): boolean =>
  states(parameters) || (body !== undefined && states(body))

/** Whether it has the parameters of a moment. */
const states = ({ properties }: TObject): boolean =>
  AS_OF_NAMES.every((name) => Object.hasOwn(properties, name))

/** Throws ApiError where a moment is in the other part of a request. */
function expectIn(part: 'query' | 'body', given: unknown): void {
  const name = statedMoment(given)
  if (name !== undefined) throw new ApiError('INVALID_PARAM', `${name}: expected in the ${part}`)
}

/** Whether both are of one resource; a job of /v2/asof/{topic} is of every path with that topic. */
const isOfTopic = (able: string, path: string): boolean =>
  tagOf(able) === tagOf(path) ||
  (able.startsWith('/v2/asof/') && path.split('/').includes(able.slice('/v2/asof/'.length)))

const shownRoute = ({ method, path }: Route): string => `${(method ?? 'get').toUpperCase()} ${path}`

/** Paths of no resource. */
const OWN_PATHS = /^\/(?:healthz|readyz|version|credits|[\w.]+\.json)$/

/** The resource: `/v2/pnl/wallets/{wallet}/risk` has the tag pnl. */
export function tagOf(path: string): string {
  if (OWN_PATHS.test(path)) return 'service'
  const [, tag = 'service'] = path.replace(/^\/(?:api\/v1|v2|admin\/v1)(?=\/)/, '').split('/')
  return path.startsWith('/admin/') ? 'admin' : tag
}

export function route<
  Parameters extends TObject,
  Answer extends TSchema,
  Body extends TObject = NoBody,
>(given: Declaration<Parameters, Answer, Body>): Route {
  const { isOfHistory, readAsOf } = given
  if (isOfHistory === undefined && readAsOf === undefined) return madeRoute(given)
  const { isOfHistory: _, ...declared } = given
  // A moment may be earlier than all stored swaps.
  const errors = readAsOf ? [...given.errors, 'AS_OF_BEFORE_HISTORY'] : given.errors
  const plain = { ...declared, errors } as Declaration<Parameters, Answer, Body>
  const reporting = (history: HistorySource | undefined) =>
    isOfHistory === undefined ? plain : reportingHistory(plain, history)
  return {
    ...madeRoute(reporting(undefined)),
    withSources: ({ history, asOf }) =>
      madeRoute(
        answeringAsOf(reporting(history), asOf, isOfHistory === undefined ? undefined : history),
      ),
  }
}

function madeRoute<
  Parameters extends TObject,
  Answer extends TSchema,
  Body extends TObject = NoBody,
>(declared: Declaration<Parameters, Answer, Body>): Route {
  const write: Write = writerOf(declared.answer)
  const writeAccepted = declared.accepted && writerOf(declared.accepted)
  const { cacheSeconds: lifetime = 0 } = declared
  let texted: Route | undefined
  const isEverybodys = declared.cacheSeconds !== undefined && declared.cacheBy === undefined
  return {
    ...declared,
    example: exampleOf(declared),
    errors: errorsOf(declared),
    withTextIntegers: () => {
      texted ??= textRoute(declared)
      // Nothing else of it: what the route accepts and refuses stays its own.
      const { answer, respond, cacheName } = texted
      return { answer, respond, ...(cacheName === undefined ? {} : { cacheName }) }
    },
    named: (naming) => route({ ...declared, answer: namedSchema(declared.answer, naming) }),
    parse: parserOf(declared.parameters, pathParameters(declared.path)),
    ...(declared.body === undefined ? {} : { parseBody: bodyParserOf(declared.body) }),
    async respond(given, reading) {
      const { reader, signal } = reading
      const parameters = given as Static<Parameters> & Static<Body>
      const written = async (
        answering: Promise<Static<Answer> | Accepted>,
        lasting: Promise<number> | undefined,
      ): Promise<Fresh> => {
        const [answer, seconds] = await Promise.all([answering, lasting])
        if (answer instanceof Accepted) {
          if (writeAccepted === undefined) throw new TypeError('expected a schema of 202')
          return { body: writeAccepted(answer.state), seconds: 0, isAccepted: true }
        }
        return { body: write(answer), seconds: seconds ?? secondsOf(lifetime, answer) }
      }
      try {
        const near = nearReadingOf(declared, reading, isEverybodys)
        const past = await declared.respondAsOf?.(parameters, near)
        if (past !== undefined) {
          const { answer, asOf, seconds } = past
          return { body: write({ ...(answer as object), as_of: asOf } as never), seconds }
        }
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
        return await written(
          declared.respond(parameters, near),
          isRead(lifetime) ? reader.run(signal, (db) => lifetime.read(parameters, db)) : undefined,
        )
      } catch (error) {
        throw toApiError(error)
      }
    },
    ...(declared.cacheSeconds === undefined ? {} : { cacheName: cacheNameOf(declared) }),
  }
}

/** `isEverybodys`: the answer is the same for all callers, and none of them is named. */
function nearReadingOf(
  declared: Pick<Described, 'path' | 'access'>,
  reading: Reading,
  isEverybodys: boolean,
): NearReading {
  const { reader, signal, caller, quota, countMore, mayBegin, feedPosition } = reading
  return {
    ...{ reader, signal, caller: isEverybodys ? ANY_CALLER : caller },
    ...(quota === undefined || isEverybodys ? {} : { quota }),
    ...(countMore === undefined ? {} : { countMore }),
    ...(mayBegin === undefined ? {} : { mayBegin }),
    ...(feedPosition === undefined ? {} : { feedPosition }),
    near: (work) => readNear(declared, reading, work),
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
  cacheVersion = () => '',
}: {
  path: string
  answer: TSchema
  cacheBy?: (caller: Caller) => string
  cacheVersion?: (parameters: never) => string
}): Required<Route>['cacheName'] {
  const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, NAME_LENGTH)
  const shape = digest(JSON.stringify(answer))
  return (parameters, caller) => {
    const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
    const own = `${cacheBy(caller)} ${cacheVersion(parameters as never)}`
    return `${path}:${digest(`${shape} ${own} ${writeExact(sorted)}`)}`
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
