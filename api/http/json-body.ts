/**
 * Reads a request body as JSON, integers exactly.
 *
 * ```
 * Content-Type, Content-Encoding (415) -> bytes -> JSON (400)
 * ```
 */
import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { parseExact } from '../../domain/text/exact-json.ts'
import { ApiError } from '../routing/error.ts'
import { shown } from '../routing/parameters.ts'
import { BODY_BYTES_MAX } from './body-limit.ts'

const BODY_TYPE = 'application/json'

/** `form` is named where the body is empty. Rejects with ApiError. */
export async function readJsonBody(context: Context, form: string): Promise<unknown> {
  expectJsonType(context)
  const encoding = context.get('Content-Encoding')
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw unsupported(`Content-Encoding "${shown(encoding)}": expected a body as it is`)
  }
  const options = { limit: BODY_BYTES_MAX, encoding: 'utf8' }
  const text = await getRawBody(context.req, options).catch(refuseBody)
  if (text.trim() === '') {
    throw new ApiError('MISSING_PARAM', `the body is empty: expected ${form}`)
  }
  return jsonOf('the body', text)
}

export function expectJsonType({ request }: Context): void {
  const type = request.type.trim()
  if (type.toLowerCase() === BODY_TYPE) return
  throw type === ''
    ? unsupported(`Content-Type is missing: expected ${BODY_TYPE}`)
    : unsupported(`Content-Type "${shown(type)}": expected ${BODY_TYPE}`)
}

/** Throws ApiError with the name of what is no JSON. */
export function jsonOf(name: string, text: string): unknown {
  try {
    return parseExact(text)
  } catch (cause) {
    throw new ApiError('INVALID_PARAM', `${name}: expected JSON`, { cause })
  }
}

function unsupported(text: string): ApiError {
  return new ApiError('INVALID_PARAM', text, { status: 415 })
}

function refuseBody(error: { type?: string }): never {
  const isLarge = error.type === 'entity.too.large'
  const text = isLarge ? `expected at most ${BODY_BYTES_MAX} bytes` : 'expected all of it in UTF-8'
  throw new ApiError('INVALID_PARAM', `the body: ${text}`, { cause: error })
}
