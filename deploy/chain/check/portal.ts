/**
 * Checks a portal for `swaptide source check`: everything that `source portal` and `backfill --portal` need of it, and the
 * facts of portals that were not verified. It costs some ten requests.
 */
import type { PortalClient } from '../../../chain/sources/portal/client.ts'
import { createPortalSlots } from '../../../chain/sources/portal/portal-slots.ts'
import { portalPrograms } from '../../../chain/sources/portal.ts'
import { listOf, objectOf } from '../../../chain/transaction/parts.ts'
import { isObject } from '../../../domain/text/exact-json.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import { clockFinding, type Finding, fail, pass, warn } from './finding.ts'

/** Slots before the newest block whose headers are read. */
const CHAIN_SLOTS = 100
/** Transactions of version 1 are on the chain since this slot; the indexer may lack blocks that have them. */
const FIRST_SLOT_OF_VERSION_1 = 447_120_000
const VERSIONED_BLOCKS = 20
const PAGES = 3
const PAGE_SLOTS = 20
/** A chain that is followed has 2.5 blocks a second. */
const SLOW_PAGE_MS = 8_000

type PortalCheck = { client: PortalClient; signal: AbortSignal }

/** Yields each finding when it is known. Rejects only when the signal is aborted. */
export async function* checkPortal(check: PortalCheck): AsyncGenerator<Finding> {
  const { client, signal } = check
  let newest: number
  try {
    newest = await client.head(signal)
  } catch (error) {
    signal.throwIfAborted()
    yield fail('reachable', `${messageOf(error)}: check the URL and the key`)
    return
  }
  yield pass('reachable', client.host)
  yield* found(check, 'commitment', () => commitmentFinding(check, newest))
  yield* found(check, 'headers', () => chainFinding(check, newest))
  yield* found(check, 'clock', () => delayFinding(check, newest))
  yield* found(check, 'pages', () => pagesFinding(check, newest))
  yield* found(check, 'version 1', () => versionFinding(check, newest))
  yield* found(check, 'times', () => timesFinding(check, newest))
}

async function* found(
  { signal }: PortalCheck,
  subject: string,
  look: () => Promise<Finding>,
): AsyncGenerator<Finding> {
  try {
    yield await look()
  } catch (error) {
    signal.throwIfAborted()
    yield fail(subject, messageOf(error))
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`)

async function commitmentFinding(
  { client, signal }: PortalCheck,
  newest: number,
): Promise<Finding> {
  const final = await client.head(signal, true)
  const text = `newest ${newest}, finalized ${final}, ${counted(newest - final, 'slot')} between`
  return final <= newest
    ? pass('commitment', text)
    : warn('commitment', `${text}: the portal contradicts itself`)
}

/** A missing block is an error of the reader. */
async function chainFinding({ client, signal }: PortalCheck, newest: number): Promise<Finding> {
  const range = { from: Math.max(0, newest - CHAIN_SLOTS + 1), to: newest }
  const read = createPortalSlots(client, { programs: [], retryFromMs: 200 })
  let blocks = 0
  for await (const { block } of read(range.from, range.to, signal, async (each) => each)) {
    if (block !== undefined) blocks++
  }
  return pass('headers', `${counted(blocks, 'block')} of ${CHAIN_SLOTS} slots, each by its parent`)
}

async function delayFinding({ client, signal }: PortalCheck, newest: number): Promise<Finding> {
  for await (const line of linesFrom(client, newest, newest, [], signal)) {
    const { timestamp } = objectOf(line.header)
    if (typeof timestamp === 'number' && timestamp > 0) {
      return clockFinding(Date.now() - timestamp * 1_000)
    }
  }
  return warn('clock', 'the newest block has no time')
}

async function pagesFinding({ client, signal }: PortalCheck, newest: number): Promise<Finding> {
  let slowestMs = 0
  let blocks = 0
  const bytes = client.counts.bytes
  for (let page = PAGES; page > 0; page--) {
    const from = Math.max(0, newest - page * PAGE_SLOTS + 1)
    const startedAt = performance.now()
    const lines = linesFrom(client, from, from + PAGE_SLOTS - 1, portalPrograms(), signal)
    for await (const _ of lines) blocks++
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
  }
  const size = grouped((client.counts.bytes - bytes) / Math.max(1, blocks) / 1e3)
  const text = `${duration(slowestMs)} for the slowest of ${PAGES} pages of ${PAGE_SLOTS} slots, ${size} kB a block`
  if (blocks === 0) return fail('pages', 'no block came')
  return slowestMs <= SLOW_PAGE_MS
    ? pass('pages', text)
    : warn('pages', `${text}: too slow to follow the chain`)
}

async function versionFinding({ client, signal }: PortalCheck, newest: number): Promise<Finding> {
  const first = FIRST_SLOT_OF_VERSION_1
  const subject = 'version 1'
  if (newest < first + VERSIONED_BLOCKS) {
    return warn(
      subject,
      `no block after slot ${first}: whether transactions of version 1 come is not known`,
    )
  }
  const versions = new Map<string, number>()
  let blocks = 0
  const programs = portalPrograms()
  for await (const line of linesFrom(
    client,
    first,
    first + 2 * VERSIONED_BLOCKS,
    programs,
    signal,
  )) {
    blocks++
    for (const each of listOf(line.transactions)) {
      const version = String(objectOf(each).version)
      versions.set(version, (versions.get(version) ?? 0) + 1)
    }
    if (blocks === VERSIONED_BLOCKS) break
  }
  const seen = Array.from(versions, ([version, count]) => `${grouped(count)} of ${version}`)
  const text = `${counted(blocks, 'block')} after slot ${first}: ${seen.join(', ') || 'no transactions'}`
  return versions.has('1')
    ? pass(subject, text)
    : warn(subject, `${text}: transactions of version 1 may be missing; compare with --verify`)
}

async function timesFinding({ client, signal }: PortalCheck, newest: number): Promise<Finding> {
  const now = Math.floor(Date.now() / 1_000)
  const hourAgo = await client.slotAt(now - 3_600, signal)
  if (hourAgo === undefined) return warn('times', 'no block is younger than an hour')
  return hourAgo <= newest
    ? pass('times', `an hour ago was slot ${hourAgo}`)
    : warn('times', `an hour ago was slot ${hourAgo}, after the newest one`)
}

/** Lines of one answer as JSON; a broken one is left out. */
async function* linesFrom(
  client: PortalClient,
  from: number,
  to: number,
  programs: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Record<string, unknown>> {
  const answer = await client.stream({ from, to, programs }, signal)
  if (answer.kind !== 'lines') return
  for await (const line of answer.lines) {
    const json: unknown = JSON.parse(line)
    if (isObject(json)) yield json
  }
}
