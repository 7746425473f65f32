/**
 * The checksums of data that is split over several nodes: CRC-64 (ISO 3309, reflected), and in older files FNV-1a of 64 bits.
 * Pure.
 */

/** The polynomial, reflected; the low half of its table is 0 but for one term. */
const POLYNOMIAL = 0xd800_0000_0000_0000n
const FNV_OFFSET = 0xcbf2_9ce4_8422_2325n
const FNV_PRIME = 0x100_0000_01b3n
const BITS = 64

/** Entries of the table in two halves of 32 bits: a bigint a byte would be slow. */
const [HIGH, LOW] = crcTables()

function crcTables(): readonly [Uint32Array, Uint32Array] {
  const [high, low] = [new Uint32Array(256), new Uint32Array(256)]
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) {
      value = (value & 1n) === 1n ? (value >> 1n) ^ POLYNOMIAL : value >> 1n
    }
    high[byte] = Number(value >> 32n)
    low[byte] = Number(value & 0xffff_ffffn)
  }
  return [high, low]
}

export function crc64(bytes: Uint8Array): bigint {
  let [high, low] = [0xffff_ffff, 0xffff_ffff]
  for (const byte of bytes) {
    const at = (low ^ byte) & 0xff
    low = (((low >>> 8) | (high << 24)) ^ (LOW[at] as number)) >>> 0
    high = ((high >>> 8) ^ (HIGH[at] as number)) >>> 0
  }
  return BigInt.asUintN(BITS, ~((BigInt(high) << 32n) | BigInt(low)))
}

export function fnv64(bytes: Uint8Array): bigint {
  let value = FNV_OFFSET
  for (const byte of bytes) value = BigInt.asUintN(BITS, (value ^ BigInt(byte)) * FNV_PRIME)
  return value
}
