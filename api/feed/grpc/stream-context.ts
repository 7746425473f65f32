/** The dependencies of a Subscribe call and its time limits. */

import type { Log } from '../../../domain/log.ts'
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
  places: StreamSlots
  /** An answer other than swaps, as bytes. */
  encode: (answer: object) => Buffer
  times: StreamTimes
  now: () => number
  log: Log
}

export type StreamTimes = {
  /** Without a byte taken, after which a reader is sent away. */
  slowMs: number
  /** That a status has to reach the client before its call is cut. */
  endMs: number
  /** Behind FEED, after which health says NOT_SERVING. */
  lagMsMax: number
  /** That a connection may be there without a call, before it is asked to go: clients come back by themselves. */
  idleMs: number
}
