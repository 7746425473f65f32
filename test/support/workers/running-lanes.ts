/** All lanes of one actor, without leases: a test controls their steps and their measurements of the machine. */
import { connect } from '../../../sql/db.ts'
import type { Actor, Grant, LaneDeps } from '../../../workers/runtime/actor.ts'
import { runActor } from '../../../workers/runtime/lane/lane-runner.ts'
import { LANE_COUNT, type Pipeline } from './pipeline.ts'

const LANES = Array.from({ length: LANE_COUNT }, (_, lane) => lane)

export type RunningLanes = { stop(): Promise<void> }

export async function runLanes(
  { databaseUrl, jetStream, topology, recording }: Pipeline,
  actor: Actor,
  given: Pick<LaneDeps, 'onStep' | 'isCpuShort'> = {},
): Promise<RunningLanes> {
  const db = connect(databaseUrl, { max: 4 * LANE_COUNT, isPipelined: true })
  await db.query(
    `insert into checkpoint (actor, lane, epoch)
     select $1, lane, 1 from unnest($2::integer[]) lane on conflict do nothing`,
    [actor.name, LANES],
  )
  const ended = new AbortController()
  const grants = LANES.map((lane): Grant => ({ lane, epoch: 1, signal: ended.signal }))
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
