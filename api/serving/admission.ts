/** Passes an HTTP request through the gate, once; the response has the gate's headers (cors.ts). */
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Admission, AdmissionControl, Entry } from '../gateway/admission-control.ts'
import type { Carriers } from '../gateway/keys/authenticate.ts'
import { toApiError } from '../routing/error.ts'
import type { RequestState } from './access-log.ts'

type Entering = Pick<Context, 'req'> & { state: RequestState }
/** `pages`: public pages read the route, so that a visitor may request it without a key. */
type Access = 'key' | 'pages'

/**
 * Identifies the caller; the admission is in the state once it resolves. A request enters once: a second call returns
 * the entry of the first, or rejects as it did, and is not counted again. Rejects with ApiError.
 */
export function enter(
  context: Entering & Pick<Context, 'query'>,
  admissionControl: AdmissionControl,
  access: Access = 'key',
) {
  const { state } = context
  state.entry ??= begin(context, admissionControl, context.query.api_key, access)
  return state.entry
}

/** The visitor who opens a public page or picture. False: pages are not public. Rejects with ApiError. */
export async function passVisitor(
  { req, state }: Entering,
  admissionControl: AdmissionControl,
): Promise<boolean> {
  const visitor = admissionControl.visitorOf(req)
  if (visitor === undefined) return false
  await admit(state, visitor.enter().admission)
  return true
}

/** Resolves when the gate has admitted the request. Rejects with ApiError. */
export async function pass(
  context: Entering & Pick<Context, 'query'>,
  admissionControl: AdmissionControl,
): Promise<Admission> {
  return (await enter(context, admissionControl)).admission
}

/** Counts the request once more. Rejects with ApiError. */
export async function enterAgain(
  context: Entering & Pick<Context, 'query'>,
  admissionControl: AdmissionControl,
): Promise<Admission> {
  return (await begin(context, admissionControl, context.query.api_key)).admission
}

/** Same as `pass`, for a URL without a key: its query is not parsed. */
export async function passKnown(
  context: Entering,
  admissionControl: AdmissionControl,
  access: Access,
): Promise<Admission> {
  const { state } = context
  state.entry ??= begin(context, admissionControl, undefined, access)
  return (await state.entry).admission
}

async function begin(
  { req, state }: Entering,
  admissionControl: AdmissionControl,
  query: Carriers['query'],
  access: Access = 'key',
): Promise<Entry> {
  const { authorization, 'x-api-key': header } = req.headers
  try {
    const session = admissionControl.sessionKeyOf(req.headers)
    const carriers = { header: header as string | undefined, authorization, query, session }
    const entry =
      access === 'pages'
        ? await enterFromPage(req, carriers, admissionControl)
        : await admissionControl.enter(carriers)
    state.keyId = entry.caller.keyId
    return { ...entry, admission: admit(state, entry.admission) }
  } catch (error) {
    throw toApiError(error)
  }
}

/** Answers to visitors are parts of pages: search engines list the pages. */
async function enterFromPage(
  request: IncomingMessage,
  carriers: Carriers,
  admissionControl: AdmissionControl,
): Promise<Entry> {
  const { isVisitor, enter: count } = await admissionControl.identify(request, carriers)
  const entry = count()
  if (!isVisitor) return entry
  const unlisted = async (admission: Promise<Admission>): Promise<Admission> => {
    const admitted = await admission
    return { ...admitted, headers: { ...admitted.headers, 'X-Robots-Tag': 'noindex' } }
  }
  return { ...entry, admission: unlisted(entry.admission) }
}

async function admit(state: RequestState, admission: Promise<Admission>): Promise<Admission> {
  try {
    state.admission = await admission
    return state.admission
  } catch (error) {
    throw toApiError(error)
  }
}
