/**
 * Base58 as the chain writes signatures and addresses. Pure.
 *
 * The alphabet is in ASCII order, so of two texts of one length the greater text is the greater number. Whether a text
 * is n bytes is therefore two text comparisons and no arithmetic:
 *
 *   z leading '1's = z zero bytes; the rest must be a number of exactly n - z bytes,
 *   256^(n-z-1) <= rest <= 256^(n-z) - 1, and both bounds are known texts.
 *
 * Conversion goes in limbs: 58^4 < 2^24 and 24 + 24 bits stay exact in a double.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ONE = ALPHABET.charCodeAt(0)
/** Four digits at a time against three bytes at a time. */
const DIGITS_A_LIMB = 4
const DIGIT_LIMB = 58 ** DIGITS_A_LIMB
const BYTES_A_LIMB = 3
const BYTE_LIMB = 2 ** 24
/** Longer than anything on the chain; conversion is quadratic, so it has a bound. */
const TEXT_LENGTH_MAX = 256

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32

/** ASCII code -> digit, -1 for a character outside the alphabet. */
const DIGIT_OF = Int8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
)
/** Four digits as text, by the value of the first two and of the last two. */
const PAIRS = Array.from(
  { length: 58 * 58 },
  (_, value) => `${ALPHABET[Math.floor(value / 58)]}${ALPHABET[value % 58]}`,
)

/** The same for every byte. */
const DIGIT_OF_BYTE = Int8Array.from({ length: 256 }, (_, code) => DIGIT_OF[code] ?? -1)
/** Limbs of three bytes, the least first, of the powers of 58^4: rows of POWER_LIMBS, for texts of signatures. */
const POWER_LIMBS = 22
const POWERS = powersOf(DIGIT_LIMB, BYTE_LIMB)
/** The reverse: limbs of four digits of the powers of 256^3. */
const BYTE_POWERS = powersOf(BYTE_LIMB, DIGIT_LIMB)
const sums = new Float64Array(POWER_LIMBS)

/** The texts of the least and the greatest number of 0..n bytes, by number of bytes. */
type Bounds = readonly { least: string; greatest: string }[]

const SIGNATURE_BOUNDS = boundsUpTo(SIGNATURE_BYTES)
const ADDRESS_BOUNDS = SIGNATURE_BOUNDS.slice(0, ADDRESS_BYTES + 1)

/** Whether the text is a transaction signature: base58 of exactly 64 bytes. */
export function isSignature(text: string): boolean {
  return isOfBytes(text, SIGNATURE_BOUNDS)
}

/** Whether the text is an account address: base58 of exactly 32 bytes (32 to 44 characters). */
export function isAddress(text: string): boolean {
  return isOfBytes(text, ADDRESS_BOUNDS)
}

function isOfBytes(text: string, bounds: Bounds): boolean {
  const zeros = leadingOnes(text, bounds.length)
  const bound = bounds[bounds.length - 1 - zeros]
  if (bound === undefined) return false
  const { least, greatest } = bound
  const length = text.length - zeros
  if (length < least.length || length > greatest.length) return false
  if (!isInAlphabet(text)) return false
  const rest = zeros === 0 ? text : text.slice(zeros)
  if (length === greatest.length && rest > greatest) return false
  return length > least.length || rest >= least
}

function isInAlphabet(text: string): boolean {
  // One branch at the end instead of one a character: a digit that is none sets the sign bit.
  let signs = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    signs |= code < 128 ? (DIGIT_OF[code] as number) : -1
  }
  return signs >= 0
}

function leadingOnes(text: string, atMost: number): number {
  let ones = 0
  while (ones < text.length && ones < atMost && text.charCodeAt(ones) === ONE) ones++
  return ones
}

