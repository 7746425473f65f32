/** Jobs as a program of the benchmark: a job worker for schedules and requests of the API. */
import { startJobs } from '../../workers/jobs/main.ts'
import { programLog, programOptions, say, untilStopRequested } from './program.ts'

export type JobsSaid = { kind: 'ready' }

type Given = { databaseUrl: string; redisUrl: string; prefix: string }

const jobs = startJobs({ ...programOptions<Given>(), log: programLog })
say<JobsSaid>({ kind: 'ready' })
await untilStopRequested()
await jobs.stop()
process.exit(0)
