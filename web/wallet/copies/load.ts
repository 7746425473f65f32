/** The back-test of the panel: answered at once, or computed by a job whose progress is reported meanwhile. */
import type { CopyBacktest, CopyBacktestJob } from '../../../clients/typescript/generated.ts'
import { get, type Parameters } from '../../client/request.ts'

/** Trades that the panel shows. */
const TRADES_SHOWN = 25
const POLL_MS = 1_000

/** Rejects with Problem, or with the reason of the signal. */
export async function loadCopies(
  parameters: Parameters<'copyBacktest'>,
  signal: AbortSignal,
  onProgress: (job: CopyBacktestJob | undefined) => void,
): Promise<CopyBacktest> {
  const given = { ...parameters, trades_limit: TRADES_SHOWN }
  let found = await get('copyBacktest', given, signal)
  while (!('runs' in found)) {
    onProgress(found)
    await pause(signal)
    found = await get('getBacktest', { id: found.id, limit: TRADES_SHOWN }, signal)
  }
  onProgress(undefined)
  return found
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, POLL_MS)
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
