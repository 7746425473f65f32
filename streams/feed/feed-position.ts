/** The position in FEED that a process has read up to. */

import type { LanesPublished } from './published-commits.ts'

/** The newest message of FEED that a process has read, and the parts of each lane's newest commit read by then. */
export type FeedPosition = { epoch: string; sequence: number; published: LanesPublished }
