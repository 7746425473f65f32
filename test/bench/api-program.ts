/** The REST API as a program of the benchmark. */
import { type ApiOptions, startApi } from '../../api/main.ts'
import { programLog, programOptions, say, untilAskedToEnd } from './program.ts'

export type ApiSaid = { kind: 'ready'; url: string }

const given = programOptions<Pick<ApiOptions, 'databaseUrl' | 'redisUrl' | 'prefix'>>()
const api = await startApi({ ...given, port: 0, log: programLog })
say<ApiSaid>({ kind: 'ready', url: api.url })
await untilAskedToEnd()
await api.stop()
process.disconnect?.()
