/**
 * A chain that forks while a source follows it, and between two of its runs, which ended in order or were killed: only
 * the events of the blocks that are left stay in the tables.
 */
import test, { type ExecutionContext } from 'ava'
import { listCoverage } from '../../../sql/coverage.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { type Step, scriptOf } from '../../support/chain/geyser/script.ts'
import { startGeyserServer } from '../../support/chain/geyser/server.ts'

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

/** Runs the command until the last slot of the chain is recorded. */
async function follow(
  t: ExecutionContext,
  pipeline: Pipeline,
  chain: ServedChain,
  argv: readonly string[],
) {
  const isFirst = (await listCoverage(pipeline.db)).length === 0
  const from = isFirst ? ['--from', String(FIRST_SLOT)] : []
  const child = startCommand(['source', ...argv, ...from], settingsOf(pipeline))
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

async function recordOnlyTo({ db }: Pipeline, chain: ServedChain, slot: number): Promise<void> {
  const swaps = eventsOfChain(chain, FIRST_SLOT, slot).filter(({ kind }) => kind === 'swap').length
  await db.query('update coverage set to_slot = $1, swaps = $2', [slot, swaps])
  await db.query('delete from coverage_block where slot > $1', [slot])
}

/** Only the blocks of the chain are in the tables, and counted in coverage; `least`: how many others were in them. */
async function assertOnly(
  t: ExecutionContext,
  pipeline: Pipeline,
  chain: ServedChain,
  least: number,
) {
  await untilLedgerCaughtUp(pipeline)
  const swaps = swapsOf(chain)
  t.deepEqual(await storedSwaps(pipeline), swaps)
  const [covered, ...others] = await listCoverage(pipeline.db)
  t.deepEqual(others, [])
  t.like(covered, { from: FIRST_SLOT, to: chain.to, swaps: swaps.length })
  const { tables } = await verify(pipeline.db, { log: pipeline.recording.log })
  t.deepEqual(
    tables.flatMap(({ differences }) => differences),
    [],
  )
  const { rows } = await pipeline.db.query<{ taken: number }>(
    'select count(distinct blockhash)::integer as taken from retracted_swap',
  )
  const taken = rows[0]?.taken ?? 0
  t.true(taken >= least, `${taken} blocks were stored and taken back`)
}

for (const end of ['SIGTERM', 'SIGKILL'] as const) {
  test(`retracts the blocks that left the chain after a run ended by ${end}`, async (t) => {
    const pipeline = await openPipeline(t)
    await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
    const chain = makeChain({ slots: 40, ...OPTIONS })
    const server = await startRpcServer(chain)
    t.teardown(() => server.stop())
    const argv = ['rpc', '--rpc', server.url, '--rate', '10000']
    const first = await follow(t, pipeline, chain, argv)
    first.child.kill(end)
    await first.ended
    // State of a process that was killed before it recorded its last slots.
    const recordedTo = chain.to - 12
    if (end === 'SIGKILL') await recordOnlyTo(pipeline, chain, recordedTo)
    forkChain(chain, chain.to - 8, { seed: 2, ...OPTIONS })
    extendChain(chain, 5, { seed: 2, ...OPTIONS })
    server.newest = chain.to
    const second = await follow(t, pipeline, chain, argv)
    forkChain(chain, chain.to - 4, { seed: 3, ...OPTIONS })
    extendChain(chain, 10, { seed: 3, ...OPTIONS })
    server.newest = chain.to
    await second.untilRecorded()
    second.child.kill('SIGTERM')
    const { code, stderr } = await second.ended
    t.is(code, 0, stderr)
    // More than one of the two forks has.
    await assertOnly(t, pipeline, chain, 9)
  })
}

test('reads the blocks of a fork again whose run ended before it had recorded them', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  const chain = makeChain({ slots: 30, ...OPTIONS })
  const server = await startRpcServer(chain)
  t.teardown(() => server.stop())
  const argv = ['rpc', '--rpc', server.url, '--rate', '10000']
  const first = await follow(t, pipeline, chain, argv)
  first.child.kill('SIGTERM')
  await first.ended
  const newest = chain.to
  forkChain(chain, newest - 8, { seed: 2, ...OPTIONS })
  extendChain(chain, 5, { seed: 2, ...OPTIONS })
  server.newest = chain.to
  await withoutRecording(pipeline, async () => {
    const killed = startCommand(['source', ...argv], settingsOf(pipeline))
    const ended = finished(killed)
    t.teardown(() => killed.kill('SIGKILL'))
    const text = `select from chain_link where slot > $1 and former_blockhashes <> '{}'`
    await until('several blocks of the fork are published', WAIT_MS, async () => {
      const { rowCount } = await pipeline.db.query(text, [newest - 9])
      return (rowCount ?? 0) > 3
    })
    killed.kill('SIGKILL')
    await ended
  })
  const last = await follow(t, pipeline, chain, argv)
  await last.untilRecorded()
  last.child.kill('SIGTERM')
  const { code, stderr } = await last.ended
  t.is(code, 0, stderr)
  await assertOnly(t, pipeline, chain, 4)
})

/** Coverage cannot be recorded meanwhile. */
async function withoutRecording({ db }: Pipeline, run: () => Promise<void>): Promise<void> {
  const connection = await db.connect()
  try {
    await connection.query('begin')
    await connection.query('lock table coverage in share row exclusive mode')
    await run()
  } finally {
    await connection.query('rollback')
    connection.release()
  }
}

test('retracts the blocks that left the chain while a Yellowstone stream was away', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline, { actors: ['pool', 'ledger'] })
  const chain = makeChain({ slots: 30, ...OPTIONS })
  const rpc = await startRpcServer(chain)
  t.teardown(() => rpc.stop())
  const stream = async (script: readonly Step[]): Promise<string[]> => {
    const server = await startGeyserServer({ script })
    t.teardown(() => server.stop())
    return ['geyser', '--endpoint', server.url, '--rpc', rpc.url, '--rate', '10000']
  }
  const first = await follow(t, pipeline, chain, await stream(scriptOf(chain, 'held')))
  first.child.kill('SIGKILL')
  await first.ended

  forkChain(chain, chain.to - 7, { seed: 2, ...OPTIONS })
  const beginning = chain.to - 2
  extendChain(chain, 12, { seed: 2, ...OPTIONS })
  rpc.newest = chain.to
  const script = scriptOf(chain, 'held').filter((step) => 'slot' in step && step.slot >= beginning)
  const second = await follow(t, pipeline, chain, await stream(script))
  second.child.kill('SIGTERM')
  const { code, stderr } = await second.ended
  t.is(code, 0, stderr)
  await assertOnly(t, pipeline, chain, 4)
})
