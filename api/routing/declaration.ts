/** The declaration of a route: what it states, and the handler that it gives. `route.ts` makes a route of it. */
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Queryable } from '../../sql/driver/queryable.ts'
import type { FeedPosition } from '../../streams/feed/published-commits.ts'
import type { ExampleMarket } from '../examples/market.ts'
import type { Caller, Quota } from './caller.ts'
import type { ErrorCode, Family } from './error.ts'
import {
  type AsOfFound,
  type AsOfReading,
  type AsOfSource,
  type AsOfWanted,
  asOfWanted,
} from './reading/as-of.ts'
import type { Near } from './reading/feed-list.ts'
import {
  addHistory,
  type HistorySource,
  historyUntil,
  withHistoryFields,
} from './reading/history.ts'
import type { Reader } from './reading/reader.ts'
import type { Standbys } from './reading/standbys.ts'

/** Properties of a route for the OpenAPI document and the gateway. */
export type Described = {
  /** With path parameters in braces: `/swaps/{signature}`. */
  path: `/${string}`
  /**
   * Name of the operation in the OpenAPI document and of its function in generated clients: a verb and a noun in camelCase
   * (`listSwaps`), unique and never changed.
   */
  operationId: string
  /** Field of Query in GraphQL. Absent: named after the path. */
  graphqlField?: string
  /** A second field of Query: the same of all time, for a route with the parameter `window`. Absent: none. */
  graphqlAllTime?: { field: string; description: string }
  /** Position in the list of MCP's tools: ascending, the more general first. Absent: no tool. */
  tool?: { listedAt: number }
  /**
   * Description of the path's tag in the OpenAPI document, and its position in the list. One route of a tag declares it.
   */
  topic?: { listedAt: number; description: string }
  /** Absent: GET. */
  method?: 'post' | 'put' | 'delete'
  /** The pages read it: an installation with public pages serves it without a key. */
  isOnPages?: true
  /** public: without a key; operator: with the operators' key only. */
  access?: 'public' | 'operator'
  family: Family
  summary: string
  description?: string
  /** How many times the deadline of a request it may take. Absent: once. */
  deadlines?: number
  /** Whether its figures fold all that is indexed: its answer then states from which slot on that is complete. */
  isOfHistory?: true
  /** Besides those of every route with a key. */
  errors: readonly ErrorCode[]
  /** Property of the answer that holds its rows as CSV; absent: its only array of objects; null: it is no list. */
  rows?: string | null
}

/** Parameters of an example request, those of a body included, that has an answer in this market. */
export type Example = (market: ExampleMarket) => Record<string, unknown>

/** Dependencies of a handler that needs more than one connection. */
export type Reading = {
  reader: Reader
  /** Serve routes that read with one connection; absent: the primary serves all. */
  standbys?: Standbys
  /** Called with the age of the data that was read, in milliseconds at most. */
  onReadAge?: (ageMs: number) => void
  signal: AbortSignal
  caller: Caller
  /**
   * After this request, when the gateway has admitted it; undefined: nothing is counted against the caller. Never with
   * a response that is cached.
   */
  quota?: () => Promise<Quota | undefined>
  /** Counts the request so many times more in the rate limit; absent: nothing is counted. Rejects with ApiError. */
  countMore?: (times: number) => Promise<void>
  /** The transport may begin work that outlives the request: REST. */
  mayBegin?: true
  /** How far FEED is read; absent, or without an answer: this process has no FEED. */
  feedPosition?: () => FeedPosition | undefined
}

/** With the route's own way to a connection of a standby, or else of the primary. */
export type NearReading = Reading & {
  near: Near
}

/** An answer that is not ready: status 202, with its state by the schema `accepted` of the route. */
export class Accepted {
  readonly state: object

  constructor(state: object) {
    this.state = state
  }
}

/** A body without a field. */
export type NoBody = TObject<Record<never, never>>

export type Seconds<Parameters, Answer> =
  | number
  | { ofAnswer(answer: Answer): number }
  | { read(parameters: Parameters, db: Queryable): Promise<number> }

export type Declaration<
  Parameters extends TObject,
  Answer extends TSchema,
  Body extends TObject = NoBody,
