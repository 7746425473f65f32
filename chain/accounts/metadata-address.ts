/**
 * The address of Metaplex's account for a mint: a program-derived address, which is sha256 of its seeds that is no point of
 * the curve ed25519, so that no key signs for it. Pure.
 */
import { createHash } from 'node:crypto'
import { decodeBase58, encodeBase58 } from '../../domain/numbers/base58.ts'
import { METADATA_PROGRAM } from '../transaction/metadata-call.ts'

const MARKER = Buffer.from('ProgramDerivedAddress')
const BUMP_MAX = 255

/** The field of the curve has 2^255 - 19 elements. */
const FIELD = 2n ** 255n - 19n
const SIGN_BIT = 1n << 255n
/** -121665 / 121666 of the field: -x^2 + y^2 = 1 + d x^2 y^2. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const EULER = (FIELD - 1n) / 2n

/** The account of a mint that holds its name, by Metaplex's program. */
export function metadataAddress(mint: string): string {
  const program = bytesOf(METADATA_PROGRAM)
  return programAddress([Buffer.from('metadata'), program, bytesOf(mint)], program)
}

/** The address that a program derives from seeds of at most 32 bytes each. */
function programAddress(seeds: readonly Uint8Array[], program: Uint8Array): string {
  for (let bump = BUMP_MAX; bump >= 0; bump--) {
    const digest = createHash('sha256')
    for (const seed of seeds) digest.update(seed)
    const derived = digest.update(Uint8Array.of(bump)).update(program).update(MARKER).digest()
    if (!isOnCurve(derived)) return encodeBase58(derived)
  }
  throw new RangeError('seeds: expected some that derive an address')
}

/** Whether 32 bytes are a compressed point: x^2 = (y^2 - 1) / (d y^2 + 1) has a root. */
export function isOnCurve(bytes: Uint8Array): boolean {
  const whole = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
  const y = (whole & (SIGN_BIT - 1n)) % FIELD
  const square = (y * y) % FIELD
  const numerator = (square - 1n + FIELD) % FIELD
  const denominator = (D * square + 1n) % FIELD
  // u / v is a square where u v is one; without a root there is no point. The chain accepts x = 0 with either sign.
  const product = (numerator * denominator) % FIELD
  return product === 0n || power(product, EULER) === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let factor = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * factor) % FIELD
    factor = (factor * factor) % FIELD
  }
  return result
}

function bytesOf(key: string): Uint8Array {
  const bytes = decodeBase58(key)
  if (bytes === undefined) throw new RangeError(`address "${key}": expected base58`)
  return bytes
}
