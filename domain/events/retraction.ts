/**
 * A retraction: a slot whose block left the chain, with all that was read of it.
 *
 * Law: every table ends as the fold of the events of the other slots, whenever the retraction arrives. It stays in
 * force: an event of the slot that arrives later is left out, too.
 */
export type Retraction = {
  slot: number
  /** Base58 of 32 bytes: the block that left the chain, where the source knows it. */
  blockhash: string | undefined
}
