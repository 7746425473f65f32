/**
 * `swaptide recover` against real servers: PostgreSQL goes back in time, streams stay, and every part resumes from
 * there.
 */

import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { runCommand } from '../../../../deploy/local/command.ts'
import type { Stack } from '../../../../deploy/local/stack.ts'
import type { Event } from '../../../../domain/events/event.ts'
import { streamExtent, trimStream } from '../../../../streams/nats/topology.ts'
import { ACTOR_NAMES } from '../../../../workers/actors.ts'
import { runCommandLine, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { ownStack, temporaryFolder } from '../../../support/servers/servers.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  until,
} from '../../../support/workers/pipeline.ts'
import { smallMarket } from '../../../support/workers/small-market.ts'
import { spawnWorker, type WorkerProcess } from '../../../support/workers/spawned-worker.ts'

const BOUND_MS = 60_000
const SHORTEST_WINDOW_NANOS = 100 * 1e6

type Settings = Record<string, string>
type Verified = {
  clean: boolean
  tables: { name: string; stored: string; differences: string[] }[]
}

async function output(argv: readonly string[], settings: Settings): Promise<string> {
  const { code, stdout, stderr } = await runCommandLine(argv, settings)
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}

/** The hashes of all tables, which must be the fold of their swaps. */
async function hashesOf(t: ExecutionContext, settings: Settings): Promise<Record<string, string>> {
  const { stdout, stderr } = await runCommandLine(['verify', '--json'], settings)
  const { clean, tables }: Verified = JSON.parse(stdout || `{"clean":false,"tables":[]}`)
  t.true(clean, `${stderr} ${tables.flatMap(({ differences }) => differences).join('\n')}`)
  return Object.fromEntries(tables.map(({ name, stored }) => [name, stored]))
}

const caughtUp = (settings: Settings): Promise<string> =>
  output(['status', '--wait', '--timeout', '60'], settings)

/** The rows of an installation without a loss. */
async function hashesWithoutLoss(t: ExecutionContext, parts: readonly Event[][]) {
  const pipeline = await openPipeline(t)
  const worker = await spawnWorker(t, pipeline, { actors: ACTOR_NAMES })
  for (const events of parts) await publishAll(pipeline, events, { eventsMax: 8 })
  const settings = settingsOf(pipeline)
  await caughtUp(settings)
  const hashes = await hashesOf(t, settings)
  worker.signal('SIGTERM')
  await worker.ended
  return hashes
}

type Lost = { pipeline: Pipeline; settings: Settings; stack: Stack; survivor: WorkerProcess }

/** An installation whose database goes back from `parts[1]` to `parts[0]` under a live worker. */
async function loseTime(t: ExecutionContext, [first, second]: [Event[], Event[]]): Promise<Lost> {
  const home = await temporaryFolder(t)
  const stack = await ownStack(t, { home })
  const pipeline = await openPipeline(t, { servers: stack })
  for (const { stream } of [pipeline.topology.swap, pipeline.topology.feed]) {
    await pipeline.jetStream.manager.streams.update(stream, {
      duplicate_window: SHORTEST_WINDOW_NANOS,
    })
  }
  const settings = settingsOf(pipeline, stack.redisUrl)
  const survivor = await spawnWorker(t, pipeline, { actors: ACTOR_NAMES })
  const { postgres } = stack.servers
  const folder = join(home, 'postgres')
  await publishAll(pipeline, first, { eventsMax: 8 })
  await caughtUp(settings)
  await postgres.stop()
  await runCommand('cp', ['-a', folder, `${folder}.old`], { env: {} })
  await postgres.start()
  await publishAll(pipeline, second, { eventsMax: 8 })
  await caughtUp(settings)
  await postgres.stop()
  await rm(folder, { recursive: true })
  await rename(`${folder}.old`, folder)
  await postgres.start()
  await survivor.untilSaid('error stopped every lane')
  return { pipeline, settings, stack, survivor }
}

async function untilStopped(worker: WorkerProcess): Promise<void> {
  for (const actor of ACTOR_NAMES) {
    await worker.untilSaid(`error restarting lane from checkpoint {"actor":"${actor}"`)
  }
}

