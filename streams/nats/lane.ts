/**
 * Key -> lane: FNV-1a, 32 bits, over the key's ASCII codes, its halves folded (the low bits alone
 * mix badly), modulo a count that is fixed when the streams are created. The vectors in
 * test/streams/nats/lane.test.ts pin it: a change of this function would send the events of one key to two
 * owners.
 *
 * Decision: docs/decisions/0099-one-lane-by-default.md, before it docs/decisions/0006-two-lanes-by-default.md
 */

/** Lanes per stream unless the streams were created with another count. */
export const DEFAULT_LANE_COUNT = 1

export function laneOf(key: string, laneCount: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  }
  return ((hash ^ (hash >>> 16)) >>> 0) % laneCount
}
