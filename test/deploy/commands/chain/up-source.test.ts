/**
 * `swaptide up` with a node or a stream to read from: follows the chain, restarts a source that was killed, shows its progress
 * in metrics and status, and leaks no key.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { listSources } from '../../../../sql/chain/sources.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { sampleOf } from '../../../support/api/metric-value.ts'
import { patientAnswer } from '../../../support/api/patient-answer.ts'
import { GEYSER_FAULTS } from '../../../support/chain/geyser/faults.ts'
import { LAST_SLOT, script, chain as streamed } from '../../../support/chain/geyser/run.ts'
import { startGeyserServer } from '../../../support/chain/geyser/server.ts'

import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import {
  eventsOfChain,
  extendChain,
  FIRST_SLOT,
  makeChain,
} from '../../../support/chain/served-chain.ts'
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

test('follows the chain instead of the market, again after a kill', async (t) => {
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
  const answer = await patientAnswer(`${up.url}/api/v1/coverage`, { 'X-API-Key': up.key })
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

const TOKEN = 'token-of-the-provider'

/** Metrics of a part of `up`, as Prometheus reads them. */
async function scrapePart(home: string, part: string): Promise<string> {
  const list = await readFile(join(home, 'metrics-targets.json'), 'utf8').catch(() => '[]')
  const targets = JSON.parse(list) as { targets: string[]; labels: { part: string } }[]
  const target = targets.find(({ labels }) => labels.part === part)
  if (target === undefined) return ''
  const answer = await fetch(`http://${target.targets[0]}/metrics`).catch(() => undefined)
  return (await answer?.text()) ?? ''
}

async function startStream(t: ExecutionContext) {
  const node = await startRpcServer(streamed, { key: KEY })
  t.teardown(() => node.stop())
  const blocks = [...streamed.blocks.keys()]
  const cutAt = blocks[Math.floor(blocks.length / 3)] ?? 0
  const steps = GEYSER_FAULTS.cut(script('held'), cutAt, new Prng([7]))
  const server = await startGeyserServer({ script: steps, token: TOKEN, blockMs: 150 })
  t.teardown(() => server.stop())
  return { node, server }
}

test('follows a stream through a cut and a kill, and reports its progress', async (t) => {
  const { node, server } = await startStream(t)
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const home = await homeSettings(t)
  const up = await startUp(t, {
    ...{ ...home, ...settingsOf(pipeline, redisUrl), SOURCE_RPC_URL: node.url },
    ...{ SOURCE_GEYSER_URL: server.url, SOURCE_GEYSER_X_TOKEN: TOKEN },
  })
  const printed: string[] = []
  up.child.stderr?.on('data', (piece) => printed.push(String(piece)))
  const sourceOf = async () =>
    (await linesOf(up)).find(([, line]) => line.endsWith('source geyser'))?.[0] ?? 0
  const reach = (slot: number) =>
    until(`coverage reaches slot ${slot}`, BOUND_MS, async () =>
      (await listCoverage(pipeline.db)).some(({ to }) => to >= slot),
    )
  await until('the stream was cut', BOUND_MS, async () => server.happened.size > 0)
  await reach(FIRST_SLOT + 30)
  const before = await sourceOf()
  process.kill(before, 'SIGKILL')
  await reach(LAST_SLOT)
  t.not(await sourceOf(), before)
  const [whole, ...rest] = await listCoverage(pipeline.db)
  t.deepEqual(rest, [])
  const swaps = eventsOfChain(streamed, whole?.from).filter(({ kind }) => kind === 'swap').length
  t.like(whole, { to: LAST_SLOT, source: 'geyser', commitment: 'confirmed', swaps })
  const labels = { kind: 'geyser', endpoint: new URL(server.url).host, venues: 'all' }
  for (const part of ['source geyser', 'api']) {
    await until(`the part "${part}" reports the last slot`, BOUND_MS, async () => {
      const text = await scrapePart(home.SWAPTIDE_HOME ?? '', part)
      return sampleOf(text, 'swaptide_source_cursor_slot', labels) === LAST_SLOT
    })
  }
  await until('one source is listed', BOUND_MS, async () => {
    const sources = await listSources(pipeline.db)
    t.false(JSON.stringify(sources).includes(KEY) || JSON.stringify(sources).includes(TOKEN))
    return sources.length === 1 && sources[0]?.newest_slot === LAST_SLOT
  })
  t.deepEqual(
    (await linesOf(up)).filter(([, line]) => line.includes(KEY) || line.includes(TOKEN)),
    [],
  )
  up.child.kill('SIGTERM')
  t.is(await up.ended, 0)
  t.deepEqual(await listSources(pipeline.db), [])
  const text = printed.join('')
  t.regex(text, /restarting ended process/)
  t.false(text.includes(KEY) || text.includes(TOKEN))
})
