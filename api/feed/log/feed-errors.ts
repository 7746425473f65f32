/**
 * Why nobody can go on reading FEED from where they were. Whoever reads it throws these and never yields less: how
 * a client is told is its feed's own matter.
 */

/** The place lies before what FEED still holds. */
export class FeedExpired extends Error {
  override name = 'FeedExpired'
}
/** FEED is another stream than when the reading began, went back behind what was read, or let go of what was not. */
export class FeedReplaced extends Error {
  override name = 'FeedReplaced'
}
