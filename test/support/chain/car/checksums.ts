/** The checksums of split data, bit by bit from their definitions, apart from the readers. */

/** CRC-64 with the polynomial of ISO 3309, reflected. */
export function crc64Of(bytes: Buffer): bigint {
  let value = 0xffff_ffff_ffff_ffffn
  for (const byte of bytes) {
    value ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) {
      value = (value & 1n) === 0n ? value >> 1n : (value >> 1n) ^ 0xd800_0000_0000_0000n
    }
  }
  return value ^ 0xffff_ffff_ffff_ffffn
}

/** FNV-1a of 64 bits. */
export function fnv64Of(bytes: Buffer): bigint {
  let value = 14_695_981_039_346_656_037n
  for (const byte of bytes) value = ((value ^ BigInt(byte)) * 1_099_511_628_211n) % 2n ** 64n
  return value
}
