/**
 * A chain that forks while a source follows it, and between two of its runs, which ended in order or were killed: only
 * the events of the blocks that are left stay in the tables.
 */
import type { ExecutionContext } from 'ava'
import { listCoverage } from '../../../sql/coverage.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { testWithChain } from '../../support/chain/real-chain.ts'
import { startRpcServer } from '../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  extendChain,
  FIRST_SLOT,
  forkChain,
  makeChain,
  type ServedChain,
} from '../../support/chain/served-chain.ts'
import { finished, settingsOf, startCommand } from '../../support/programs/commands.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, until } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const OPTIONS = { transactions: 15, skipShare: 0.1 }
const WAIT_MS = 120_000

const swapsOf = (chain: ServedChain): string[] =>
  eventsOfChain(chain)
    .flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
    .map((swap) => `${swap.slot} ${swap.signature} ${swap.ixIndex} ${swap.blockhash}`)
    .sort()

async function storedSwaps({ db }: Pipeline): Promise<string[]> {
  const { rows } = await db.query<{ text: string }>(
    `select concat_ws(' ', slot, signature, ix_index, blockhash) as text from swap`,
  )
  return rows.map(({ text }) => text).sort()
}

/** Follows the chain until its last slot is recorded. */
async function follow(t: ExecutionContext, pipeline: Pipeline, url: string, chain: ServedChain) {
  const argv = ['source', 'rpc', '--rpc', url, '--rate', '10000']
  const isFirst = (await listCoverage(pipeline.db)).length === 0
  const from = isFirst ? ['--from', String(FIRST_SLOT)] : []
  const child = startCommand([...argv, ...from], settingsOf(pipeline))
  const ended = finished(child)
  const untilRecorded = () =>
    until(`slot ${chain.to} is recorded`, WAIT_MS, async () => {
      const covered = await listCoverage(pipeline.db)
      return covered.some(({ to }) => to >= chain.to)
    })
  t.teardown(() => child.kill('SIGKILL'))
  await untilRecorded()
  return { child, ended, untilRecorded }
}

for (const end of ['SIGTERM', 'SIGKILL'] as const) {
  testWithChain(
    `retracts the blocks that left the chain after a run ended by ${end}`,
    async (t) => {
      const pipeline = await openPipeline(t)
      await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
      const chain = makeChain({ slots: 40, ...OPTIONS })
      const server = await startRpcServer(chain)
      t.teardown(() => server.stop())
      const first = await follow(t, pipeline, server.url, chain)
      first.child.kill(end)
      await first.ended
      // As if it had been killed before it recorded its last slots.
      const recordedTo = chain.to - 12
      if (end === 'SIGKILL')
        await pipeline.db.query('update coverage set to_slot = $1', [recordedTo])
      forkChain(chain, chain.to - 8, { seed: 2, ...OPTIONS })
      extendChain(chain, 5, { seed: 2, ...OPTIONS })
      server.newest = chain.to
      const second = await follow(t, pipeline, server.url, chain)
      forkChain(chain, chain.to - 4, { seed: 3, ...OPTIONS })
      extendChain(chain, 10, { seed: 3, ...OPTIONS })
      server.newest = chain.to
      await second.untilRecorded()
      second.child.kill('SIGTERM')
      const { code, stderr } = await second.ended
      t.is(code, 0, stderr)
      await untilLedgerCaughtUp(pipeline)
      t.deepEqual(await storedSwaps(pipeline), swapsOf(chain))
      const { tables } = await verify(pipeline.db, { log: pipeline.recording.log })
      t.deepEqual(
        tables.flatMap(({ differences }) => differences),
        [],
      )
      const { rows } = await pipeline.db.query<{ taken: number }>(
        'select count(distinct blockhash)::integer as taken from retracted_swap',
      )
      t.true((rows[0]?.taken ?? 0) > 8, 'blocks of both forks were stored and taken back')
    },
  )
}
