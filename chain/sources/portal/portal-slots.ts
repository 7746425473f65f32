/**
 * All slots of a range from a portal, in order.
 *
 * A portal sends every block with its parent's slot and hash, and nothing for a skipped slot. A slot counts as skipped only
 * where the next block names a parent before it: where that parent was not sent, the portal lacks a block, which is
 * requested again and is an error at last. The end of an answer proves nothing, and neither does an empty one: the first
 * block after the range decides about the slots at its end.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { SourceError } from '../../../streams/sources/source.ts'
import { type PortalBlock, readPortalLine, UnreadableLine } from '../../forms/portal.ts'
import { ConnectionLost } from '../../rpc/http.ts'
import { ForkFound } from '../blocks/fork-found.ts'
import type { SkippedSlot, SlotBlock } from '../blocks/slot-block.ts'
import type { PortalAnswer, PortalBlockName, PortalClient } from './client.ts'

export type PortalSlotsOptions = {
  /** Programs whose transactions are wanted. */
  programs: readonly string[]
  /** Only calls that name one of these accounts are wanted: blocks without one count as skipped, and none is known to be missing. */
  mentions?: readonly string[] | undefined
  /** Whether names of mints are read, too. */
  hasNames?: boolean
  /** Reads only blocks that no fork can replace. */
  isFinalized?: boolean
  /** Milliseconds without a new block after which the portal counts as stuck. */
  stuckMs?: number
  /** Milliseconds before the first repetition where the portal lacks a block; each further one waits twice as long. */
  retryFromMs?: number
}

/** Makes what is yielded of a block. */
type UseBlock = (block: PortalBlock) => Promise<SlotBlock>

/**
 * FetchSlots of slot-block.ts, with blocks as `use` makes them of the portal's: a block as it came is some megabytes of objects, which
 * must not be held while the reader is ahead.
 */
export type FetchPortalSlots = (
  from: number,
  to: number,
  signal: AbortSignal,
  use: UseBlock,
) => AsyncIterable<SlotBlock>

const STUCK_MS = 60_000
const RETRY_FROM_MS = 1_000
/** Repetitions for a block that is missing, or an answer that breaks off without a block. */
const ATTEMPTS_MAX = 6
/** A vote locks a block for 32 slots at most before it is final: twice that. */
const HELD_MAX = 64
/** Slots before the newest block where the ancestor is looked for if the portal names none that is known. */
const ANCESTOR_SLOTS = 100

/** Throws ForkFound where the portal's chain has left the blocks that were yielded. */
export function createPortalSlots(
  client: PortalClient,
  options: PortalSlotsOptions,
): FetchPortalSlots {
  return (from, to, signal, use) => new PortalReader(client, options, signal, use).read(from, to)
}

/** One iteration over a range. */
class PortalReader {
  readonly #client: PortalClient
  readonly #options: PortalSlotsOptions
  readonly #signal: AbortSignal
  readonly #use: UseBlock
  readonly #programs: ReadonlySet<string>
  /** The newest blocks that were yielded, ascending. */
  #held: PortalBlockName[] = []
  #next = 0
  /** Since when the portal has had no block at or after the next slot; undefined where it has one. */
  #waitsSince: number | undefined
  /** Answers in a row that brought no block although there must be one. */
  #failures = 0

  constructor(
    client: PortalClient,
    options: PortalSlotsOptions,
    signal: AbortSignal,
    use: UseBlock,
  ) {
    this.#client = client
    this.#options = options
    this.#signal = signal
    this.#use = use
    this.#programs = new Set(options.programs)
  }

  async *read(from: number, to: number): AsyncGenerator<SlotBlock> {
    this.#next = from
    while (this.#next <= to) {
      const answer = await this.#request(to)
      if (answer.kind === 'fork') throw await this.#forkOf(answer.blocks)
      if (answer.kind === 'beyond_head') {
        this.#throwIfStuck()
        continue
      }
      const before = this.#next
      yield* this.#readLines(answer.lines, to)
      if (this.#next === before) yield* this.#proveSkipped(to)
    }
  }

  #request(to: number): Promise<PortalAnswer> {
    const { programs, isFinalized, mentions, hasNames = false } = this.#options
    const parent = this.#held.at(-1)
    const query = {
      from: this.#next,
      ...(to === Number.MAX_SAFE_INTEGER ? {} : { to }),
      ...(parent === undefined || parent.slot !== this.#next - 1
        ? {}
        : { parentHash: parent.hash }),
      programs,
      mentions,
      hasNames,
    }
    return this.#client.stream(query, this.#signal, isFinalized)
  }

  #throwIfStuck(): void {
    const { stuckMs = STUCK_MS } = this.#options
    this.#waitsSince ??= performance.now()
    if (performance.now() - this.#waitsSince < stuckMs) return
    const text = `${this.#client.host} has no block at or after slot ${this.#next}`
    throw new SourceError(`${text} within ${stuckMs / 1_000} s`, { isRetryable: true })
  }

