/** Finds sealed swaps by their signatures, or by the hashes of these, which a collision may share. */
import { signatureHash } from '../../../domain/numbers/signature-hash.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { signatureBucket, signatureFinder, signatureMark } from '../../codec/postings/signature.ts'
import type { Sealed, Segment } from '../state.ts'
import type { StoredSwap } from '../stored-swap.ts'
import { loadPostings } from './postings.ts'
import { countingNumbers, loadRows, type RowNumbers } from './rows.ts'

/** A row of a segment. `hash`: of its signature. */
export type SignedRow = {
  readonly hash: bigint
  readonly segmentId: number
  readonly rowNumber: number
}
type Halves = { readonly high: number; readonly low: number }

/** The swaps of transactions, wherever they are sealed. */
export async function ofSignatures(
  db: Queryable,
  sealed: Sealed,
  signatures: readonly string[],
): Promise<StoredSwap[]> {
  const wanted = new Set(signatures)
  const swaps = await ofHashes(db, sealed, signatures.map(signatureHash))
  return swaps.filter(({ signature }) => wanted.has(signature))
}

/** The swaps whose signature has one of these hashes, as `signatureHash()` computes them. */
export async function ofHashes(
  db: Queryable,
  sealed: Sealed,
  hashes: readonly bigint[],
): Promise<StoredSwap[]> {
  const wantedHashes = new Set(hashes)
  const located = await loadRows(db, await candidates(db, sealed, hashes))
  return located.flatMap(({ swap }) =>
    wantedHashes.has(signatureHash(swap.signature)) ? [swap] : [],
  )
}

/** Whether each row is found in the signature postings of its segment. */
export async function areFound(
  db: Queryable,
  sealed: Sealed,
  rows: readonly SignedRow[],
): Promise<boolean[]> {
  const segments = new Map(sealed.segments.map((segment) => [segment.id, segment]))
  const keys = new Map<string, { segment: Segment; bucket: number }>()
  const keyed = rows.map(({ hash, segmentId, rowNumber }) => {
    const segment = segments.get(segmentId)!
    const { high, low } = halvesOf(hash)
    const bucket = signatureBucket(high, segment.signatureBits)
    const key = `${segmentId} ${bucket}`
    if (!keys.has(key)) keys.set(key, { segment, bucket })
    return { key, mark: signatureMark(high, low, segment.signatureBits), rowNumber }
  })
  const finders = await loadFinders(db, [...keys.values()])
  return keyed.map(
    ({ key, mark, rowNumber }) => finders.get(key)?.(mark).includes(rowNumber) === true,
  )
}

/** Functions that find the rows of a posting by the mark of a signature, by segment and bucket. */
async function loadFinders(
  db: Queryable,
  wanted: readonly { readonly segment: Segment; readonly bucket: number }[],
): Promise<Map<string, ReturnType<typeof signatureFinder>>> {
  const postings = await loadPostings(db, 'signature', wanted)
  return new Map(
    postings.map(({ segmentId, bucket, bytes, subject }) => [
      `${segmentId} ${bucket}`,
      signatureFinder(bytes, subject),
    ]),
  )
}

/** Rows that may have signatures of these hashes, and count. */
async function candidates(
  db: Queryable,
  sealed: Sealed,
  hashes: readonly bigint[],
): Promise<RowNumbers[]> {
  if (hashes.length === 0 || sealed.segments.length === 0) return []
  const halves = [...new Set(hashes)].map(halvesOf)
  const keys = new Map<string, { segment: Segment; bucket: number }>()
  for (const segment of sealed.segments) {
    for (const { high } of halves) {
      const bucket = signatureBucket(high, segment.signatureBits)
      keys.set(`${segment.id} ${bucket}`, { segment, bucket })
    }
  }
  const finders = await loadFinders(db, [...keys.values()])
  const wanted: RowNumbers[] = []
  for (const segment of sealed.segments) {
    const bits = segment.signatureBits
    const rows = new Set<number>()
    for (const { high, low } of halves) {
      const find = finders.get(`${segment.id} ${signatureBucket(high, bits)}`)
      if (find === undefined) continue
      for (const row of find(signatureMark(high, low, bits))) rows.add(row)
    }
    wanted.push(await countingNumbers(db, segment, rows))
  }
  return wanted
}

const halvesOf = (hash: bigint): Halves => ({
  high: Number(BigInt.asIntN(32, hash >> 32n)),
  low: Number(BigInt.asIntN(32, hash)),
})
