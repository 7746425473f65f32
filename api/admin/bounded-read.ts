/** A read of another server that never rejects and ends within a bound, for figures that may be left out. */

/** Milliseconds that a scrape, or a sample, waits for another server. */
const ANSWER_BOUND_MS = 3_000

/** Undefined where the read fails or takes too long. */
export async function boundedRead<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ANSWER_BOUND_MS)
  try {
    return await Promise.race([read(), late.promise])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
