/**
 * Cache of wallet tags in a process: read whole once, then the changes, each second
 * at most, when a batch is folded.
 *
 * A byte a wallet, by its id, up to the newest that has a tag. Changes of a transaction are read again
 * until it has ended, so none is missed, however commits overtake each other.
 * Decision: docs/decisions/0026-tags-are-stamped-when-published.md
 */
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

type ChangedRow = { next_mark: string; wallet_id: number | null; tags: number }

const listChangedTags = query<ChangedRow>('pool/list_changed_tags')

const FRESH_MS = 1_000

export class TaggedWallets {
  private bits = new Uint8Array(1_024)
  private mark = '0'
  private readAtMs = Number.NEGATIVE_INFINITY
  private reading: Promise<void> | undefined
  private readonly freshMs: number

  constructor(freshMs = FRESH_MS) {
    this.freshMs = freshMs
  }

  /** Tags of a wallet as bits (tagBits); 0 for none. */
  of(walletId: number): number {
    return this.bits[walletId] ?? 0
  }

  /** Resolves when the cache is at most a second old. Rejects when the tags cannot be read. */
  async refresh(db: Db): Promise<void> {
    if (performance.now() - this.readAtMs < this.freshMs) return
    this.reading ??= this.read(db).finally(() => {
      this.reading = undefined
    })
    await this.reading
  }

  private async read(db: Db): Promise<void> {
    const startedAtMs = performance.now()
    for (const { next_mark, wallet_id, tags } of await listChangedTags(db, [this.mark])) {
      this.mark = next_mark
      if (wallet_id !== null) this.set(wallet_id, tags)
    }
    this.readAtMs = startedAtMs
  }

  private set(walletId: number, tags: number): void {
    if (walletId >= this.bits.length) {
      const larger = new Uint8Array(2 * walletId)
      larger.set(this.bits)
      this.bits = larger
    }
    this.bits[walletId] = tags
  }
}

/** The cache of a database, shared by all lanes of the process. */
export function taggedWalletsOf(db: object): TaggedWallets {
  let known = shared.get(db)
  if (known === undefined) {
    known = new TaggedWallets()
    shared.set(db, known)
  }
  return known
}

const shared = new WeakMap<object, TaggedWallets>()
