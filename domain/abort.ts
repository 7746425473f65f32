/** The work's outcome, or the signal's reason as soon as it is aborted: the work itself continues. */
export async function endedBy<Answer>(signal: AbortSignal, work: Promise<Answer>): Promise<Answer> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
