/**
 * Version of the decoder, stored with the slots that it has read. It grows with every change that yields other events for
 * a block: `swaptide backfill --again` then reads the slots of older versions again. A venue that is added raises it by
 * itself; any other such change raises REVISION.
 */
import { VENUES } from '../../domain/venue.ts'

const REVISION = 4
/** Programs that revision 4 read. */
const PROGRAMS_AT_FIRST = 10

export const DECODER_VERSION = REVISION + VENUES.length - PROGRAMS_AT_FIRST
