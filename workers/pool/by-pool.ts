/**
 * Values by pool, which is a pair account with its mint. The pair alone finds nearly all of them, so no
 * text of both is made for a look-up. Pure.
 */
export type PoolName = { readonly pairAddress: string; readonly tokenAddress: string }

type Entry<Value> = {
  readonly tokenAddress: string
  value: Value
  /** Another mint of the same pair. */
  readonly next: Entry<Value> | undefined
}

export class ByPool<Value> {
  private readonly byPair = new Map<string, Entry<Value>>()
  private count = 0

  get({ pairAddress, tokenAddress }: PoolName): Value | undefined {
    return this.find(pairAddress, tokenAddress)?.value
  }

  set({ pairAddress, tokenAddress }: PoolName, value: Value): void {
    const known = this.find(pairAddress, tokenAddress)
    if (known !== undefined) {
      known.value = value
      return
    }
    this.byPair.set(pairAddress, { tokenAddress, value, next: this.byPair.get(pairAddress) })
    this.count += 1
  }

  get size(): number {
    return this.count
  }

  clear(): void {
    this.byPair.clear()
    this.count = 0
  }

  private find(pairAddress: string, tokenAddress: string): Entry<Value> | undefined {
    let entry = this.byPair.get(pairAddress)
    while (entry !== undefined && entry.tokenAddress !== tokenAddress) entry = entry.next
    return entry
  }
}
