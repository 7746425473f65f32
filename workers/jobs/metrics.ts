/** Prometheus metrics of a jobs process: duration and outcome of its jobs. */
import { Histogram, type Registry } from 'prom-client'
import type { JobName } from '../../streams/jobs/job.ts'

const JOB_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 180, 600]

/** Times a run of a job; its outcome is that of the run. */
type TimeJob = (job: JobName, run: () => Promise<void>) => Promise<void>

export function createJobTimer(registry: Registry): TimeJob {
  const durations = new Histogram({
    name: 'swaptide_job_duration_seconds',
    help: 'Runs of jobs, by how they ended: done or failed',
    // `job` is a label that Prometheus sets itself.
    labelNames: ['job_name', 'outcome'] as const,
    buckets: JOB_BUCKETS,
    registers: [registry],
  })
  return async (job, run) => {
    const end = durations.startTimer({ job_name: job })
    try {
      await run()
      end({ outcome: 'done' })
    } catch (error) {
      end({ outcome: 'failed' })
      throw error
    }
  }
}
