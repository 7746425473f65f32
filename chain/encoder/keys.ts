/**
 * Addresses and signatures that no simulated event has: derived from their names, so that the same events make the same
 * blocks. Pure.
 */
import { createHash } from 'node:crypto'
import { encodeBase58 } from '../../domain/numbers/base58.ts'

/** Cache of the addresses that every block of a pool repeats; cleared as a whole when it is full. */
const CACHED_MAX = 20_000
const cached = new Map<string, string>()

/** The address of that name: vaults, token accounts, routers. */
export function addressOf(name: string): string {
  let found = cached.get(name)
  if (found === undefined) {
    if (cached.size >= CACHED_MAX) cached.clear()
    found = hashOf(name, 'sha256')
    cached.set(name, found)
  }
  return found
}

export const signatureOf = (name: string): string => hashOf(name, 'sha512')
export const blockhashOf = (chain: string, slot: number): string =>
  hashOf(`${chain}:${slot}`, 'sha256')

const hashOf = (name: string, algorithm: 'sha256' | 'sha512'): string =>
  encodeBase58(createHash(algorithm).update(name).digest())

/** A whole number of 0 to 2^32 - 1 by name: every choice of the encoder is one. */
export function drawOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Whether the draw of that name is one of `percent` in a hundred. */
export const isDrawn = (name: string, percent: number): boolean => drawOf(name) % 100 < percent
