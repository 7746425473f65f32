/** A background job: its dependencies and its signature. The list of all jobs is in functions.ts. */

import type { NamesProvider } from '../../chain/accounts/names-provider.ts'
import type { BalanceProvider } from '../../chain/accounts/providers.ts'
import type { Log } from '../../domain/log.ts'
import type { Db } from '../../sql/db.ts'
import type { JobName, JobPayloads, JobRun } from '../../streams/jobs/job.ts'
import type { TopologyOptions } from '../../streams/nats/topology.ts'
import type { ImageReader } from '../../streams/outgoing/token-image.ts'
import type { Retention } from './retention.ts'

export type JobDeps = {
  db: Db
  log: Log
  /** Absent: on-chain holdings of wallets are unknown. */
  balances?: BalanceProvider
  /** Absent: mints that no event names stay nameless. */
  names?: NamesProvider
  /** Absent: no document of a token is requested. */
  images?: ImageReader
  /** Absent: no record is deleted. */
  retention?: Retention
  /** Absent: no swap is sealed. */
  sealAfterHours?: number
  /** Absent: no swap is dropped. */
  historyDays?: number
  /** The first Unix ms whose swaps are not exported; absent: none need be before they are dropped. */
  exportedUntil?: (db: Db) => Promise<number>
  /** Absent: replay jobs fail. */
  streams?: StreamAccess
}

export type StreamAccess = TopologyOptions & { natsUrl: string }

/** May run twice, and at the same time as itself: it leaves the same rows. Heeds the signal if it is long. */
export type JobFunction<Name extends JobName> = (
  payload: JobPayloads[Name],
  deps: JobDeps,
  signal: AbortSignal,
  ...run: Name extends 'replay' | 'backtest' | 'past-ranking' ? [JobRun] : []
) => Promise<void>

export type JobFunctions = { readonly [Name in JobName]?: JobFunction<Name> }
