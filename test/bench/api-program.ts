/** The REST API as a program of the benchmark. */
import { startApi } from '../../api/main.ts'
import { programLog, programOptions, say, untilAskedToEnd } from './program.ts'

export type ApiSaid = { kind: 'ready'; url: string }

const { databaseUrl } = programOptions<{ databaseUrl: string }>()
const api = await startApi({ databaseUrl, port: 0, log: programLog })
say<ApiSaid>({ kind: 'ready', url: api.url })
await untilAskedToEnd()
await api.stop()
process.disconnect?.()
