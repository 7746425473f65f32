/**
 * Errors of reading FEED from a position that no longer exists. The hub throws them instead of skipping messages; each
 * transport maps them to its own errors.
 */

/** The position is older than the oldest message of FEED. */
export class FeedExpired extends Error {
  override name = 'FeedExpired'
}
/** FEED was recreated since the read began, lost messages that were read, or trimmed messages before they were read. */
export class FeedReplaced extends Error {
  override name = 'FeedReplaced'
}
