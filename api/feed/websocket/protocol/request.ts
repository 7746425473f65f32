/**
 * Parses and validates a frame of a client. Pure.
 *
 * Invariant: for any input the result is a request of the schema or a thrown FeedError, and no field is used before it
 * is validated.
 */
import { Ajv, type ErrorObject } from 'ajv'
import { OWN_SCHEMA } from '../../../../domain/own-schema.ts'
import { cut } from '../../../../domain/text/truncate.ts'
import { unknownAmong, unknownText } from '../../../routing/unknown-names.ts'
import { FeedError } from '../../feed-error.ts'
import { EXPECTED, type Op, REQUESTS, type Request } from './schema.ts'

/** Maximum nesting: deeper than any valid request, and far below a stack overflow. */
const DEPTH_MAX = 16

// strictNumbers refuses 1e400, which JSON.parse reads as Infinity and which cannot be written back.
const ajv = new Ajv({ ...OWN_SCHEMA, strict: false, strictNumbers: true })
const OPS = Object.keys(REQUESTS).join(' ')

const FROM_FIELDS = ['cursor', 'slot']

/** Fields of a frame that are echoed in its answer or error. */
export type Echo = { id?: string | number; sub?: string }

/** Throws FeedError; `echoOf` returns the fields to echo with it. */
export function readRequest(text: string): Request {
  const given = readObject(text)
  const op = given.op
  if (op === undefined) throw new FeedError('BAD_REQUEST', `op is required: one of ${OPS}`)
  if (typeof op !== 'string') {
    throw new FeedError('BAD_REQUEST', `op "${shown(op)}": expected one of ${OPS}`)
  }
  if (!Object.hasOwn(REQUESTS, op)) {
    throw new FeedError('UNKNOWN_OP', `unknown op "${cut(op)}": use one of ${OPS}`)
  }
  const schema = REQUESTS[op as Op]
  expectFields('field', given, Object.keys(schema.properties))
  expectFields('field of from', given.from, FROM_FIELDS)
  // Compiled for the first request of its operation; ajv caches by schema.
  const validate = ajv.compile(schema)
  if (!validate(given)) throw refusalOf(given, validate.errors?.[0])
  return given as Request
}

/** Throws FeedError for the first unknown field: a client must not believe that an ignored field has an effect. */
function expectFields(kind: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return
  const [name] = unknownAmong(Object.keys(given), known)
  if (name !== undefined) throw new FeedError('BAD_REQUEST', unknownText(kind, name, known))
}

/** Error for the first invalid top-level field, with its whole value, so that it shows an error within `from`. */
function refusalOf(given: Record<string, unknown>, error: ErrorObject | undefined): FeedError {
  const [field] = (error?.instancePath ?? '').split('/').slice(1)
  const name = field ?? String(error?.params.missingProperty)
  const value = given[name]
  const failed = value === undefined ? `${name} is required` : `${name} "${shown(value)}"`
  return new FeedError('BAD_REQUEST', `${failed}: expected ${EXPECTED[name]}`)
}

function shown(value: unknown): string {
  return cut(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** The id and name of a frame, if they are readable. */
export function echoOf(text: string): Echo {
  try {
    const { id, sub } = readObject(text)
    const isId = (typeof id === 'string' && id.length <= 64) || Number.isSafeInteger(id)
    return {
      ...(isId ? { id: id as string | number } : {}),
      ...(typeof sub === 'string' && sub.length <= 64 ? { sub } : {}),
    }
  } catch {
    return {}
  }
}

function readObject(text: string): Record<string, unknown> {
  if (depthOf(text) > DEPTH_MAX) {
    throw new FeedError('BAD_JSON', `nested deeper than ${DEPTH_MAX}`)
  }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new FeedError('BAD_JSON', 'frame: expected JSON')
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new FeedError('BAD_REQUEST', 'expected an object')
  }
  return given as Record<string, unknown>
}

/** Nesting depth of brackets outside of strings. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isText) {
      if (code === 0x5c) at++
      else if (code === 0x22) isText = false
    } else if (code === 0x22) isText = true
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x7d || code === 0x5d) depth--
  }
  return deepest
}
