/** Shared options of the operators' routes. */
import { explainRefusal, type Refusal } from '../../streams/ingest/refusal.ts'
import { ApiError, type ErrorCode } from '../routing/error.ts'

/** Actor recorded in the audit. */
export const BY = 'admin'

const errors: readonly ErrorCode[] = [
  'UNAUTHORIZED',
  'INVALID_PARAM',
  'UNAVAILABLE',
  'GATEWAY_TIMEOUT',
  'INTERNAL',
]
export const common = { access: 'operator', family: 'enveloped', errors } as const
/** FORBIDDEN: with the session of a browser, from a page of another origin. */
export const changing = {
  ...common,
  method: 'post',
  errors: [...errors, 'FORBIDDEN', 'NOT_FOUND'],
} as const

/** Renders refusals of the ingest contract as an API error. */
export function refusalOf(refusals: readonly Refusal[]): ApiError {
  return new ApiError('INVALID_PARAM', refusals.map(explainRefusal).join('; '))
}