  async *#readLines(lines: AsyncIterable<string>, to: number): AsyncGenerator<SlotBlock> {
    try {
      for await (const line of lines) {
        // A variable lives while its generator waits at a `yield`.
        let read: PortalBlock | undefined = this.#readLine(line)
        const { parentSlot } = read.link
        if (read.slot > to) return
        if (parentSlot >= this.#next && this.#options.mentions === undefined) {
          await this.#lacks(parentSlot, `block ${read.slot} names it as its parent`)
          return
        }
        yield* this.#skipped(read.slot)
        const used = await this.#use(read)
        this.#hold(read)
        read = undefined
        yield used
      }
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof ConnectionLost)) throw error
      // Everything before the break was whole.
      await this.#lacks(this.#next, error.message)
    }
  }

  #readLine(line: string): PortalBlock {
    const read = this.#parse(line)
    if (read.slot >= this.#next) return read
    throw this.#unreadable(`it is of slot ${read.slot}, which was read before`)
  }

  /** Throws SourceError. */
  #parse(line: string): PortalBlock {
    try {
      return readPortalLine(line, this.#programs)
    } catch (error) {
      throw error instanceof UnreadableLine ? this.#unreadable(error.message) : error
    }
  }

  #unreadable(reason: string): SourceError {
    const text = `a line of ${this.#client.host} after slot ${this.#next - 1}: ${reason}`
    return new SourceError(text, { isRetryable: true })
  }

  *#skipped(end: number): Generator<SkippedSlot> {
    for (; this.#next < end; this.#next++) yield { slot: this.#next, block: undefined }
  }

  #hold({ slot, link }: PortalBlock): void {
    this.#held.push({ slot, hash: link.blockhash })
    if (this.#held.length > HELD_MAX) this.#held.shift()
    this.#next = slot + 1
    this.#failures = 0
    this.#waitsSince = undefined
  }

  /** Waits before the next request, or throws where the portal had enough of them. */
  async #lacks(slot: number, reason: string): Promise<void> {
    this.#failures++
    if (this.#failures >= ATTEMPTS_MAX) {
      const text = `${this.#client.host} sends no block of slot ${slot}: ${reason}`
      throw new SourceError(text, { isRetryable: true })
    }
    const { retryFromMs = RETRY_FROM_MS } = this.#options
    const waitMs = retryFromMs * 2 ** (this.#failures - 1)
    await sleep(waitMs, undefined, { signal: this.#signal })
  }

  /** After an answer without a block: the slots up to `to` were skipped if the block after them names an earlier parent. */
  async *#proveSkipped(to: number): AsyncGenerator<SkippedSlot> {
    if (to === Number.MAX_SAFE_INTEGER) return await this.#lacks(this.#next, 'its answer is empty')
    const after = await this.#headerFrom(to + 1)
    if (after === undefined) return this.#throwIfStuck()
    const { parentSlot } = after.link
    if (parentSlot < this.#next) yield* this.#skipped(to + 1)
    else await this.#lacks(parentSlot, `block ${after.slot} follows one that is not sent`)
  }

  /** The first block at or after a slot, by its header; undefined where the portal has none yet. */
  async #headerFrom(from: number): Promise<PortalBlock | undefined> {
    try {
      for await (const header of this.#headers({ from })) return header
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!(error instanceof ConnectionLost)) throw error
    }
    return undefined
  }

  /** Blocks without their transactions. Throws ConnectionLost. */
  async *#headers(range: { from: number; to?: number }): AsyncGenerator<PortalBlock> {
    const query = { ...range, programs: [] }
    const answer = await this.#client.stream(query, this.#signal, this.#options.isFinalized)
    if (answer.kind !== 'lines') return
    for await (const line of answer.lines) yield this.#parse(line)
  }

  /** The newest block that was yielded and is still part of the chain. */
  async #forkOf(blocks: readonly PortalBlockName[]): Promise<ForkFound | SourceError> {
    const ancestor = this.#newestOf(blocks) ?? this.#newestOf(await this.#blocksBefore())
    if (ancestor !== undefined) return new ForkFound(ancestor.slot)
    const text = `the chain of ${this.#client.host} has left all blocks that are known before slot ${this.#next}`
    return new SourceError(text, { isRetryable: true })
  }

  #newestOf(blocks: readonly PortalBlockName[]): PortalBlockName | undefined {
    const hashes = new Set(blocks.map(({ hash }) => hash))
    return this.#held.findLast(({ hash }) => hashes.has(hash))
  }

  /** Throws SourceError where the answer breaks off: the newest common block may be among those that were not sent. */
  async #blocksBefore(): Promise<PortalBlockName[]> {
    const range = { from: Math.max(0, this.#next - ANCESTOR_SLOTS), to: this.#next - 1 }
    const blocks: PortalBlockName[] = []
    try {
      for await (const { slot, link } of this.#headers(range)) {
        blocks.push({ slot, hash: link.blockhash })
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error
      const text = `the blocks of ${range.from} to ${range.to} from ${this.#client.host}: ${error.message}`
      throw new SourceError(text, { isRetryable: true, cause: error })
    }
    return blocks
  }
}
