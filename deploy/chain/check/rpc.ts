/**
 * Checks a Solana node for `swaptide source check`: everything that `source rpc` and `backfill` need of it. It costs some ten
 * requests, three full blocks, and the requests of a second at --rate.
 */

import { decodeBlock, type Incomplete } from '../../../chain/decode.ts'
import type { Failure } from '../../../chain/rpc/failure.ts'
import { Pacing } from '../../../chain/rpc/pacing.ts'
import { UnusableAnswer } from '../../../chain/rpc/rpc-answer.ts'
import {
  blockSettings,
  type Commitment,
  readBlockResult,
  readSlot,
  readSlots,
  TRANSACTION_VERSION,
  TRANSACTION_VERSION_OLDER,
} from '../../../chain/sources/blocks/block-answer.ts'
import { objectOf } from '../../../chain/transaction/parts.ts'
import { nounOf } from '../../../domain/text/plural.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import { blockFindings } from './block.ts'
import { clockFinding, type Finding, fail, pass, warn } from './finding.ts'
import { type Answered, hasFailed, type Probe, RpcProbe } from './rpc-probe.ts'

type RpcCheck = {
  rpcUrl: string
  commitment: Commitment
  requestsPerSecond: number
  signal: AbortSignal
}

const BLOCKS = 3
/** Slots of the list that blocks are taken from. */
const LISTED_SLOTS = 100
/** A slot of the chain lasts 400 ms. */
const SLOTS_A_DAY = 216_000
/** Slots between confirmed and finalized: 32 at least, a few more while votes are late. */
const FINAL_AFTER_MAX = 150

/** Yields each finding when it is known. Rejects only when the signal is aborted. */
export async function* checkRpc(options: RpcCheck): AsyncGenerator<Finding> {
  const probe = new RpcProbe(options.rpcUrl, options.signal)
  const version = await probe.request('getVersion', [])
  if (hasFailed(version) && !isAnswered(version.failure)) {
    yield fail('reachable', explain(version.failure, 'check the URL'))
    return
  }
  yield pass('reachable', probe.host)
  yield versionFinding(probe, version)
  const newest = yield* checkCommitments(probe, options.commitment)
  if (newest === undefined) return
  yield await checkHistory(probe, newest)
  const slots = yield* checkList(probe, newest, options.commitment)
  if (slots.length === 0) return
  yield* checkBlocks(probe, slots, options.commitment)
  yield await checkRate(probe, slots.at(-1) ?? newest, options)
}

/** Whether the node itself answered, though not as wished. */
const isAnswered = ({ text }: Failure): boolean => text.startsWith('JSON-RPC error')

/** Why a request failed and what to do; `advice`: where the node itself refuses. */
function explain({ kind, text }: Failure, advice: string): string {
  if (/^HTTP status 40[13]$/.test(text)) return `${text}: check the key in the URL`
  if (kind === 'throttled')
    return `${text}: the rate limit is reached: use a plan with a higher one`
  if (kind === 'transient') return `${text}: check host, port and network, and try again`
  return `${text}: ${advice}`
}

function versionFinding(probe: RpcProbe, version: Probe): Finding {
  if (hasFailed(version)) {
    return warn('version', `not reported (${version.failure.text}): no source needs it`)
  }
  const name = objectOf(version.result)['solana-core']
  if (typeof name === 'string') return pass('version', probe.clean(name))
  return warn('version', 'not reported: no source needs it')
}

/** Yields what was found; returns the newest slot at the commitment. */
async function* checkCommitments(
  probe: RpcProbe,
  commitment: Commitment,
): AsyncGenerator<Finding, number | undefined> {
  const slots = new Map<Commitment, number>()
  for (const each of ['finalized', 'confirmed'] as const) {
    const answer = await probe.request('getSlot', [{ commitment: each }])
    const slot = hasFailed(answer) ? undefined : readOr(() => readSlot(answer.result))
    if (typeof slot === 'number') slots.set(each, slot)
    else {
      const text = hasFailed(answer)
        ? explain(answer.failure, 'use a node that serves it')
        : `unusable answer: ${slot}`
      yield fail('commitment', `getSlot at ${each}: ${text}`)
    }
  }
  const [confirmed, final] = [slots.get('confirmed'), slots.get('finalized')]
  if (confirmed !== undefined && final !== undefined) {
    const between = confirmed - final
    const text = `confirmed ${confirmed}, finalized ${final}, ${counted(between, 'slot')} between`
    const isUsual = between >= 0 && between <= FINAL_AFTER_MAX
    yield isUsual
      ? pass('commitment', text)
      : warn('commitment', `${text}: expected 0 to ${FINAL_AFTER_MAX}: the node may lag`)
  }
  return slots.get(commitment)
}

async function checkHistory(probe: RpcProbe, newest: number): Promise<Finding> {
  const answer = await probe.request('getFirstAvailableBlock', [])
  const first = hasFailed(answer) ? answer.failure.text : readOr(() => readSlot(answer.result))
  if (typeof first !== 'number') {
    return warn(
      'history',
      `first block not reported (${first}): a backfill shows how far it reaches`,
    )
  }
  const days = ((newest - first) / SLOTS_A_DAY).toFixed(1)
  const text = `blocks from slot ${first} on, some ${days} days`
  if (newest - first >= SLOTS_A_DAY) return pass('history', text)
  return warn('history', `${text}: a source that is away for longer cannot catch up from here`)
}

