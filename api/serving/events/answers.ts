/** `/events` of questions that jobs answer, such as /v2/backtest/{id}/events: their progress as server-sent events. */
import { Readable } from 'node:stream'
import Router from '@koa/router'
import type { Context } from 'koa'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import type { AdmissionControl } from '../../gateway/admission-control.ts'
import { BACKTEST_EVENTS } from '../../resources/backtest/jobs/events.ts'
import { ofJob } from '../../resources/backtest/jobs/schema.ts'
import { RANKING_EVENTS } from '../../resources/leaderboard/past/store.ts'
import { answerEvents, type EventsOfKind, isSeen } from '../../resources/stored-answers/events.ts'
import type { StoredRow } from '../../resources/stored-answers/store.ts'
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

const parse = parserOf(ofJob, ['id'])
const LAST_ID = /^\d{1,9}$/

export function answerEventsRouter(deps: EventsDeps): Router {
  const router = new Router()
  addEvents(router, BACKTEST_EVENTS, deps)
  addEvents(router, RANKING_EVENTS, deps)
  return router
}

function addEvents<Row extends StoredRow>(
  router: Router,
  kind: EventsOfKind<Row>,
  { reader, admissionControl, deadlineMs, ending }: EventsDeps,
): void {
  router.get(`${kind.path.replace('{id}', ':id')}/events`, async (context) => {
    context.state.family = 'enveloped'
    context.state.route = `${kind.path}/events`
    const { caller, admission } = await enter(context as never, admissionControl)
    await admission
    reader.history.assertRetained()
    const { id } = parse({ ...context.query, id: context.params.id }) as { id: string }
    const { lineage } = caller
    const run = <Result>(work: (db: Queryable) => Promise<Result>): Promise<Result> =>
      reader.run(AbortSignal.timeout(deadlineMs), work)
    const row = await run((db) => kind.find(db, id, lineage))
    if (row === undefined) throw new ApiError('NOT_FOUND', `${kind.noun} "${id}" not found`)
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
    context.body = Readable.from(answerEvents(kind, { id, lineage, after, run, signal }))
  })
}

/** Last-Event-ID; -1 without one. Throws ApiError. */
function lastIdOf(context: Context): number {
  const given = context.get('Last-Event-ID')
  if (given === '') return -1
  if (LAST_ID.test(given)) return Number(given)
  throw new ApiError('INVALID_PARAM', 'Last-Event-ID: expected the id of an event of this path')
}
