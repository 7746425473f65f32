/** `swaptide up` with a node to read from: follows the chain, restarts a source that was killed, and leaks no key. */
import { readFile } from 'node:fs/promises'
import { listCoverage } from '../../../../sql/coverage.ts'
import { testWithChain } from '../../../support/chain/real-chain.ts'
import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import { extendChain, FIRST_SLOT, makeChain } from '../../../support/chain/served-chain.ts'
import { homeSettings, pidOf, startUp, type Up } from '../../../support/deploy/started-up.ts'
import { settingsOf } from '../../../support/programs/commands.ts'
import { familyOf } from '../../../support/programs/programs.ts'
import { testRedis } from '../../../support/servers/redis.ts'
import { openPipeline, until } from '../../../support/workers/pipeline.ts'

const BOUND_MS = 90_000
const KEY = 'key-of-the-provider'
const CHAIN = { slots: 10, transactions: 20, skipShare: 0 }

/** The command lines of the processes of `up`, by pid. */
async function linesOf(up: Up): Promise<[number, string][]> {
  const pids = familyOf(pidOf(up)).map(({ pid }) => pid)
  const read = (pid: number) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return Promise.all(
    pids.map(
      async (pid): Promise<[number, string]> => [
        pid,
        (await read(pid)).replaceAll('\0', ' ').trim(),
      ],
    ),
  )
}

testWithChain('follows the chain in the place of the market, again after a kill', async (t) => {
  const chain = makeChain(CHAIN)
  const server = await startRpcServer(chain, { key: KEY })
  t.teardown(() => server.stop())
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  server.newest = FIRST_SLOT
  const settings = { ...(await homeSettings(t)), ...settingsOf(pipeline, redisUrl) }
  const up = await startUp(t, { ...settings, SOURCE_RPC_URL: server.url })
  let printed = ''
  up.child.stderr?.on('data', (piece) => {
    printed += piece
  })
  const reach = (slot: number) =>
    until(`coverage reaches slot ${slot}`, BOUND_MS, async () => {
      server.newest = Math.max(server.newest, slot)
      return (await listCoverage(pipeline.db)).some(({ to }) => to >= slot)
    })
  await reach(FIRST_SLOT)
  await reach(chain.to)
  const sources = (await linesOf(up)).filter(([, line]) => line.endsWith('source rpc'))
  t.is(sources.length, 1)
  process.kill(sources[0]?.[0] ?? 0, 'SIGKILL')
  extendChain(chain, 5, CHAIN)
  await reach(chain.to)
  const ranges = await listCoverage(pipeline.db)
  t.deepEqual(
    ranges.map(({ from, to, source }) => ({ from, to, source })),
    [{ from: FIRST_SLOT, to: chain.to, source: 'rpc' }],
  )
  const answer = await fetch(`${up.url}/api/v1/coverage`, { headers: { 'X-API-Key': up.key } })
  t.like(await answer.json(), { data: { gaps: [] } })
  const lines = await linesOf(up)
  t.true(lines.some(([, line]) => line.endsWith('source rpc')))
  t.deepEqual(
    lines.filter(([, line]) => line.includes(KEY)),
    [],
  )
  up.child.kill('SIGTERM')
  t.is(await up.ended, 0)
  t.regex(printed, /restarting ended process/)
  t.false(printed.includes(KEY))
})
