/** The queues of jobs for `status`: waiting, running and failed jobs, with the reasons. */
import { openJobQueue } from '../../streams/jobs/bullmq.ts'
import { JobsUnavailable, type QueueDepth } from '../../streams/jobs/job.ts'
import { duration, grouped, table } from '../cli/format.ts'
import type { Logger } from '../log.ts'
import type { Installation } from '../processes/installation.ts'

/** Null while Redis cannot be reached: the rest of the status is reported nevertheless. */
export async function listQueues(
  { redisUrl, prefix }: Installation,
  log: Logger,
): Promise<QueueDepth[] | null> {
  const queue = openJobQueue({ redisUrl, prefix, log })
  try {
    return await queue.depths()
  } catch (error) {
    if (error instanceof JobsUnavailable) return null
    throw error
  } finally {
    await queue.close()
  }
}

export function describeQueues(queues: readonly QueueDepth[] | null, nowMs: number): string {
  if (queues === null) return 'queues of jobs: Redis cannot be reached\n'
  const rows = queues.map(({ name, waiting, active, delayed, failed, newest_failure: newest }) => [
    name,
    ...[waiting, active, delayed, failed].map(grouped),
    newest === null ? '' : `${duration(nowMs - newest.failed_ms)} ago: ${firstLine(newest.reason)}`,
  ])
  return table(['job', 'waiting', 'active', 'delayed', 'failed', 'newest failure'], rows)
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
