/** Bounds of the streams that hold without a setting. */

const GIB = 1024 ** 3

/** Bytes of a new stream. */
export const STREAM_BYTES = { SWAP: 4 * GIB, FEED: 8 * GIB } as const

/** Age at which FEED drops a message also where it has room. */
export const FEED_DAYS = 7
