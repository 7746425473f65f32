/** Passes an HTTP request through the gate, once; the response has the gate's headers (cors.ts). */
import type { Context } from 'koa'
import type { Admission, AdmissionControl, Entry } from '../gateway/admission-control.ts'
import { toApiError } from '../routing/error.ts'
import type { RequestState } from './access-log.ts'

type Entering = Pick<Context, 'req' | 'query'> & { state: RequestState }

/**
 * Identifies the caller; the admission is in the state once it resolves. A request that was admitted
 * before is not counted again. Rejects with ApiError.
 */
export async function enter(context: Entering, gate: AdmissionControl): Promise<Entry> {
  const { req, state } = context
  if (state.admission !== undefined) {
    const { caller } = state.admission
    return { caller, hasRoom: true, admission: Promise.resolve(state.admission) }
  }
  const { authorization, 'x-api-key': header } = req.headers
  try {
    const { api_key: query } = context.query
    const session = gate.sessionKeyOf(req.headers)
    const carriers = { header: header as string | undefined, authorization, query, session }
    const entry = await gate.enter(carriers)
    state.keyId = entry.caller.keyId
    return { ...entry, admission: admit(state, entry.admission) }
  } catch (error) {
    throw toApiError(error)
  }
}

/** Resolves when the gate has admitted the request. Rejects with ApiError. */
export async function pass(context: Entering, gate: AdmissionControl): Promise<Admission> {
  return (await enter(context, gate)).admission
}

async function admit(state: RequestState, admission: Promise<Admission>): Promise<Admission> {
  try {
    state.admission = await admission
    return state.admission
  } catch (error) {
    throw toApiError(error)
  }
}
