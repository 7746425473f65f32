/** Reports transactions that a portal did not have whole, and how its blocks compared with a node's: lines at once, counts at the end. */
import type { LackingTransaction } from '../../chain/forms/portal.ts'
import type { PortalWatch } from '../../chain/sources/portal/completed.ts'
import { counted, grouped } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'

/** Slots that are reported with a line of their own. */
const LINES_MAX = 20

type Kind = LackingTransaction['lacks']

export class PortalReport implements PortalWatch {
  readonly #progress: Pick<Progress, 'say'>
  readonly #host: string
  /** By slot, so that a slot that is read again counts once. */
  readonly #left: Record<Kind, Map<number, number>> = {
    logs: new Map(),
    records: new Map(),
    parts: new Map(),
  }
  readonly #fetched = new Map<number, number>()
  readonly #gaps = new Set<number>()
  readonly #compared = new Set<number>()
  readonly #differing = new Set<number>()

  /** `host`: of the node, as messages name it. */
  constructor(progress: Pick<Progress, 'say'>, host: string) {
    this.#progress = progress
    this.#host = host
  }

  get hasDifference(): boolean {
    return this.#differing.size > 0
  }

  onLacking(slot: number, lacking: readonly LackingTransaction[], areFetched: boolean): void {
    if (areFetched) {
      this.#fetched.set(slot, lacking.length)
      return
    }
    for (const kind of Object.keys(this.#left) as Kind[]) {
      const count = lacking.filter(({ lacks }) => lacks === kind).length
      if (count > 0) this.#left[kind].set(slot, count)
    }
    this.#reportLogs(slot, lacking.filter(({ lacks }) => lacks === 'logs').length)
  }

  #reportLogs(slot: number, count: number): void {
    const slots = this.#left.logs.size
    if (count === 0 || slots > LINES_MAX) return
    this.#progress.say(
      `slot ${slot}: the portal dropped the logs of ${counted(count, 'transaction')}; swaps are read from transfers, or counted as left out`,
    )
    if (slots === LINES_MAX) {
      this.#progress.say('further slots with dropped logs are counted, and not listed')
    }
  }

  onGap(slot: number): void {
    this.#gaps.add(slot)
  }

  onCompared(slot: number, difference: string | undefined): void {
    this.#compared.add(slot)
    if (difference === undefined) return
    this.#differing.add(slot)
    this.#progress.say(
      `error: slot ${slot} of the portal differs from ${this.#host}: ${difference}`,
    )
  }

  /** `logs of 12 transactions in 3 slots were dropped`, `20 blocks compared with rpc.example.com, 1 of them differs` */
  parts(): string[] {
    const { logs, records, parts } = this.#left
    const differing = this.#differing.size
    const compared = `${counted(this.#compared.size, 'block')} compared with ${this.#host}`
    return [
      ...amounts('the portal dropped the logs of', logs),
      ...amounts('nothing was recorded of', records),
      ...amounts('the portal sent parts that cannot be read of', parts),
      ...amounts(`read from ${this.#host}:`, this.#fetched),
      ...(this.#gaps.size === 0 ? [] : [`${counted(this.#gaps.size, 'slot')} left as gaps`]),
      ...(this.#compared.size === 0 ? [] : [`${compared}, ${grouped(differing)} differ`]),
    ]
  }
}

function amounts(text: string, bySlot: ReadonlyMap<number, number>): string[] {
  if (bySlot.size === 0) return []
  const count = bySlot.values().reduce((sum, each) => sum + each, 0)
  return [`${text} ${counted(count, 'transaction')} in ${counted(bySlot.size, 'slot')}`]
}