/** The bytes of a base58 text; undefined for a foreign character or over `lengthMax` characters. */
export function decodeBase58(text: string, lengthMax = TEXT_LENGTH_MAX): Uint8Array | undefined {
  if (text.length > lengthMax || !isInAlphabet(text)) return undefined
  const zeros = leadingOnes(text, text.length)
  const limbs = new Float64Array(Math.ceil((text.length - zeros) / DIGITS_A_LIMB))
  let used = 0
  // The first group has the digits that the full groups leave over.
  let end = zeros + ((text.length - zeros) % DIGITS_A_LIMB || DIGITS_A_LIMB)
  for (let index = zeros; index < text.length; end += DIGITS_A_LIMB) {
    let carry = 0
    for (; index < end; index++) carry = carry * 58 + (DIGIT_OF[text.charCodeAt(index)] as number)
    used = multiplyAdd(limbs, used, DIGIT_LIMB, carry, BYTE_LIMB)
  }
  return bytesOf(limbs, used, zeros)
}

/**
 * Writes the bytes of a base58 text, which is `length` bytes of `text`, to `into`. Returns false where it is not base58 of exactly
 * `count` bytes, 64 at most; `into` may be changed then. A fourth of the time of `decodeBase58()`: groups of four digits are
 * multiplied by powers whose limbs are known, and carries are taken once. A sum has 22 products below 2^48, so it is exact.
 */
export function decodeBase58Into(
  text: Uint8Array,
  from: number,
  length: number,
  into: Uint8Array,
  at: number,
  count: number,
): boolean {
  if (length > POWER_LIMBS * DIGITS_A_LIMB) return false
  let zeros = 0
  while (zeros < length && text[from + zeros] === ONE) zeros++
  sums.fill(0)
  let signs = 0
  for (let power = 0, end = from + length; end > from + zeros; power += POWER_LIMBS) {
    let group = 0
    const begin = Math.max(from + zeros, end - DIGITS_A_LIMB)
    for (let index = begin; index < end; index++) {
      const digit = DIGIT_OF_BYTE[text[index] as number] as number
      signs |= digit
      group = group * 58 + digit
    }
    for (let limb = 0; limb < POWER_LIMBS; limb++) {
      sums[limb] = (sums[limb] as number) + group * (POWERS[power + limb] as number)
    }
    end = begin
  }
  return signs >= 0 && writeSums(into, at, count) === zeros
}

/** Writes the sums as `count` bytes; returns how many of these lead as zeros, -1 where the number has more bytes. */
function writeSums(into: Uint8Array, at: number, count: number): number {
  let [carry, beyond] = [0, 0]
  for (let limb = 0, byte = at + count - 1; limb < POWER_LIMBS; limb++, byte -= BYTES_A_LIMB) {
    const sum = (sums[limb] as number) + carry
    carry = Math.floor(sum / BYTE_LIMB)
    const value = sum - carry * BYTE_LIMB
    for (let offset = 0; offset < BYTES_A_LIMB; offset++) {
      const part = (value >>> (8 * offset)) & 255
      if (byte - offset >= at) into[byte - offset] = part
      else beyond |= part
    }
  }
  if (carry !== 0 || beyond !== 0) return -1
  let zeros = 0
  while (zeros < count && into[at + zeros] === 0) zeros++
  return zeros
}

function powersOf(factor: number, limbBase: number): Float64Array {
  const powers = new Float64Array(POWER_LIMBS * POWER_LIMBS)
  let power = 1n
  for (let group = 0; group < POWER_LIMBS; group++, power *= BigInt(factor)) {
    let rest = power
    for (let limb = 0; limb < POWER_LIMBS; limb++, rest /= BigInt(limbBase)) {
      powers[group * POWER_LIMBS + limb] = Number(rest % BigInt(limbBase))
    }
  }
  return powers
}

