/** The position in FEED that a process has read up to. */

import type { LanesAnnounced } from './announced-commits.ts'

/** The newest message of FEED that a process has read, and what it then had of each lane. */
export type FeedPlace = { epoch: string; sequence: number; announced: LanesAnnounced }
