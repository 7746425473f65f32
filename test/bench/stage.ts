/**
 * Where one run takes place: a migrated, empty database and streams of its own on the benchmark's stack,
 * gone afterwards. A checkpoint goes before each run, so that none inherits the last one's work.
 */
import type { Stack } from '../../deploy/local/stack.ts'
import { connect, type Db } from '../../sql/db.ts'
import { migrate } from '../../sql/migrate.ts'
import { connectJetStream, type JetStream } from '../../streams/jetstream.ts'
import { DEFAULT_LANE_COUNT } from '../../streams/lane.ts'
import { ensureTopology, type Topology } from '../../streams/topology.ts'
import { programLog } from './program.ts'

export type Stage = {
  db: Db
  databaseUrl: string
  natsUrl: string
  jetStream: JetStream
  topology: Topology
}

export type Stages = {
  /** Runs `play` on a stage of its own. */
  use<Result>(play: (stage: Stage) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

const TEMPLATE = 'bench_template'

export async function openStages(stack: Stack): Promise<Stages> {
  const root = connect(stack.databaseUrl, { max: 1, applicationName: 'swaptide-bench' })
  const jetStream = await connectJetStream(stack.natsUrl, { name: 'bench', log: programLog })
  await makeTemplate(root, stack.databaseUrl)
  let count = 0
  return {
    async use(play) {
      const name = `bench_${count}`
      const prefix = `bench${count++}.`
      await root.query(`create database ${name} template ${TEMPLATE}`)
      const databaseUrl = databaseOf(stack.databaseUrl, name)
      const db = connect(databaseUrl, { max: 10, applicationName: 'swaptide-bench' })
      const topology = await ensureTopology(jetStream, { prefix, laneCount: DEFAULT_LANE_COUNT })
      await root.query('checkpoint')
      try {
        return await play({ db, databaseUrl, natsUrl: stack.natsUrl, jetStream, topology })
      } finally {
        await db.end()
        await jetStream.manager.streams.delete(topology.swap.stream)
        await jetStream.manager.streams.delete(topology.feed.stream)
        await root.query(`drop database ${name} with (force)`)
      }
    },
    async close() {
      await jetStream.close()
      await root.end()
    },
  }
}

async function makeTemplate(root: Db, databaseUrl: string): Promise<void> {
  await root.query(`create database ${TEMPLATE}`)
  const db = connect(databaseOf(databaseUrl, TEMPLATE), { max: 1 })
  await migrate(db)
  // A background worker of TimescaleDB in a template would forbid cloning it.
  await db.query('select _timescaledb_functions.stop_background_workers()')
  await db.end()
  // Nor may any other program of the server visit it: its launcher looks in now and then.
  await root.query(`alter database ${TEMPLATE} with allow_connections false`)
}

function databaseOf(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