/** limbs = limbs * factor + carry, least limb first, in the base; returns how many limbs are used. */
function multiplyAdd(
  limbs: Float64Array,
  used: number,
  factor: number,
  carry: number,
  base: number,
): number {
  let rest = carry
  for (let limb = 0; limb < used; limb++) {
    const product = (limbs[limb] as number) * factor + rest
    rest = Math.floor(product / base)
    limbs[limb] = product - rest * base
  }
  // A limb of the wider base may leave two of the narrower one.
  let top = used
  while (rest > 0) {
    limbs[top++] = rest % base
    rest = Math.floor(rest / base)
  }
  return top
}

function bytesOf(limbs: Float64Array, used: number, zeros: number): Uint8Array {
  const top = used === 0 ? 0 : (limbs[used - 1] as number)
  const topBytes = top === 0 ? 0 : top < 2 ** 8 ? 1 : top < 2 ** 16 ? 2 : 3
  const bytes = new Uint8Array(zeros + Math.max(0, used - 1) * BYTES_A_LIMB + topBytes)
  let at = bytes.length
  for (let limb = 0; limb < used; limb++) {
    const value = limbs[limb] as number
    for (let shift = 0; shift < 24 && at > zeros; shift += 8) {
      at--
      bytes[at] = value >>> shift
    }
  }
  return bytes
}

/** Base58 of the bytes; leading zero bytes become leading '1's. */
export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length <= SIGNATURE_BYTES) return encodeShort(bytes)
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  const significant = bytes.length - zeros
  // log58(2^24) / 4 = 1.025 limbs a group; one more for the rounding.
  const limbs = new Float64Array(Math.ceil((significant / BYTES_A_LIMB) * 1.03) + 1)
  let used = 0
  let end = zeros + (significant % BYTES_A_LIMB || BYTES_A_LIMB)
  for (let index = zeros; index < bytes.length; end += BYTES_A_LIMB) {
    let carry = 0
    for (; index < end; index++) carry = carry * 256 + (bytes[index] as number)
    used = multiplyAdd(limbs, used, BYTE_LIMB, carry, DIGIT_LIMB)
  }
  return ALPHABET.charAt(0).repeat(zeros) + digitsOf(limbs, used)
}

/** The same of 64 bytes at most, which have 88 digits at most: as `decodeBase58Into()` converts, with carries taken once. */
function encodeShort(bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  sums.fill(0)
  // The power of each group has a limb more than that of the one before, at most.
  for (let limbs = 2, power = 0, end = bytes.length; end > zeros; limbs++, end -= BYTES_A_LIMB) {
    let group = 0
    for (let index = Math.max(zeros, end - BYTES_A_LIMB); index < end; index++) {
      group = group * 256 + (bytes[index] as number)
    }
    for (let limb = 0; limb < limbs && limb < POWER_LIMBS; limb++) {
      sums[limb] = (sums[limb] as number) + group * (BYTE_POWERS[power + limb] as number)
    }
    power += POWER_LIMBS
  }
  let carry = 0
  for (let limb = 0; limb < POWER_LIMBS; limb++) {
    const sum = (sums[limb] as number) + carry
    carry = Math.floor(sum / DIGIT_LIMB)
    sums[limb] = sum - carry * DIGIT_LIMB
  }
  const digits = digitsOf(sums, POWER_LIMBS)
  return zeros === 0 ? digits : ALPHABET.charAt(0).repeat(zeros) + digits
}

function digitsOf(limbs: Float64Array, used: number): string {
  let text = ''
  for (let limb = used - 1; limb >= 0; limb--) {
    const value = limbs[limb] as number
    const high = Math.floor(value / PAIRS.length)
    text += (PAIRS[high] as string) + (PAIRS[value - high * PAIRS.length] as string)
  }
  return text.slice(leadingOnes(text, text.length))
}

function boundsUpTo(byteCount: number): Bounds {
  return Array.from({ length: byteCount + 1 }, (_, count) => {
    if (count === 0) return { least: '', greatest: '' }
    const least = new Uint8Array(count)
    least[0] = 1
    return {
      least: encodeBase58(least),
      greatest: encodeBase58(new Uint8Array(count).fill(0xff)),
    }
  })
}
