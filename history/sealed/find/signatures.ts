/** Finds sealed swaps by their signatures, or by the hashes of these, which a collision may share. */
import { signatureHash } from '../../../domain/numbers/signature-hash.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { signatureBucket, signatureFinder, signatureMark } from '../../codec/postings/signature.ts'
import type { Sealed, Segment } from '../state.ts'
import type { StoredSwap } from '../stored-swap.ts'
import { loadPostings } from './postings.ts'
import { countingRows, loadRows, type RowNumbers } from './rows.ts'

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
  if (hashes.length === 0 || sealed.segments.length === 0) return []
  const halves = [...new Set(hashes)].map(halvesOf)
  const keys = new Map<string, { segment: Segment; bucket: number }>()
  for (const segment of sealed.segments) {
    for (const { high } of halves) {
      const bucket = signatureBucket(high, segment.signatureBits)
      keys.set(`${segment.id} ${bucket}`, { segment, bucket })
    }
  }
  const finders = new Map(
    (await loadPostings(db, 'signature', [...keys.values()])).map(
      ({ segmentId, bucket, bytes, subject }) => [
        `${segmentId} ${bucket}`,
        signatureFinder(bytes, subject),
      ],
    ),
  )
  const wanted: RowNumbers[] = []
  for (const segment of sealed.segments) {
    const bits = segment.signatureBits
    const rows = new Set<number>()
    for (const { high, low } of halves) {
      const find = finders.get(`${segment.id} ${signatureBucket(high, bits)}`)
      if (find === undefined) continue
      for (const row of find(signatureMark(high, low, bits))) rows.add(row)
    }
    const numbered = [...rows].map((row) => ({ row }))
    const counting = await countingRows(db, segment, numbered)
    wanted.push({ segment, rows: counting.map(({ row }) => row) })
  }
  const wantedHashes = new Set(hashes)
  const located = await loadRows(db, wanted)
  return located.flatMap(({ swap }) =>
    wantedHashes.has(signatureHash(swap.signature)) ? [swap] : [],
  )
}

const halvesOf = (hash: bigint): Halves => ({
  high: Number(BigInt.asIntN(32, hash >> 32n)),
  low: Number(BigInt.asIntN(32, hash)),
})
