/** Jobs as a program of the benchmark: a job worker for schedules and requests of the API. */
import { startJobs } from '../../workers/jobs/main.ts'
import { programLog, programOptions, sendToStarter, untilStopRequested } from './program.ts'

export type JobsMessage = { kind: 'ready' }

type Given = { databaseUrl: string; redisUrl: string; prefix: string }

const jobs = startJobs({ ...programOptions<Given>(), log: programLog })
sendToStarter<JobsMessage>({ kind: 'ready' })
await untilStopRequested()
await jobs.stop()
process.exit(0)
