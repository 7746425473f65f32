/**
 * Builds and matches every subject: the only file with a subject literal.
 *
 *   swap.<venue>.<lane of the pool>                      events in; token lines: swap.token.<lane of the mint>
 *   feed.<venue>.<lane of the wallet>.<lane of the pool> what was committed
 *
 * The feed's last part names the writer: a subject with one writer is what lets a publisher that lost
 * its lane be refused by the stream itself (expected last sequence of the subject). Whoever reads does
 * so by one filter: a consumer of several costs the server ten times as much (openReader).
 */
import type { Event } from './event.ts'
import { laneOf } from './lane.ts'
import { VENUES, venueOf } from './venue.ts'

/** A prefix keeps the streams of one installation (or of one test) apart: `` or `name.`. */
export type SubjectPrefix = string

const TOKEN_SOURCE = 'token'

export function swapSubject(prefix: SubjectPrefix, event: Event, laneCount: number): string {
  switch (event.kind) {
    case 'swap':
      return `${prefix}swap.${venueOf(event.swap.dex).name}.${laneOf(event.swap.pairAddress, laneCount)}`
    case 'pool_event':
      return `${prefix}swap.${venueOf(event.poolEvent.dex).name}.${laneOf(event.poolEvent.pairAddress, laneCount)}`
    case 'token':
      return `${prefix}swap.${TOKEN_SOURCE}.${laneOf(event.token.tokenAddress, laneCount)}`
    default:
      return event satisfies never
  }
}

/** All that a pool lane reads. */
export function swapLaneFilter(prefix: SubjectPrefix, lane: number): string {
  return `${prefix}swap.*.${lane}`
}

/** All of SWAP. */
export function swapStreamSubject(prefix: SubjectPrefix): string {
  return `${prefix}swap.*.*`
}

/** Where the pool lane `poolLane` announces what the wallets of `walletLane` did on a venue. */
export function feedSubject(
  prefix: SubjectPrefix,
  dex: number,
  walletLane: number,
  poolLane: number,
): string {
  return `${prefix}feed.${venueOf(dex).name}.${walletLane}.${poolLane}`
}

/** All of FEED. */
export function feedStreamSubject(prefix: SubjectPrefix): string {
  return `${prefix}feed.*.*.*`
}

/** All that a wallet lane reads of the feed. */
export function feedLaneFilter(prefix: SubjectPrefix, walletLane: number): string {
  return `${prefix}feed.*.${walletLane}.*`
}

/** Every feed subject that one pool lane writes. */
export function feedSubjectsOfPoolLane(
  prefix: SubjectPrefix,
  poolLane: number,
  laneCount: number,
): string[] {
  return VENUES.flatMap((venue) =>
    Array.from({ length: laneCount }, (_, walletLane) =>
      feedSubject(prefix, venue.dex, walletLane, poolLane),
    ),
  )
}
