/** Streams on a cluster of three nodes: replicas of new and of existing streams, one node down, and too few nodes. */
import test, { type ExecutionContext } from 'ava'
import { ApiError, toApiError } from '../../../api/routing/error.ts'
import { connectJetStream, type JetStream, openReader } from '../../../streams/nats/jetstream.ts'
import { findStored, streamCopies, untilApplied } from '../../../streams/nats/replicas.ts'
import { feedStreamSubject, feedSubject } from '../../../streams/nats/subject.ts'
import {
  ensureTopology,
  recreateStream,
  streamState,
  type Topology,
} from '../../../streams/nats/topology.ts'
import { type NatsCluster, type NatsNode, natsCluster } from '../../support/cluster/nats.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase, testPrefix } from '../../support/servers/database.ts'
import { testServers } from '../../support/servers/servers.ts'
import { openPipeline, until } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const SIZES = { swapMaxBytes: 16 * 1024 * 1024, feedMaxBytes: 16 * 1024 * 1024, laneCount: 2 }
const BOUND_MS = 60_000

async function connected(t: ExecutionContext, natsUrl: string): Promise<JetStream> {
  const { log } = recordingLog()
  const jetStream = await connectJetStream(natsUrl, { name: 'swaptide-test', log })
  t.teardown(() => jetStream.close())
  return jetStream
}

/** The node that has the consumer of a stream's only reader in its memory. */
async function leaderOfConsumer(
  { nodes }: NatsCluster,
  { manager }: JetStream,
  stream: string,
): Promise<NatsNode> {
  let leader: NatsNode | undefined
  await until('the consumer has a leader', BOUND_MS, async () => {
    const [consumer] = await manager.consumers.list(stream).next()
    leader = nodes.find(({ name }) => name === consumer?.cluster?.leader)
    return leader !== undefined
  })
  return leader as NatsNode
}

/** Like a part that starts: tries again while the cluster has no leader. Any other error rejects. */
async function untilEnsured(
  jetStream: JetStream,
  wanted: Parameters<typeof ensureTopology>[1],
): Promise<Topology> {
  let topology: Topology | undefined
  await until('the streams are there', BOUND_MS, async () => {
    topology = await ensureTopology(jetStream, wanted)
    return true
  })
  return topology as Topology
}

/** By its id it is stored once, however often a leader that was just elected gives no answer. */
async function publishOnce(jetStream: JetStream, subject: string, id: string): Promise<void> {
  await until('the message is stored', BOUND_MS, async () => {
    await jetStream.publish(subject, Buffer.from('a message'), { id })
    return true
  })
}

