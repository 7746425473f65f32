/** All lanes of one actor, without leases: a test controls their steps and their measurements of the machine. */
import { connect } from '../../../sql/db.ts'
import type { Actor, Grant, LaneDeps } from '../../../workers/runtime/actor.ts'
import { runActor } from '../../../workers/runtime/lane/lane-runner.ts'
import type { Pipeline } from './pipeline.ts'

type RunningLanes = { stop(): Promise<void> }

export async function runLanes(
  { databaseUrl, jetStream, topology, recording, laneCount }: Pipeline,
  actor: Actor,
  given: Pick<LaneDeps, 'onStep' | 'isCpuShort'> = {},
): Promise<RunningLanes> {
  const lanes = Array.from({ length: laneCount }, (_, lane) => lane)
  const db = connect(databaseUrl, { max: 4 * laneCount, isPipelined: true })
  await db.query(
    `insert into checkpoint (actor, lane, epoch)
     select $1, lane, 1 from unnest($2::integer[]) lane on conflict do nothing`,
    [actor.name, lanes],
  )
  const ended = new AbortController()
  const grants = lanes.map((lane): Grant => ({ lane, epoch: 1, signal: ended.signal }))
  const deps = { db, jetStream, topology, log: recording.log, ...given }
  const running = Promise.all(grants.map((grant) => runActor(actor, grant, deps)))
  return {
    async stop() {
      ended.abort()
      await running
      await db.end()
    },
  }
}
