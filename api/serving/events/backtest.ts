/** GET /v2/backtest/{id}/events: the progress of a back-test as server-sent events. */
import { Readable } from 'node:stream'
import Router from '@koa/router'
import type { Context } from 'koa'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import type { AdmissionControl } from '../../gateway/admission-control.ts'
import { backtestEvents, isSeen } from '../../resources/backtest/jobs/events.ts'
import { ofJob } from '../../resources/backtest/jobs/schema.ts'
import { findJob } from '../../resources/backtest/jobs/store.ts'
import { ApiError } from '../../routing/error.ts'
import { parserOf } from '../../routing/parameters.ts'
import type { Reader } from '../../routing/reading/reader.ts'
import { enter } from '../admission.ts'

type EventsDeps = {
  reader: Reader
  admissionControl: AdmissionControl
  /** Milliseconds that a read may take. */
  deadlineMs: number
  ending?: AbortSignal
}

const EVENTS_PATH = '/v2/backtest/{id}/events'
const parse = parserOf(ofJob, ['id'])
const LAST_ID = /^\d{1,9}$/

export function backtestEventsRouter({
  reader,
  admissionControl,
  deadlineMs,
  ending,
}: EventsDeps): Router {
  const router = new Router()
  router.get('/v2/backtest/:id/events', async (context) => {
    context.state.family = 'enveloped'
    context.state.route = EVENTS_PATH
    const { caller, admission } = await enter(context as never, admissionControl)
    await admission
    reader.history.assertRetained()
    const { id } = parse({ ...context.query, id: context.params.id }) as { id: string }
    const { lineage } = caller
    const run = <Result>(work: (db: Queryable) => Promise<Result>): Promise<Result> =>
      reader.run(AbortSignal.timeout(deadlineMs), work)
    const row = await run((db) => findJob(db, id, lineage))
    if (row === undefined) throw new ApiError('NOT_FOUND', `back-test "${id}" not found`)
    const after = lastIdOf(context)
    context.set('Cache-Control', 'no-store')
    if (isSeen(row, after)) {
      // A client of events does not connect again after this status.
      context.status = 204
      return
    }
    const closed = new AbortController()
    context.res.once('close', () => closed.abort())
    const signal = AbortSignal.any([closed.signal, ...(ending === undefined ? [] : [ending])])
    context.type = 'text/event-stream'
    // Proxies that buffer would send all events at the end.
    context.set('X-Accel-Buffering', 'no')
    context.body = Readable.from(backtestEvents({ id, lineage, after, run, signal }))
  })
  return router
}

/** Last-Event-ID; -1 without one. Throws ApiError. */
function lastIdOf(context: Context): number {
  const given = context.get('Last-Event-ID')
  if (given === '') return -1
  if (LAST_ID.test(given)) return Number(given)
  throw new ApiError('INVALID_PARAM', 'Last-Event-ID: expected the id of an event of this path')
}
