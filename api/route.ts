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
import { writerOf } from './json.ts'
import { type Parse, parserOf } from './parameters.ts'
import type { Reader } from './reader.ts'

export type Declaration<Parameters extends TObject, Answer extends TSchema> = {
  /** With path parameters in braces: `/swaps/{signature}`. */
  path: `/${string}`
  family: Family
  summary: string
  description?: string
  parameters: Parameters
  answer: Answer
  /** Besides those of every route with a key. */
  errors: readonly ErrorCode[]
  /** Of the parameters, for the document. */
  example: Record<string, unknown>
  read: (parameters: Static<Parameters>, db: Queryable) => Promise<Static<Answer>>
}

/** Parameters as text, as they came, by name. */
export type Given = Record<string, unknown>

export type Route = Omit<Declaration<TObject, TSchema>, 'read'> & {
  parse: Parse
  /** The answer as JSON text. */
  respond: (parameters: Record<string, unknown>, reader: Reader, signal: AbortSignal) => Promise<string>
}

const PATH_PARAMETER = /\{(\w+)\}/g

export function route<Parameters extends TObject, Answer extends TSchema>(
  declared: Declaration<Parameters, Answer>,
): Route {
  const { read, ...described } = declared
  const write = writerOf(declared.answer)
  return {
    ...described,
    parse: parserOf(declared.parameters),
    async respond(parameters, reader, signal) {
      try {
        const answer = await reader.run(signal, (db) => read(parameters as Static<Parameters>, db))
        return write(answer)
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
