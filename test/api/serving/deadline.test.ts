/** The end of a request that began too late for its deadline: at once, as its error, and without a warning of Node. */
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import test from 'ava'
import { ApiError } from '../../../api/routing/error.ts'
import { endOf } from '../../../api/serving/handle-route.ts'

test('a request whose deadline has passed ends at once', async (t) => {
  const warnings: Error[] = []
  const note = (warning: Error): void => void warnings.push(warning)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const res = new EventEmitter() as unknown as ServerResponse
  const admission = new Promise<never>(() => {})
  const signal = endOf({ res }, { admission }, -2_000)
  if (!signal.aborted) await once(signal, 'abort')
  t.true(signal.reason instanceof ApiError)
  t.is(signal.reason.code, 'GATEWAY_TIMEOUT')
  // Warnings are reported in a later turn.
  await new Promise(setImmediate)
  t.deepEqual(warnings, [])
})
