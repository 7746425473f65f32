/**
 * How an answer writes integers that a double may round: exactly as JSON numbers, or as texts of digits for clients whose
 * JSON parser rounds. A request chooses by `int64=string`, in its query or its header Int64; the feed has the same name.
 *
 * The form of numbers costs nothing: the other has a writer of its own, compiled with the first request for it, and its
 * own cached responses.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../routing/error.ts'
import { shown, textOf } from '../routing/parameters.ts'

const INTEGER_FORMS = ['number', 'string'] as const
export type IntegerForm = (typeof INTEGER_FORMS)[number]

/** Throws INVALID_PARAM for an unknown form, and where query and header contradict each other. */
export function integerFormOf(
  query: Record<string, unknown>,
  { int64: header }: IncomingHttpHeaders,
): IntegerForm {
  if (header === undefined && query.int64 === undefined) return 'number'
  const fromQuery = textOf('int64', query.int64)
  const found = fromQuery ?? String(header)
  const form = INTEGER_FORMS.find((each) => each === found)
  if (form === undefined) {
    const text = `int64 "${shown(found)}": use one of ${INTEGER_FORMS.join(' ')}`
    throw new ApiError('INVALID_PARAM', text)
  }
  if (header === undefined || header === form) return form
  throw new ApiError('INVALID_PARAM', 'int64: query and header differ, give one of them')
}
