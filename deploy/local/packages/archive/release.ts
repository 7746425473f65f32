/**
 * The `InRelease` file of a suite: the sizes and hashes of its lists, signed by Debian's archive keys. Everything that is
 * fetched from a mirror is proven by it, so a mirror need not be trusted, nor its connection encrypted.
 */

import { type PublicKey, readCleartextMessage, readKeys, verify } from 'openpgp'
import { readHttpDate } from '../../../../domain/time/time.ts'

/**
 * Debian's archive signing keys that sign releases 12 and 13, by the fingerprints of their primary keys, as the package
 * debian-archive-keyring has them: those of the archive, of the security archive, and of stable releases.
 */
export const ARCHIVE_KEYS: ReadonlySet<string> = new Set([
  '04b54c3cdca79751b16bc6b5225629df75b188bd',
  '5e04a1e3223a19a20706e20f9904613d4cce68c6',
  '41587f7db8c774bccf131416762f67a0b2c39de4',
  'b8b80b5b623eab6ad8775c45b7c5d7d6350947f8',
  '05ab90340c0c5e797f44a8c8254cf3b5aec0a8f0',
])

type ListedFile = { size: number; sha256: string }

export type Release = {
  codename: string
  origin: string
  /** Unix ms after which the release counts as old; undefined: it has no such bound; NaN: it is no date. */
  validUntilMs: number | undefined
  /** Lists can be fetched by their hashes, which a mirror in the middle of an update serves as well. */
  isByHash: boolean
  files: ReadonlyMap<string, ListedFile>
}

/** Keys of a key ring whose fingerprints are among those expected. Throws where there is none. */
export async function pinnedKeys(
  keyRing: Uint8Array,
  fingerprints: ReadonlySet<string> = ARCHIVE_KEYS,
): Promise<PublicKey[]> {
  const keys = await readKeys({ binaryKeys: keyRing })
  const pinned = keys.filter((key) => fingerprints.has(key.getFingerprint()))
  if (pinned.length === 0) throw new Error("the key ring has none of Debian's archive keys")
  return pinned
}

/** The text that one of the keys has signed. Throws where none has. */
export async function signedText(inRelease: string, keys: readonly PublicKey[]): Promise<string> {
  const message = await readCleartextMessage({ cleartextMessage: inRelease })
  const { data, signatures } = await verify({ message, verificationKeys: [...keys] })
  const reasons: string[] = []
  for (const { verified } of signatures) {
    const reason = await verified.then(
      () => undefined,
      (error: Error) => error.message,
    )
    if (reason === undefined) return data
    reasons.push(reason)
  }
  const found = reasons.length === 0 ? 'it has no signature' : reasons.join(', ')
  throw new Error(`no archive key of Debian has signed it: ${found}`)
}

/** The text of an `InRelease` file that no key has proven yet. */
export async function unprovenText(inRelease: string): Promise<string> {
  return (await readCleartextMessage({ cleartextMessage: inRelease })).getText()
}

/** Reads the fields and the section `SHA256` of the signed text. */
export function parseRelease(text: string): Release {
  const fields = new Map<string, string>()
  const files = new Map<string, ListedFile>()
  let section = ''
  for (const line of text.split('\n')) {
    const field = /^([\w-]+):\s*(.*?)\s*$/.exec(line)
    if (field !== null) {
      section = field[1] ?? ''
      fields.set(section, field[2] ?? '')
      continue
    }
    const listed = section === 'SHA256' ? /^ ([\da-f]{64})\s+(\d{1,12})\s+(\S+)/.exec(line) : null
    if (listed === null) continue
    const [, sha256 = '', size = '', path = ''] = listed
    files.set(path, { size: Number(size), sha256 })
  }
  const until = fields.get('Valid-Until')
  return {
    codename: fields.get('Codename') ?? '',
    origin: fields.get('Origin') ?? '',
    validUntilMs: until === undefined ? undefined : (readHttpDate(until) ?? Number.NaN),
    isByHash: fields.get('Acquire-By-Hash') === 'yes',
    files,
  }
}

/**
 * Throws where the release is of another suite, of another origin, or old: a mirror that is no longer updated would hide
 * security updates. `mustExpire`: the suite is one whose releases Debian bounds by a week.
 */
export function expectCurrent(
  { codename, origin, validUntilMs }: Release,
  suite: string,
  { nowMs, mustExpire }: { nowMs: number; mustExpire: boolean },
): void {
  if (origin !== 'Debian') throw new Error(`its origin is "${origin}", not "Debian"`)
  if (codename !== suite) throw new Error(`it is the release "${codename}"`)
  if (validUntilMs === undefined && !mustExpire) return
  if (validUntilMs === undefined || Number.isNaN(validUntilMs)) {
    throw new Error('it does not state until when it is valid')
  }
  if (validUntilMs < nowMs) {
    const until = new Date(validUntilMs).toISOString()
    throw new Error(`it was valid until ${until}: the mirror, or the clock of this host, is wrong`)
  }
}