test('copies existing streams to as many nodes as configured, and starts while one of them is down', async (t) => {
  const cluster = await natsCluster(t)
  const first = await connected(t, cluster.natsUrl)
  const prefix = testPrefix()
  const single = await ensureTopology(first, { prefix, ...SIZES })
  const { stream } = single.feed
  t.like(await streamCopies(first, stream), { replicas: 1, current: 1 })
  await first.publish(feedSubject(prefix, 1, 0, 0), Buffer.from('before'))
  await untilApplied(first, stream)
  t.is((await streamState(first, stream)).last, 1, 'the only node has applied all')

  await until('the streams are set to three nodes, and are the same', BOUND_MS, async () => {
    const copied = await ensureTopology(first, { prefix, ...SIZES, replicas: 3 })
    t.deepEqual(copied.feed, single.feed)
    return true
  })
  await until('all nodes have it', BOUND_MS, async () => {
    const { current } = await streamCopies(first, stream)
    return current === 3
  })
  const { databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const settings = {
    ...{ DATABASE_URL: databaseUrl, NATS_URL: cluster.natsUrl, REDIS_URL: testServers().redisUrl },
    ...{ SWAPTIDE_STREAM_PREFIX: prefix.replace('.', ''), LANES: String(SIZES.laneCount) },
  }
  const untilStatusHas = (line: RegExp) =>
    until(`status has ${line}`, BOUND_MS, async () => {
      return line.test((await runHere(['status'], settings)).stdout)
    })
  await untilStatusHas(/^streams: \S*SWAP on 3 nodes, \S*FEED on 3 nodes$/m)
  t.like(await ensureTopology(first, { prefix }), { feed: single.feed })
  t.like(await streamCopies(first, stream), { replicas: 3 }, 'no setting changes nothing')

  const reader = await openReader(first, stream, feedStreamSubject(prefix), 1)
  t.teardown(() => reader.close())
  t.is((await reader.take(1, BOUND_MS)).length, 1)
  const lost = await leaderOfConsumer(cluster, first, stream)
  await cluster.kill(lost)
  // The list as it is, whichever of it is down: a process that starts now, and one that runs.
  for (const natsUrl of [cluster.natsUrl, cluster.natsUrl.split(',').reverse().join(',')]) {
    const second = await connected(t, natsUrl)
    await until('the other nodes lead', BOUND_MS, async () => {
      const found = await ensureTopology(second, { prefix, replicas: 3 }).catch(() => undefined)
      return found?.feed.epoch === single.feed.epoch
    })
    await publishOnce(second, feedSubject(prefix, 1, 0, 0), natsUrl)
    await until('two of three nodes have it', BOUND_MS, async () => {
      const { replicas, current } = await streamCopies(second, stream)
      return replicas === 3 && current === 2
    })
  }
  await untilStatusHas(/^streams: \S*SWAP on 2 of 3 nodes, \S*FEED on 2 of 3 nodes$/m)
  const read: number[] = []
  await until('the reader goes on', BOUND_MS, async () => {
    read.push(...(await reader.take(1024, 1_000)).map(({ sequence }) => sequence))
    return read.length === 2
  })
  t.deepEqual(read, [2, 3])
  await cluster.start(lost)
  await cluster.untilComplete(first, stream)
  await until('the leader has applied a message that no lane reads', BOUND_MS, async () => {
    await untilApplied(first, stream)
    const { last } = await streamState(first, stream)
    return last >= 4
  })
})

test('a cluster without a leader is one sentence, a 503 of the API, and no end of status --wait', async (t) => {
  const cluster = await natsCluster(t)
  const servers = { ...testServers(), natsUrl: cluster.natsUrl }
  const pipeline = await openPipeline(t, { servers, replicas: 3 })
  const settings = settingsOf(pipeline)
  const stopped = cluster.nodes.slice(1)
  for (const node of stopped) await cluster.kill(node)
  await until('no node leads', BOUND_MS, async () => {
    const { code, stderr } = await runHere(['status'], settings)
    return code === 1 && /^swaptide: NATS has no leader now: .*try again$/m.test(stderr)
  })
  await until('the API would answer 503', BOUND_MS, async () => {
    const refusal = await pipeline.jetStream.manager.streams.delete('NONE').catch(toApiError)
    return refusal instanceof ApiError && refusal.message === 'NATS does not answer: try again'
  })
  const { code, stderr } = await runHere(['status', '--wait', '--timeout', '3'], settings)
  t.is(code, 1)
  t.regex(stderr, /^swaptide: NATS has no leader now: /m)

  const waiting = runHere(['status', '--wait', '--timeout', '120'], settings)
  for (const node of stopped) await cluster.start(node)
  await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'] })
  const status = await waiting
  t.is(status.code, 0, status.stderr)
  t.regex(status.stdout, /^0 swaps, 0 dead letters$/m)
})

test('parts on all nodes that create the streams at once, or again, agree on them', async (t) => {
  const { nodes } = await natsCluster(t)
  const parts = await Promise.all(nodes.map(({ port }) => connected(t, `nats://127.0.0.1:${port}`)))
  for (let round = 0; round < 4; round += 1) {
    const prefix = testPrefix()
    const wanted = { ...SIZES, prefix, replicas: 3 }
    const ensured = (part: JetStream) => untilEnsured(part, wanted)
    const made = await Promise.all(parts.map(ensured))
    t.is(new Set(made.map(({ swap, feed }) => `${swap.epoch} ${feed.epoch}`)).size, 1)
    const { swap } = made[0]!
    await Promise.all([recreateStream(parts[0]!, swap.stream), ...parts.slice(1).map(ensured)])
    const known = await Promise.all(parts.map(ensured))
    t.is(new Set(known.map((each) => each.swap.epoch)).size, 1)
    t.not(known[0]!.swap.epoch, swap.epoch)
  }
})

test('refuses more replicas than there are nodes with one sentence', async (t) => {
  const prefix = testPrefix()
  const alone = await connected(t, testServers().natsUrl)
  const single = { prefix, ...SIZES }
  await t.throwsAsync(ensureTopology(alone, { ...single, replicas: 3 }), {
    message:
      'STREAM_REPLICAS 3: NATS is a single server: start NATS as a cluster of 3 nodes with JetStream or more, ' +
      'or set it lower',
  })
  const { feed, swap } = await ensureTopology(alone, single)
  t.teardown(() =>
    Promise.all([feed, swap].map(({ stream }) => alone.manager.streams.delete(stream))),
  )
  await t.throwsAsync(ensureTopology(alone, { ...single, replicas: 3 }), {
    message: /^STREAM_REPLICAS 3: NATS is a single server: /,
  })
  const cluster = await natsCluster(t)
  const member = await connected(t, cluster.natsUrl)
  await t.throwsAsync(ensureTopology(member, { ...single, replicas: 5 }), {
    message:
      /^STREAM_REPLICAS 5: too few nodes of NATS can store a stream now: start NATS as a cluster of 5 nodes/,
  })
  await ensureTopology(member, { ...single, replicas: 3 })
  await t.throwsAsync(ensureTopology(member, { ...single, replicas: 5 }), {
    message: /^STREAM_REPLICAS 5: too few nodes/,
  })
})

test('finds an acknowledged message while a frozen leader wakes next to its successor', async (t) => {
  const cluster = await natsCluster(t)
  const jetStream = await connected(t, cluster.natsUrl)
  const prefix = testPrefix()
  const subject = feedSubject(prefix, 1, 0, 0)
  let stream = ''
  await until('the streams are made', BOUND_MS, async () => {
    stream = (await ensureTopology(jetStream, { prefix, ...SIZES, replicas: 3 })).feed.stream
    return true
  })
  await publishOnce(jetStream, subject, 'before')
  const frozen = await cluster.leaderOf(jetStream, stream)
  cluster.freeze(frozen)
  await until('another node leads', BOUND_MS, async () => {
    const { cluster: seen } = await jetStream.manager.streams.info(stream)
    return seen?.leader !== frozen.name
  })
  let sequence = 0
  await until('the message is stored', BOUND_MS, async () => {
    ;({ sequence } = await jetStream.publish(subject, Buffer.from('after'), { id: 'after' }))
    return true
  })
  cluster.wake(frozen)
  for (let reads = 0; reads < 50; reads++) {
    await until('the nodes answer', BOUND_MS, async () => {
      t.is((await findStored(jetStream, stream, sequence))?.sequence, sequence)
      return true
    })
  }
  await cluster.untilComplete(jetStream, stream)
  await until('the nodes answer', BOUND_MS, async () => {
    t.is(await findStored(jetStream, stream, sequence + 1_000), undefined)
    return true
  })
})