> = Described & {
  /**
   * Example request of the documents; a record where it names nothing of a market. `npm run examples` records its
   * answer.
   */
  example: Example | Record<string, unknown>
  /** Parameters of the path and the query. */
  parameters: Parameters
  /** Fields of a JSON body, which a handler gets in addition to the parameters: a POST that reads. Absent: no body is accepted. */
  body?: Body
  answer: Answer
  /** Schema of the state that is sent with status 202 where the answer is not ready. */
  accepted?: TSchema
  /**
   * Seconds that a response is cached and shared by all callers of the same request, counted from before its read
   * began; absent: every request reads. They may depend on the response, or are read with it.
   */
  cacheSeconds?: Seconds<Static<Parameters>, Static<Answer>>
  /**
   * Part of the cache key that depends on the caller: callers with different values share no cached response.
   * Absent: the response is shared by all callers, and the handler gets ANY_CALLER.
   */
  cacheBy?: (caller: Caller) => string
  /** Part of the cache key that changes with what is stored. Made from `readAsOf`. */
  cacheVersion?: (parameters: Static<Parameters> & Static<Body>) => string
  /** The same answer by the stored events up to a slot. Absent: the route refuses `as_of_slot` and `as_of_time`. */
  readAsOf?: (
    parameters: Static<Parameters> & Static<Body>,
    past: AsOfReading,
  ) => Promise<Static<Answer>>
  /** Answers a request for a moment; undefined: the request is for now. Made from `readAsOf`. */
  respondAsOf?: (
    parameters: Static<Parameters> & Static<Body>,
    reading: NearReading,
  ) => Promise<AsOfFound<Static<Answer>>> | undefined
} & (
    | {
        /** Reads on a connection that lives as long as the request's deadline. */
        read: (
          parameters: Static<Parameters> & Static<Body>,
          db: Queryable,
        ) => Promise<Static<Answer>>
      }
    | {
        /** Answers without the database, or takes connections as it needs them. */
        respond: (
          parameters: Static<Parameters> & Static<Body>,
          reading: NearReading,
        ) => Promise<Static<Answer> | Accepted>
      }
    | {
        /** Reads like `read`, and writes what the answer's schema would, in parts: for answers of thousands of rows. */
        write: (parameters: Static<Parameters>, db: Queryable) => Promise<string[]>
        cacheSeconds?: never
      }
  )

/** The declaration with the fields of history in its answer, absent without a source. */
export function reportingHistory<
  Parameters extends TObject,
  Answer extends TSchema,
  Body extends TObject,
>(
  declared: Declaration<Parameters, Answer, Body>,
  source: HistorySource | undefined,
): Declaration<Parameters, Answer, Body> {
  const answer = withHistoryFields(declared.answer)
  if (source === undefined) return { ...declared, answer }
  if ('read' in declared) {
    const { read } = declared
    return {
      ...declared,
      answer,
      async read(parameters, db) {
        const [own, history] = await Promise.all([
          read(parameters, db),
          source.cached() ?? source.read(db),
        ])
        addHistory(own, history)
        return own
      },
    }
  }
  if ('write' in declared) throw new TypeError(`${declared.path}: expected an answer that is read`)
  const { respond } = declared
  return {
    ...declared,
    answer,
    async respond(parameters, reading) {
      const own = await respond(parameters, reading)
      if (own instanceof Accepted) return own
      const { reader, signal } = reading
      addHistory(own, source.cached() ?? (await reader.run(signal, (db) => source.read(db))))
      return own
    },
  }
}

/** The declaration with the parameters of a moment, the fields of `history` where it has them, and the field `as_of` of answers to them. */
export function answeringAsOf<
  Parameters extends TObject,
  Answer extends TSchema,
  Body extends TObject,
>(
  { readAsOf, ...declared }: Declaration<Parameters, Answer, Body>,
  source: AsOfSource,
  history: HistorySource | undefined,
): Declaration<Parameters, Answer, Body> {
  if (readAsOf === undefined) return declared as Declaration<Parameters, Answer, Body>
  const { parameters, answer } = declared
  const { properties } = answer as unknown as TObject
  const asOf = { as_of: Type.Optional(source.schema) }
  return {
    ...declared,
    parameters: { ...parameters, properties: { ...parameters.properties, ...source.parameters } },
    answer: { ...answer, properties: { ...properties, ...asOf } },
    cacheVersion: (given: AsOfWanted) => {
      const wanted = asOfWanted(given)
      return wanted === undefined ? '' : source.version(wanted)
    },
    respondAsOf(given, { near, reader, signal }) {
      const { as_of_slot, as_of_time, ...own } = given as AsOfWanted & Static<Parameters>
      const wanted = asOfWanted(given as AsOfWanted)
      if (wanted === undefined) return undefined
      return source.read(wanted, { near, signal, walkMs: reader.walkMs }, async (past) => {
        const [found, fields] = await Promise.all([
          readAsOf(own as Static<Parameters> & Static<Body>, past),
          history && historyUntil(history, past),
        ])
        if (fields !== undefined) addHistory(found, fields)
        return found
      })
    },
  } as Declaration<Parameters, Answer, Body>
}
