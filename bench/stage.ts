/**
 * The stage of one run: a separate migrated, empty database and streams on the benchmark's stack, dropped afterwards. A
 * database checkpoint precedes each run, so that none inherits the last one's work.
 */

import { watchPriorities } from '../deploy/local/cpu-priority.ts'
import type { Stack } from '../deploy/local/stack.ts'
import { workerSessions } from '../deploy/operations/lanes.ts'
import { connect, type Db } from '../sql/db.ts'
import { migrate } from '../sql/migrate.ts'
import { connectJetStream, type JetStream } from '../streams/nats/jetstream.ts'
import { ensureTopology, type Topology } from '../streams/nats/topology.ts'
import { programLog } from './programs/program.ts'

export type Stage = {
  db: Db
  databaseUrl: string
  natsUrl: string
  jetStream: JetStream
  topology: Topology
  /** Process ids of its worker programs, whose CPU priority is lowered where the bench is tuned. */
  workers: Set<number>
}

/** A stage that was filled: its database is copied for each use, its streams are read unchanged. */
export type FilledStage = { database: string; topology: Topology }

export type Stages = {
  /** Runs `play` on a separate stage, an empty one unless it is a filled one's copy, whose lanes it has. */
  use<Result>(
    play: (stage: Stage) => Promise<Result>,
    from?: { filled?: FilledStage; laneCount?: number | undefined },
  ): Promise<Result>
  /** Fills a stage that stays until all are closed. */
  fill(play: (stage: Stage) => Promise<void>): Promise<FilledStage>
  close(): Promise<void>
}

const TEMPLATE = 'bench_template'
/** Unless a measurement has others; `STEADY` of capacity/inputs.ts states them. */
const LANES = 2

export async function openStages(stack: Stack, isTuned: boolean): Promise<Stages> {
  const root = connect(stack.databaseUrl, { max: 1, applicationName: 'swaptide-bench' })
  const jetStream = await connectJetStream(stack.natsUrl, { name: 'bench', log: programLog })
  await makeTemplate(root, stack.databaseUrl)
  let count = 0
  const { natsUrl } = stack
  const open = async (name: string, template: string, topology: Topology): Promise<Stage> => {
    await root.query(`create database ${name} template ${template}`)
    const databaseUrl = databaseOf(stack.databaseUrl, name)
    const db = connect(databaseUrl, { max: 10, applicationName: 'swaptide-bench' })
    await root.query('checkpoint')
    return { db, databaseUrl, natsUrl, jetStream, topology, workers: new Set() }
  }
  const ensure = (prefix: string, laneCount = LANES): Promise<Topology> =>
    ensureTopology(jetStream, { prefix, laneCount })
  return {
    async use(play, { filled, laneCount } = {}) {
      const name = `bench_${count++}`
      const topology = filled?.topology ?? (await ensure(`${name}.`, laneCount))
      const stage = await open(name, filled?.database ?? TEMPLATE, topology)
      const priorities = isTuned
        ? watchPriorities(
            () => [...stage.workers],
            () => workerSessions(stage.db),
          )
        : undefined
      try {
        return await play(stage)
      } finally {
        await priorities?.stop()
        await stage.db.end()
        if (filled === undefined) {
          await jetStream.manager.streams.delete(topology.swap.stream)
          await jetStream.manager.streams.delete(topology.feed.stream)
        }
        await root.query(`drop database ${name} with (force)`)
      }
    },
    async fill(play) {
      const name = `bench_${count++}`
      const stage = await open(name, TEMPLATE, await ensure(`${name}.`))
      await play(stage)
      await closeTemplate(root, stage.db, name)
      return { database: name, topology: stage.topology }
    },
    async close() {
      await jetStream.close()
      await root.end()
    },
  }
}

/** A stage that stays in the stack's folder, as it was left where the folder has it. */
export async function openNamedStage(stack: Stack, name: string): Promise<Stage> {
  const root = connect(stack.databaseUrl, { max: 1, applicationName: 'swaptide-bench' })
  const known = await root.query('select from pg_database where datname = $1', [name])
  if (known.rowCount === 0) await root.query(`create database ${name}`)
  await root.end()
  const databaseUrl = databaseOf(stack.databaseUrl, name)
  const db = connect(databaseUrl, { max: 10, applicationName: 'swaptide-bench' })
  await migrate(db)
  const { natsUrl } = stack
  const jetStream = await connectJetStream(natsUrl, { name: 'bench', log: programLog })
  const topology = await ensureTopology(jetStream, { prefix: `${name}.`, laneCount: LANES })
  return { db, databaseUrl, natsUrl, jetStream, topology, workers: new Set() }
}

async function makeTemplate(root: Db, databaseUrl: string): Promise<void> {
  await root.query(`create database ${TEMPLATE}`)
  const db = connect(databaseOf(databaseUrl, TEMPLATE), { max: 1 })
  await migrate(db)
  await closeTemplate(root, db, TEMPLATE)
}

async function closeTemplate(root: Db, db: Db, name: string): Promise<void> {
  // A background worker of TimescaleDB in a template would forbid cloning it.
  await db.query('select _timescaledb_functions.stop_background_workers()')
  await db.end()
  // Nor may any other program of the server visit it: its launcher looks in now and then.
  await root.query(`alter database ${name} with allow_connections false`)
}

function databaseOf(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
