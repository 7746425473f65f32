/**
 * A request of HTTP through the gate, once, with what its answer tells of that.
 */
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { RequestState } from './access-line.ts'
import { toApiError } from './error.ts'
import type { Carriers } from './gateway/authenticate.ts'
import type { Admission, Gate } from './gateway/gate.ts'

type Passing = { req: IncomingMessage; state: RequestState }

/** Once a request, with the headers of its answer. Rejects with ApiError, a second time as the first. */
export async function pass(
  context: Passing & Pick<Context, 'res' | 'query'>,
  gate: Gate,
): Promise<Admission> {
  const { res, state } = context
  if (state.refusal !== undefined) throw state.refusal
  const admission = state.admission ?? (await admit(context, gate, context.query.api_key))
  for (const name in admission.headers) res.setHeader(name, admission.headers[name] as string)
  return admission
}

/** For a URL that is known to hold no key; the headers are the caller's to tell. Rejects with ApiError. */
export function passPlain(context: Passing, gate: Gate): Promise<Admission> {
  return admit(context, gate, undefined)
}

async function admit(
  { req, state }: Passing,
  gate: Gate,
  query: Carriers['query'],
): Promise<Admission> {
  const { authorization, 'x-api-key': header } = req.headers
  try {
    const carriers = { header: header as string | undefined, authorization, query }
    const admission = await gate.admit(carriers)
    state.admission = admission
    state.keyId = admission.caller.keyId
    return admission
  } catch (fault) {
    throw toApiError(fault)
  }
}
