/**
 * A route, declared once: path, parameters, answer, family, errors, and the read behind it. The
 * declaration validates requests, writes answers and becomes the OpenAPI document.
 *
 * A handler never sees HTTP: it gets parameters of the schema's types and returns a value of the
 * answer's. What it throws is rendered by error.ts.
 */
import type { Static, TObject, TSchema } from 'typebox'
import type { Queryable } from '../sql/db.ts'
import { type ErrorCode, type Family, toApiError } from './error.ts'
import { type Write, writerOf } from './json.ts'
import { type Parse, parserOf } from './parameters.ts'
import type { Reader } from './reader.ts'

/** What the document and the edge know of a route. */
type Described = {
  /** With path parameters in braces: `/swaps/{signature}`. */
  path: `/${string}`
  /** public: without a key. */
  access?: 'public'
  family: Family
  summary: string
  description?: string
  /** Besides those of every route with a key. */
  errors: readonly ErrorCode[]
  /** Of the parameters, for the document. */
  example: Record<string, unknown>
}

/** What a handler that needs more than one connection works with. */
export type Reading = { reader: Reader; signal: AbortSignal }

export type Declaration<Parameters extends TObject, Answer extends TSchema> = Described & {
  parameters: Parameters
  answer: Answer
} & (
    | {
        /** Reads on a connection that lives as long as the request's deadline. */
        read: (parameters: Static<Parameters>, db: Queryable) => Promise<Static<Answer>>
      }
    | {
        /** Answers without the database, or takes connections as it needs them. */
        respond: (parameters: Static<Parameters>, reading: Reading) => Promise<Static<Answer>>
      }
  )

export type Route = Described & {
  parameters: TObject
  answer: TSchema
  parse: Parse
  /** The answer as JSON text. Rejects with ApiError. */
  respond: (
    parameters: Record<string, unknown>,
    reader: Reader,
    signal: AbortSignal,
  ) => Promise<string>
}

const PATH_PARAMETER = /\{(\w+)\}/g

export function route<Parameters extends TObject, Answer extends TSchema>(
  declared: Declaration<Parameters, Answer>,
): Route {
  const write: Write = writerOf(declared.answer)
  return {
    ...declared,
    parse: parserOf(declared.parameters),
    async respond(given, reader, signal) {
      const parameters = given as Static<Parameters>
      try {
        return write(
          'read' in declared
            ? await reader.run(signal, (db) => declared.read(parameters, db))
            : await declared.respond(parameters, { reader, signal }),
        )
      } catch (fault) {
        throw toApiError(fault)
      }
    },
  }
}

export function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(PATH_PARAMETER), (match) => match[1] as string)
}

/** The path as the router writes it: `/swaps/:signature`. */
export function routerPath(path: string): string {
  return path.replaceAll(PATH_PARAMETER, ':$1')
}
