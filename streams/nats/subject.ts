/**
 * Builds and matches every subject: the only file with a subject literal.
 *
 *   swap.<venue>.<lane of the pool>                      events in; swap.token.<lane>: token lines, retractions
 *   feed.<venue>.<lane of the wallet>.<lane of the pool> committed events
 *   pace.<lane of the pool>                              the interval of its commits, to current subscribers
 *   commit_failure                                       lanes whose commits fail, to current subscribers
 *
 * The feed's last part names the writer: because a subject has one writer, the stream refuses a publisher that lost its
 * lane (expected last sequence of the subject). Readers use one filter: a consumer of several costs the server ten
 * times as much (openReader). Pure.
 */
import { type Event, type MarketEvent, payloadOf } from '../../domain/events/event.ts'
import { VENUES, venueOf } from '../../domain/venue.ts'
import { laneOf } from './lane.ts'

/** A prefix separates the streams of one installation (or of one test): `` or `name.`. */
export type SubjectPrefix = string

const TOKEN_SOURCE = 'token'
const PACE = 'pace'
const COMMIT_FAILURE = 'commit_failure'

export function swapSubject(prefix: SubjectPrefix, event: MarketEvent, laneCount: number): string {
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

/** All subjects that an event is published to: of a retraction, one to each lane, the first one lane 0's. */
export function swapSubjects(prefix: SubjectPrefix, event: Event, laneCount: number): string[] {
  if (event.kind !== 'retract') return [swapSubject(prefix, event, laneCount)]
  return Array.from({ length: laneCount }, (_, lane) => `${prefix}swap.${TOKEN_SOURCE}.${lane}`)
}

/** All that a pool lane reads. */
export function swapLaneFilter(prefix: SubjectPrefix, lane: number): string {
  return `${prefix}swap.*.${lane}`
}

/** All of SWAP. */
export function swapStreamSubject(prefix: SubjectPrefix): string {
  return `${prefix}swap.*.*`
}

/** Where the pool lane `poolLane` publishes the events of `walletLane`'s wallets on a venue. */
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

/** A subject of the stream with this subject that no lane reads or writes: confirms where the stream ends. */
export function endSubject(streamSubject: string): string {
  return streamSubject.replaceAll('*', 'end')
}

/** Whether a message of FEED has no events because it confirms where FEED ends. */
export function confirmsEnd(subject: string): boolean {
  return subject.endsWith(endSubject('feed.*.*.*'))
}

/** All that a wallet lane reads of the feed. */
export function feedLaneFilter(prefix: SubjectPrefix, walletLane: number): string {
  return `${prefix}feed.*.${walletLane}.*`
}

/** All that one pool lane writes to the feed. */
export function feedPoolLaneFilter(prefix: SubjectPrefix, poolLane: number): string {
  return `${prefix}feed.*.*.${poolLane}`
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

/** Where a pool lane publishes its backpressure hint; no stream stores it. */
export function paceSubject(prefix: SubjectPrefix, lane: number | '*'): string {
  return `${prefix}${PACE}.${lane}`
}

/** Where lanes report that their commits fail; no stream stores it. */
export function commitFailureSubject(prefix: SubjectPrefix): string {
  return `${prefix}${COMMIT_FAILURE}`
}

/** Subject pattern of an operator: `*` matches one part, at the end also the rest; `>` for the rest. */
export type SubjectPattern = { text: string; stream: 'SWAP' | 'FEED'; parts: readonly string[] }

/** All that was committed. */
export const EVERYTHING = 'feed.>'

/** Pattern of the committed events of one venue. */
export function venuePattern(venue: string): string {
  return `feed.${venue}.*`
}

const STREAM_OF = { swap: 'SWAP', feed: 'FEED' } as const
/** Number of parts of a whole subject. */
const PARTS = { SWAP: 3, FEED: 4 }

/** A pattern without the installation's prefix, or the reason why it is refused. */
export function parsePattern(text: string, laneCount: number): SubjectPattern | { error: string } {
  const parts = text.split('.')
  const [first = '', source = '>', ...lanes] = parts
  if (first !== 'swap' && first !== 'feed') return { error: 'expected swap. or feed. first' }
  const stream = STREAM_OF[first]
  const rest = parts.indexOf('>')
  const isOpen = ['*', '>'].includes(parts.at(-1) ?? '')
  if (parts.length > PARTS[stream] || (parts.length < PARTS[stream] && !isOpen)) {
    return { error: `expected up to ${PARTS[stream]} parts, the last of fewer * or >` }
  }
  if (rest !== -1 && rest !== parts.length - 1) return { error: 'expected > at the end only' }
  const sources = [...VENUES.map(({ name }) => name), ...(stream === 'SWAP' ? [TOKEN_SOURCE] : [])]
  const isOf = (choices: readonly string[]) => (part: string) =>
    part === '*' || part === '>' || choices.includes(part)
  if (!isOf(sources)(source)) return { error: `expected * or one of ${sources.join(' ')} second` }
  const laneNames = Array.from({ length: laneCount }, (_, lane) => `${lane}`)
  if (!lanes.every(isOf(laneNames)))
    return { error: `expected lanes of 0 to ${laneCount - 1} or *` }
  return { text, stream, parts }
}

/** `subject` without the installation's prefix. */
export function matchesPattern({ parts }: SubjectPattern, subject: string): boolean {
  const given = subject.split('.')
  const isMatch = parts.every(
    (part, at) => at < given.length && (part === '*' || part === '>' || part === given[at]),
  )
  return isMatch && (parts.length === given.length || ['*', '>'].includes(parts.at(-1) ?? ''))
}

/** All that matches, as the server filters. */
export function patternFilter(prefix: SubjectPrefix, { parts, stream }: SubjectPattern): string {
  const isShort = parts.length < PARTS[stream] && parts.at(-1) === '*'
  return `${prefix}${(isShort ? [...parts.slice(0, -1), '>'] : parts).join('.')}`
}

/** Where FEED publishes an event, or where it came in by SWAP; without a prefix. FEED has no token lines. */
export function subjectIn(stream: 'SWAP' | 'FEED', event: MarketEvent, laneCount: number): string {
  if (stream === 'SWAP' || event.kind === 'token') return swapSubject('', event, laneCount)
  const { dex, pairAddress } = payloadOf(event)
  const wallet =
    event.kind === 'swap'
      ? event.swap.user
      : (event.poolEvent.creator ?? event.poolEvent.pairAddress)
  return feedSubject('', dex, laneOf(wallet, laneCount), laneOf(pairAddress, laneCount))
}

/** The venues that a pattern lets through; undefined: all. */
export function venuesOf({ parts }: SubjectPattern): number[] | undefined {
  const [, source = '*'] = parts
  return source === '*' || source === '>'
    ? undefined
    : VENUES.filter(({ name }) => name === source).map(({ dex }) => dex)
}

/** Whether a subject is one of the installation's, which only the installation may write. */
export function isOwnSubject(prefix: SubjectPrefix, subject: string): boolean {
  return [...Object.keys(STREAM_OF), PACE].some((first) =>
    `${subject}.`.startsWith(`${prefix}${first}.`),
  )
}

/** The same subject with another lane as its last part: in SWAP the reader's, in FEED the writer's. */
export function subjectOfLane(subject: string, lane: number): string {
  return `${subject.slice(0, subject.lastIndexOf('.') + 1)}${lane}`
}

/** The lane at the end of a subject: in SWAP and FEED the pool's. */
export function laneOfSubject(subject: string): number {
  return Number(subject.slice(subject.lastIndexOf('.') + 1))
}

/** The wallet's lane in a subject of FEED: the part before the last. */
export function walletLaneOfSubject(subject: string): number {
  const end = subject.lastIndexOf('.')
  return Number(subject.slice(subject.lastIndexOf('.', end - 1) + 1, end))
}
