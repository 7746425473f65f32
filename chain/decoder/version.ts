/**
 * Version of the decoder, stored with the slots that it has read. It grows with every change that yields other events for
 * a block: `swaptide backfill --again` then reads the slots of older versions again.
 */
export const DECODER_VERSION = 3
