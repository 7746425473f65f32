/** `swaptide source rpc` with real servers: follows the chain, and after an interruption first reads what came meanwhile. */
import test, { type ExecutionContext } from 'ava'
import type { Event } from '../../../../domain/events/event.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'

import { faultsBySeed } from '../../../support/chain/rpc-faults.ts'
import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  extendChain,
  FIRST_SLOT,
  forkChain,
  makeChain,
} from '../../../support/chain/served-chain.ts'
import { finished, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { openPipeline, readSwap, until } from '../../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const CHAIN = { slots: 20, transactions: 30, skipShare: 0 }

async function open(t: ExecutionContext) {
  const chain = makeChain(CHAIN)
  const server = await startRpcServer(chain, { newest: FIRST_SLOT })
  t.teardown(() => server.stop())
  const pipeline = await openPipeline(t)
  const settings = { ...settingsOf(pipeline), SOURCE_RPC_URL: server.url }

  /** Follows the chain until coverage reaches a slot; returns its output. */
  async function follow(to: number, argv: readonly string[] = []) {
    const disturb = server.disturb
    let isFirst = true
    server.disturb = (request) => {
      // The chain grows by a slot with each look of the command.
      if (request.method === 'getSlot' && !isFirst) server.newest = Math.min(to, server.newest + 1)
      isFirst &&= request.method !== 'getSlot'
      return disturb?.(request)
    }
    const child = startCommand(['source', 'rpc', '--rate', '1000', ...argv], settings)
    t.teardown(() => child.kill('SIGKILL'))
    const ran = finished(child)
    await until(`coverage reaches slot ${to}`, BOUND_MS, async () => {
      return (await listCoverage(pipeline.db)).some((range) => range.to >= to)
    })
    child.kill('SIGTERM')
    const output = await ran
    server.disturb = disturb
    return output
  }
  return { chain, server, pipeline, follow }
}

const lines = (events: readonly Event[]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()

test('follows the chain and reads what came while it did not run', async (t) => {
  const { chain, server, pipeline, follow } = await open(t)
  server.disturb = faultsBySeed(3, 0.1, 1)
  const first = await follow(FIRST_SLOT + 9)
  t.is(first.code, 0, first.stderr)
  t.regex(
    first.stderr,
    new RegExp(`following 127.0.0.1:\\d+ \\(confirmed\\) from slot ${FIRST_SLOT}\n`),
  )
  const [before] = await listCoverage(pipeline.db)
  t.is(before?.from, FIRST_SLOT)
  server.newest = FIRST_SLOT + 15
  const second = await follow(chain.to)
  const from = (before?.to ?? 0) + 1
  t.regex(second.stderr, new RegExp(`from slot ${from}, \\d+ slots? before the newest one`))
  const expected = eventsOfChain(chain)
  t.deepEqual(lines(await readSwap(pipeline)), lines(expected))
  const swaps = expected.filter(({ kind }) => kind === 'swap').length
  const [whole, ...rest] = await listCoverage(pipeline.db)
  t.deepEqual(rest, [])
  t.like(whole, { from: FIRST_SLOT, to: chain.to, source: 'rpc', swaps })
})

test('follows a node whose lists lag its newest slot', async (t) => {
  const { chain, server, pipeline, follow } = await open(t)
  server.lag.lists = 1
  const { code, stderr } = await follow(chain.to)
  t.is(code, 0, stderr)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  t.like((await listCoverage(pipeline.db))[0], { from: FIRST_SLOT, to: chain.to })
})

test('begins with the newest slot on request and leaves a gap', async (t) => {
  const { chain, server, pipeline, follow } = await open(t)
  await follow(FIRST_SLOT + 3)
  const [before] = await listCoverage(pipeline.db)
  server.newest = FIRST_SLOT + 12
  await follow(chain.to, ['--from', 'newest'])
  const ranges = (await listCoverage(pipeline.db)).map(({ from, to }) => [from, to])
  t.deepEqual(ranges, [
    [FIRST_SLOT, before?.to ?? 0],
    [FIRST_SLOT + 12, chain.to],
  ])
})

test('reports a fork and yields the new branch', async (t) => {
  const { chain, server, pipeline, follow } = await open(t)
  const forkAt = FIRST_SLOT + 8
  let isForked = false
  server.disturb = ({ method, params }) => {
    if (method === 'getBlock' && params[0] === forkAt + 1 && !isForked) {
      isForked = true
      forkChain(chain, forkAt, { ...CHAIN, seed: 2 })
      extendChain(chain, 5, { ...CHAIN, seed: 2 })
    }
    return undefined
  }
  const { stderr } = await follow(FIRST_SLOT + CHAIN.slots + 4)
  t.regex(
    stderr,
    new RegExp(
      `^${forkAt} blockhash \\w+: no longer part of the chain since slot ${forkAt + 1}$`,
      'm',
    ),
  )
  const stored = new Set(lines(await readSwap(pipeline)))
  t.true(lines(eventsOfChain(chain)).every((line) => stored.has(line)))
})
