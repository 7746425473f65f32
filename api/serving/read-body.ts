/** Reads a route for another protocol than REST: the same response, from the same cache. */
import type { Cache } from '../gateway/cache/cache.ts'
import type { Reading } from '../routing/declaration.ts'
import { ApiError } from '../routing/error.ts'
import type { Route } from '../routing/route.ts'

/** The response as JSON text, cached if its route caches. Rejects with ApiError. */
export async function readBody(
  route: Pick<Route, 'respond' | 'cacheName'>,
  parameters: Record<string, unknown>,
  reading: Reading,
  cache: Cache,
): Promise<string> {
  const fresh = (signal: AbortSignal) => route.respond(parameters, { ...reading, signal })
  const name = route.cacheName?.(parameters, reading.caller)
  const { signal } = reading
  if (name === undefined) {
    const { body, isAccepted } = await fresh(signal)
    if (isAccepted) throw new ApiError('UNAVAILABLE', `the answer is not ready: ${body}`)
    return body
  }
  return (await cache.through(name, signal, fresh)).cached.body
}
