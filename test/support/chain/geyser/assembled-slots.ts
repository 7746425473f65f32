/**
 * Slots as a source reads them from the assembler, with what is missing fetched from a model chain.
 */

import { ChainLinks } from '../../../../chain/sources/blocks/chain-links.ts'
import { BlockAssembler } from '../../../../chain/sources/geyser/assembler.ts'
import type { BlockUpdate } from '../../../../chain/sources/geyser/update.ts'
import { fetchedSlot, type ModelChain, printSlot } from './model-chain.ts'

export class AssembledSlots {
  readonly links = new ChainLinks()
  readonly yielded: { slot: number; printed: string }[] = []
  readonly fetched: number[] = []
  readonly forks: number[] = []
  readonly #chain: ModelChain
  readonly #after: number | undefined
  readonly #bytesMax: number | undefined
  assembler: BlockAssembler

  constructor(chain: ModelChain, after?: number, bytesMax?: number) {
    this.#chain = chain
    this.#after = after
    this.#bytesMax = bytesMax
    this.assembler = this.#open(after)
  }

  #open(after: number | undefined): BlockAssembler {
    const bound = this.#bytesMax === undefined ? {} : { bytesMax: this.#bytesMax }
    return new BlockAssembler({ commitment: 'confirmed', after, links: this.links, ...bound })
  }

  reopen(): void {
    this.assembler = this.#open(this.yielded.at(-1)?.slot ?? this.#after)
  }

  push(...updates: readonly BlockUpdate[]): void {
    for (const update of updates) if (this.assembler.push(update)) this.read()
    this.read()
  }

  read(): void {
    for (;;) {
      const next = this.assembler.next()
      switch (next?.kind) {
        case undefined:
          return
        case 'slot':
          this.#take(next.slotBlock.slot, printSlot(next.slotBlock))
          break
        case 'fetch':
          this.#fetch(next.from, next.to)
          break
        case 'fork':
          this.forks.push(next.slot)
          this.#takeBack(next.slot)
          break
        case 'unskipped':
          this.#takeBack(next.slot)
          break
        case 'contradiction':
          throw new Error(`slot ${next.slot} was skipped and is the parent of ${next.child}`)
      }
    }
  }

  #fetch(from: number, to: number): void {
    this.fetched.push(from)
    for (const model of this.#chain.slots) {
      if (model.slot < from || model.slot > to) continue
      const slotBlock = fetchedSlot(model)
      if (!this.assembler.accept(slotBlock)) return
      this.#take(model.slot, printSlot(slotBlock))
    }
  }

  /** Slots that were skipped before the block may have one on the other branch: they come again. */
  #takeBack(slot: number): void {
    while ((this.yielded.at(-1)?.slot ?? 0) >= slot) this.yielded.pop()
    while (this.yielded.at(-1)?.printed.includes(',null,null,') === true) this.yielded.pop()
  }

  #take(slot: number, printed: string): void {
    this.yielded.push({ slot, printed })
  }

  get slots(): number[] {
    return this.yielded.map(({ slot }) => slot)
  }
}
