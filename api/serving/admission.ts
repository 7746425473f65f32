/**
 * A request of HTTP through the gate, once, with what its answer tells of that.
 */
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Admission, AdmissionControl, Entry } from '../gateway/admission-control.ts'
import type { Carriers } from '../gateway/keys/authenticate.ts'
import { toApiError } from '../routing/error.ts'
import type { RequestState } from './access-log.ts'

type Passing = { req: IncomingMessage; state: RequestState }
type Answering = Passing & Pick<Context, 'res' | 'query'>

/**
 * Once a request: who asks, and an `admission` behind which the answer has its headers. Rejects with ApiError, a
 * second time as the first.
 */
export async function enter(context: Answering, gate: AdmissionControl): Promise<Entry> {
  const { state } = context
  if (state.refusal !== undefined) throw state.refusal
  const { caller, hasRoom, admission } =
    state.admission === undefined
      ? await begin(context, gate, context.query.api_key)
      : { caller: state.admission.caller, hasRoom: true, admission: state.admission }
  return { caller, hasRoom, admission: withHeaders(context, admission) }
}

/** Once a request, with the headers of its answer. Rejects with ApiError, a second time as the first. */
export async function pass(context: Answering, gate: AdmissionControl): Promise<Admission> {
  return (await enter(context, gate)).admission
}

/** For a URL that is known to hold no key; the headers are the caller's to tell. Rejects with ApiError. */
export async function passPlain(context: Passing, gate: AdmissionControl): Promise<Admission> {
  return (await begin(context, gate, undefined)).admission
}

async function withHeaders(
  { res }: Answering,
  admission: Admission | Promise<Admission>,
): Promise<Admission> {
  const admitted = await admission
  for (const name in admitted.headers) res.setHeader(name, admitted.headers[name] as string)
  return admitted
}

async function begin(
  { req, state }: Passing,
  gate: AdmissionControl,
  query: Carriers['query'],
): Promise<Entry> {
  const { authorization, 'x-api-key': header } = req.headers
  try {
    const entry = await gate.enter({ header: header as string | undefined, authorization, query })
    state.keyId = entry.caller.keyId
    return { ...entry, admission: remembered(state, entry.admission) }
  } catch (fault) {
    throw toApiError(fault)
  }
}

async function remembered(state: RequestState, admission: Promise<Admission>): Promise<Admission> {
  try {
    state.admission = await admission
    return state.admission
  } catch (fault) {
    throw toApiError(fault)
  }
}