/** Yields what was found; returns slots with a block, ascending. */
async function* checkList(
  probe: RpcProbe,
  newest: number,
  commitment: Commitment,
): AsyncGenerator<Finding, number[]> {
  const from = Math.max(0, newest - LISTED_SLOTS + 1)
  const answer = await probe.request('getBlocks', [from, newest, { commitment }])
  const slots = hasFailed(answer) ? [] : readOr(() => readSlots(answer.result, from, newest))
  if (typeof slots !== 'string' && slots.length > 0) {
    yield pass('getBlocks', `${slots.length} of ${newest - from + 1} slots have a block`)
    return slots
  }
  const advice = 'use a node that serves getBlocks'
  const reason = slots.length === 0 ? 'the list is empty' : slots
  yield fail(
    'getBlocks',
    hasFailed(answer) ? explain(answer.failure, advice) : `${reason}: ${advice}`,
  )
  return []
}

async function* checkBlocks(
  probe: RpcProbe,
  slots: readonly number[],
  commitment: Commitment,
): AsyncGenerator<Finding> {
  let version = TRANSACTION_VERSION
  const fetchBlock = (slot: number): Promise<Probe> =>
    probe.request('getBlock', [slot, blockSettings(commitment, 'full', version)])
  const chosen = slots.slice(-BLOCKS)
  let first = await fetchBlock(chosen[0] ?? 0)
  if (hasFailed(first) && first.failure.kind === 'refused_parameters') {
    const refused = first.failure.text
    version = TRANSACTION_VERSION_OLDER
    first = await fetchBlock(chosen[0] ?? 0)
    if (!hasFailed(first)) {
      const text = `version ${TRANSACTION_VERSION} of transactions is refused (${refused})`
      yield warn('getBlock', `${text}: a block that has one cannot be read: update the node`)
    }
  } else if (!hasFailed(first)) {
    yield pass('getBlock', `transactions of versions up to ${TRANSACTION_VERSION}`)
  }
  const blocks: Answered[] = []
  const incomplete: Incomplete[] = []
  for (const [at, slot] of chosen.entries()) {
    const block = at === 0 ? first : await fetchBlock(slot)
    if (hasFailed(block)) {
      const text = explain(block.failure, 'use a node that serves getBlock')
      yield fail('getBlock', `slot ${slot}: ${text}`)
      return
    }
    const unusable = readOr(() => {
      incomplete.push(...decodeBlock(readBlockResult(block.result, slot).block).incomplete)
    })
    if (unusable !== undefined) {
      yield fail('getBlock', `slot ${slot}: ${unusable}: a source would request it for ever`)
      return
    }
    blocks.push(block)
  }
  yield* blockFindings(
    blocks.map(({ result }) => objectOf(result)),
    incomplete,
  )
  yield* sizeFindings(blocks)
  const seconds = Number(objectOf(blocks.at(-1)?.result).blockTime)
  yield clockFinding(Date.now() - seconds * 1_000)
}

function* sizeFindings(blocks: readonly Answered[]): Generator<Finding> {
  const sizes = blocks.map(({ result }) => Buffer.byteLength(JSON.stringify(result)))
  const kilobytes = grouped(sizes.reduce((sum, bytes) => sum + bytes, 0) / sizes.length / 1_000)
  const isPacked = blocks.every(({ encoding }) => /gzip|br|zstd|deflate/.test(encoding))
  yield isPacked
    ? pass('size', `${kilobytes} kB a block, sent as ${blocks[0]?.encoding}`)
    : warn('size', `${kilobytes} kB a block, not compressed: gzip would save nine tenths`)
  const slowest = Math.max(...blocks.map(({ tookMs }) => tookMs))
  const text = `${grouped(slowest)} ms for the slowest of ${blocks.length} ${nounOf(blocks.length, 'block')}`
  // Eight blocks are fetched at once, and 2.5 a second come.
  yield slowest <= SLOW_MS
    ? pass('latency', text)
    : warn('latency', `${text}: a source lags above ${duration(SLOW_MS)}: use a nearer node`)
}

const SLOW_MS = 3_000

/** Requests block headers for a second, as fast as --rate allows. */
async function checkRate(
  probe: RpcProbe,
  slot: number,
  { commitment, requestsPerSecond, signal }: RpcCheck,
): Promise<Finding> {
  const pacing = new Pacing(requestsPerSecond)
  const settings = blockSettings(commitment, 'none', TRANSACTION_VERSION_OLDER)
  const requests = Array.from({ length: requestsPerSecond }, async () => {
    await pacing.admit(signal)
    return await probe.request('getBlock', [slot, settings])
  })
  const failures = (await Promise.all(requests)).filter(hasFailed)
  const throttled = failures.filter(({ failure }) => failure.kind === 'throttled').length
  const sent = `${counted(requestsPerSecond, 'request')} in a second`
  if (throttled > 0) {
    const refused = `${grouped(throttled)} of ${sent} refused because of the rate limit`
    return warn('rate limit', `${refused}: use a lower --rate, 4 at least to follow the chain`)
  }
  if (failures.length === 0) return pass('rate limit', `${sent}, none refused`)
  const text = `${failures.length} of ${sent} failed: ${failures[0]?.failure.text}`
  return warn('rate limit', `${text}: use a lower --rate`)
}

/** The value that was read, or why the answer cannot be used. */
function readOr<Read>(read: () => Read): Read | string {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnusableAnswer)) throw error
    return error.message
  }
}
