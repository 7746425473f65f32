/** Instructions and events that a venue's program is known to have, by their discriminators as hex. Pure. */
import { createHash } from 'node:crypto'
import { DISCRIMINATOR_BYTES } from './layout.ts'

export type Known = {
  /** First bytes of instructions, each of `tagBytes`. */
  readonly instructions: ReadonlySet<string>
  readonly tagBytes: number
  readonly events: ReadonlySet<string>
}

/** Anchor's own instructions, which store a program's IDL in an account: the first 8 bytes of sha256("anchor:idl"), reversed. */
export const ANCHOR_IDL = '40f4bc78a7e9690a'

/**
 * Discriminators of a program by Anchor, which follow from names, in snake case and separated by white space. `others`:
 * discriminators of instructions and events that the IDL no longer names.
 */
export function knownByAnchor(
  instructions: string,
  events: string,
  others: readonly string[] = [],
): Known {
  return {
    instructions: new Set([...hashes('global', instructions), ANCHOR_IDL, ...others]),
    tagBytes: DISCRIMINATOR_BYTES,
    events: new Set([...hashes('event', events), ...others]),
  }
}

/** Numbers of a program whose instructions begin with a byte, from 0 on, and that emits no events. */
export function knownByNumber(instructionCount: number): Known {
  const numbers = Array.from({ length: instructionCount }, (_, number) => hexOf([number]))
  return { instructions: new Set(numbers), tagBytes: 1, events: new Set() }
}

/** The first bytes of a call by which its program knows the instruction, as hex; shorter where it has fewer. */
export function tagOf(
  { payload, discriminator }: { payload: Uint8Array; discriminator: string },
  { tagBytes }: Known,
): string {
  return tagBytes === DISCRIMINATOR_BYTES && discriminator !== ''
    ? discriminator
    : hexOf(payload.subarray(0, tagBytes))
}

const hashes = (space: string, names: string): string[] =>
  names
    .split(/\s+/)
    .filter((name) => name !== '')
    .map((name) => hexOf(createHash('sha256').update(`${space}:${name}`).digest()).slice(0, 16))

const hexOf = (bytes: Uint8Array | readonly number[]): string => Buffer.from(bytes).toString('hex')