/** The readiness of an API that has just started. */
async function startApi(t: ExecutionContext, settings: Settings) {
  const child = startCommand(['api'], { ...settings, PORT: '0', LOG_LEVEL: 'info', GRPC_PORT: '0' })
  let said = ''
  child.stderr?.on('data', (text: Buffer) => {
    said += text.toString()
  })
  child.stdout?.resume()
  const ended = new Promise((resolve) => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const apiUrl = (): string | undefined => /"url":"(http[^"]+)"/.exec(said)?.[1]
  await until('the API listens', BOUND_MS, () => apiUrl() !== undefined).catch(() => {
    throw new Error(`the API does not listen: ${said}`)
  })
  return async (): Promise<string> => {
    const answer = await fetch(`${apiUrl()}/readyz`)
    return `${answer.status} ${await answer.text()}`
  }
}

test('recover --yes makes all parts resume from an older database, with the tables of one that lost no event', async (t) => {
  const parts: [Event[], Event[]] = [smallMarket(731, 200), smallMarket(732, 400)]
  const { pipeline, settings, survivor } = await loseTime(t, parts)
  const { jetStream, topology } = pipeline
  const feed = () => streamExtent(jetStream, topology.feed.stream)
  const before = await feed()

  survivor.signal('SIGKILL')
  await survivor.ended
  // A process that begins now knows of no later time: it relies on FEED.
  const worker = await spawnWorker(t, pipeline, { actors: ACTOR_NAMES })
  await untilStopped(worker)
  const readiness = await startApi(t, settings)
  await until('the API says why it is not ready', BOUND_MS, async () => {
    const said = await readiness()
    return said.startsWith('503') && said.includes('swaptide recover')
  })

  const shown = await output(['recover'], settings)
  t.regex(shown, /FEED publishes commits that the database lacks, from message [\d,]+ on/)
  t.regex(shown, /^Read again: lane \d from message [\d,]+ to [\d,]+ of SWAP/m)
  t.regex(shown, /^Lost of SWAP: nothing\.$/m)
  t.regex(shown, /^nothing was changed/m)
  t.deepEqual(await feed(), before)

  const report = JSON.parse(await output(['recover', '--yes', '--json'], settings))
  t.true(report.done)
  t.true(report.ahead.sequence > 1 && report.ahead.sequence <= report.feed.last)
  t.not((await feed())?.epoch, before?.epoch)
  await caughtUp(settings)
  t.deepEqual(await hashesOf(t, settings), await hashesWithoutLoss(t, parts))
  await until('the API is ready', BOUND_MS, async () => (await readiness()).startsWith('200'))
  t.regex(await output(['recover', '--yes'], settings), /^nothing to recover/m)
  t.false(worker.hasEnded())
})

test('recover reports the events that SWAP no longer holds, and ingesting them again completes the tables', async (t) => {
  const parts: [Event[], Event[]] = [smallMarket(741, 150), smallMarket(742, 300)]
  const { pipeline, settings, survivor } = await loseTime(t, parts)
  const { jetStream, topology } = pipeline
  survivor.signal('SIGKILL')
  await survivor.ended
  const { stream } = topology.swap
  const held = await streamExtent(jetStream, stream)
  await trimStream(jetStream, stream, held!.last - 20)

  const { done, gone } = JSON.parse(await output(['recover', '--yes', '--json'], settings))
  t.true(done)
  t.is(gone.to, held!.last - 21)
  t.true(gone.from > 1 && gone.from < gone.to)
  t.true(new Date(gone.after) < new Date(gone.before))
  await spawnWorker(t, pipeline, { actors: ACTOR_NAMES })
  await caughtUp(settings)
  await publishAll(pipeline, parts[1], { eventsMax: 8 })
  await caughtUp(settings)
  t.deepEqual(await hashesOf(t, settings), await hashesWithoutLoss(t, parts))
})

test('recover starts the embedded servers of a stopped home, and creates none in another folder', async (t) => {
  const home = await temporaryFolder(t)
  const stack = await ownStack(t, { home })
  const settings = { DATABASE_URL: stack.databaseUrl, NATS_URL: stack.natsUrl }
  await output(['migrate'], { ...settings, REDIS_URL: stack.redisUrl })
  await stack.stop()
  t.regex(await output(['recover'], { SWAPTIDE_HOME: home }), /^nothing to recover/m)
  const empty = await temporaryFolder(t)
  const { code, stderr } = await runCommandLine(['recover'], { SWAPTIDE_HOME: empty })
  t.is(code, 1)
  t.regex(stderr, /nothing runs in/)
})
