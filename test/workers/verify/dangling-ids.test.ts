/** Ids without a row in the tables of ids, as in a database that went back in time: verify finds each kind. */
import test from 'ava'
import { verify } from '../../../workers/verify/verify.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, publishAll, untilCaughtUp } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const KINDS = [
  { lost: 'wallet', kinds: ['swap.wallet_id', 'position.wallet_id'] },
  { lost: 'token', kinds: ['position.token_id'] },
  { lost: 'pool', kinds: ['swap.pool_id'] },
] as const

for (const { lost, kinds } of KINDS) {
  test(`verify finds the swaps and positions of a ${lost} that has no row`, async (t) => {
    const pipeline = await openPipeline(t)
    const worker = await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
    await publishAll(pipeline, smallMarket(721, 100), { eventsMax: 20 })
    await untilCaughtUp(pipeline)
    await untilLedgerCaughtUp(pipeline)
    await worker.stop()
    const { db } = pipeline
    const traded = 'select * from swap join pool on pool.id = swap.pool_id'
    const ids = { wallet: 'wallet_id', token: 'token_id', pool: 'pool_id' }
    const found = await db.query(`select min(${ids[lost]}) as id from (${traded}) as traded`)
    const { id } = found.rows[0]
    const connection = await db.connect()
    // Without its foreign keys: they would prevent the loss.
    await connection.query('set session_replication_role = replica')
    await connection.query(`delete from ${lost} where id = $1`, [id])
    connection.release(true)
    const { tables, clean } = await verify(db, { log: pipeline.recording.log })
    t.false(clean)
    const said = tables.find(({ name }) => name === 'swap')?.differences ?? []
    for (const kind of kinds) {
      t.true(said.includes(`${kind}: no row for 1 id, "${id}" among them`), said.join('\n'))
    }
  })
}
