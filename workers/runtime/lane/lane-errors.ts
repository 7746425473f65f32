/** Why a lane cannot go on as it is, whatever its actor: what the runtime throws, and tells apart by class. */

/** Another owner has the lane: its epoch is higher, or it committed in between. */
export class Fenced extends Error {}
/** The stream was recreated, or the reader stands still although there is more to read. */
export class ReaderLost extends Error {}

/** The database ended a connection, perhaps because it went down: what it had not put on disk may be gone. */
export class ConnectionLost extends Error {}

/** FEED was written from another database: what this one commits would be taken for published. */
export class FeedAhead extends Error {}

/** FEED lost its end: messages of this lane that it had acknowledged no longer stand there. */
export class FeedCut extends Error {}
