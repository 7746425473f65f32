/** PostgreSQL's binary COPY format read again, by its documentation: rows of raw fields, null or bytes. */

const SIGNATURE = Buffer.from([80, 71, 67, 79, 80, 89, 10, 255, 13, 10, 0])

export function readCopy(bytes: Buffer): (Buffer | null)[][] {
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error(`ends within ${length} bytes at ${at}`)
    at += length
    return bytes.subarray(at - length, at)
  }
  if (!take(SIGNATURE.length).equals(SIGNATURE)) throw new Error('not the signature of a copy')
  if (take(4).readUInt32BE() !== 0) throw new Error('flags that nobody set')
  take(take(4).readUInt32BE())
  const rows: (Buffer | null)[][] = []
  for (;;) {
    const fields = take(2).readInt16BE()
    if (fields === -1) break
    rows.push(
      Array.from({ length: fields }, () => {
        const length = take(4).readInt32BE()
        return length === -1 ? null : take(length)
      }),
    )
  }
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes after the trailer`)
  return rows
}
