/** The REST API as a program of the benchmark; with queues of jobs where some program works on them. */
import { type ApiOptions, startApi } from '../../api/main.ts'
import { openJobQueue } from '../../streams/bullmq.ts'
import { programLog, programOptions, say, untilAskedToEnd } from './program.ts'

export type ApiSaid = { kind: 'ready'; url: string }
export type ApiGiven = Pick<ApiOptions, 'databaseUrl' | 'redisUrl' | 'prefix'> & {
  asksJobs?: boolean
}

const { asksJobs, ...given } = programOptions<ApiGiven>()
const { redisUrl, prefix } = given
const jobs =
  asksJobs && redisUrl !== undefined && prefix !== undefined
    ? openJobQueue({ redisUrl, prefix, log: programLog })
    : undefined
const api = await startApi({ ...given, port: 0, log: programLog, ...(jobs ? { jobs } : {}) })
say<ApiSaid>({ kind: 'ready', url: api.url })
await untilAskedToEnd()
await api.stop()
await jobs?.close()
process.disconnect?.()
