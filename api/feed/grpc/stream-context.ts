/** The dependencies of a Subscribe call and its time limits. */

import type { Log } from '../../../domain/log.ts'
import type { VenueNaming } from '../../../domain/venue.ts'
import type { KeyRing } from '../../gateway/keys/key-ring.ts'
import type { KeyWatch } from '../../gateway/keys/key-watch.ts'
import type { FeedHub } from '../log/feed-reader.ts'
import type { StoredEvents } from '../log/stored.ts'
import type { StreamSlots } from '../stream-slots.ts'

/** Dependencies of a call, shared by the process. */
export type StreamContext = {
  hub: FeedHub
  stored: StoredEvents
  ring: KeyRing
  keyWatch: Pick<KeyWatch, 'watch'>
  streamSlots: StreamSlots
  /** Encodes an answer other than swaps. */
  encode: (answer: object) => Buffer
  times: StreamTimes
  now: () => number
  log: Log
  /** Absent: venues are `venue_<id>`. */
  venueNames?: VenueNaming | undefined
}

export type StreamTimes = {
  /** A client that reads nothing for this long is disconnected. */
  slowMs: number
  /** Time for a status to reach the client before its call is cut. */
  endMs: number
  /** Lag of the tail reader from which health reports NOT_SERVING. */
  lagMsMax: number
  /** Time after which a connection without calls is closed, and maximum duration of a health or reflection call. */
  idleMs: number
}
