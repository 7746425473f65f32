/**
 * A request of HTTP through the gate, once, with what its answer tells of that.
 */
import type { Context } from 'koa'
import type { RequestState } from './access-line.ts'
import { toApiError } from './error.ts'
import type { Carriers } from './gateway/authenticate.ts'
import type { Admission, Gate } from './gateway/gate.ts'

type Passing = Pick<Context, 'req' | 'res' | 'query'> & { state: RequestState }

/** Rejects with ApiError. Who was let in before is let in. */
export async function pass(context: Passing, gate: Gate): Promise<Admission> {
  return context.state.admission ?? admit(context, gate, context.query.api_key)
}

/** The same for a URL that is known to hold no key. */
export async function passPlain(context: Passing, gate: Gate): Promise<Admission> {
  return admit(context, gate, undefined)
}

async function admit(
  { req, res, state }: Passing,
  gate: Gate,
  query: Carriers['query'],
): Promise<Admission> {
  const { authorization, 'x-api-key': header } = req.headers
  try {
    const carriers = { header: header as string | undefined, authorization, query }
    const admission = await gate.admit(carriers)
    state.admission = admission
    state.keyId = admission.caller.keyId
    for (const name in admission.headers) res.setHeader(name, admission.headers[name] as string)
    return admission
  } catch (fault) {
    throw toApiError(fault)
  }
}
