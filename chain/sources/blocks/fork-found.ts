/** Thrown by a FetchSlots whose provider reports a fork itself. */
export class ForkFound extends Error {
  override name = 'ForkFound'
  /** The newest slot whose block was yielded and is still part of the chain: all after it are to be retracted. */
  readonly ancestor: number

  constructor(ancestor: number) {
    super(`the chain has left the blocks after slot ${ancestor}`)
    this.ancestor = ancestor
  }
}
