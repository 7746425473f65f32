/**
 * The API as a program of the benchmark: with queues of jobs where some program works on them, with its feeds
 * where NATS is given.
 */
import { type ApiOptions, startApi } from '../../api/main.ts'
import { bundleInBackground } from '../../api/pages/bundle.ts'
import { openJobQueue } from '../../streams/jobs/bullmq.ts'
import { connectJetStream, type JetStream } from '../../streams/nats/jetstream.ts'
import { ensureTopology } from '../../streams/nats/topology.ts'
import { programLog, programOptions, sendToStarter, untilStopRequested } from './program.ts'

export type ApiMessage = { kind: 'ready'; url: string; grpcPort?: number }
export type ApiGiven = Pick<ApiOptions, 'databaseUrl' | 'redisUrl' | 'prefix'> & {
  requestsJobs?: boolean
  /** With feeds over the FEED of the prefix; absent: without. */
  natsUrl?: string
}

const { requestsJobs, natsUrl, ...given } = programOptions<ApiGiven>()
const { redisUrl, prefix } = given
const jobs =
  requestsJobs && redisUrl !== undefined && prefix !== undefined
    ? openJobQueue({ redisUrl, prefix, log: programLog })
    : undefined
const jetStream =
  natsUrl === undefined
    ? undefined
    : await connectJetStream(natsUrl, { name: 'bench-api', log: programLog })
const api = await startApi({
  ...given,
  port: 0,
  log: programLog,
  ...(jobs ? { jobs } : {}),
  ...(jetStream ? { feed: await feedOf(jetStream) } : {}),
})
bundleInBackground(programLog)
const { url, grpcPort } = api
sendToStarter<ApiMessage>({ kind: 'ready', url, ...(grpcPort === undefined ? {} : { grpcPort }) })
await untilStopRequested()
await api.stop()
await jobs?.close()
await jetStream?.close()
process.disconnect?.()

async function feedOf(connected: JetStream) {
  const { feed } = await ensureTopology(connected, { prefix: prefix ?? '' })
  return { jetStream: connected, stream: feed.stream, grpc: { port: 0, host: '127.0.0.1' } }
}
