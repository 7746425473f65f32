/**
 * The API with its feeds as a separate process, for tests that kill it:
 *   node feed-program.ts '{"databaseUrl": ..., "natsUrl": ..., "redisUrl": ..., "prefix": ..., "laneCount": 4, "port": 0}'
 * Prints its port once it listens, and that of gRPC if "grpcPort" is set; SIGTERM drains it.
 */
import { startApi } from '../../../api/main.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import { recordingLog } from '../recording-log.ts'

const { natsUrl, laneCount, grpcPort, timing, ...options } = JSON.parse(process.argv[2] ?? '{}')
const { log } = recordingLog((line) => process.stderr.write(`${line}\n`))
const jetStream = await connectJetStream(natsUrl, { name: 'swaptide-test-feed', log })
const { feed } = await ensureTopology(jetStream, { prefix: options.prefix, laneCount })
const grpc = grpcPort === undefined ? {} : { grpc: { host: '127.0.0.1', port: grpcPort } }
const source = { jetStream, stream: feed.stream, timing, ...grpc }
const api = await startApi({ deadlineMs: 60_000, walkMs: 60_000, ...options, log, feed: source })
process.once('SIGTERM', async () => {
  await api.stop()
  await jetStream.close()
})
process.stdout.write(`${api.port}${grpcPort === undefined ? '' : ` ${api.grpcPort}`}\n`)
