/** Outcome counts of each run of `ingest` in one batch, added to the stored ones by its commit. */
export type Outcome =
  | 'accepted'
  | 'duplicate'
  | 'conflict'
  | 'other'
  | 'dead'
  | 'retracted_swap'
  | 'retracted_pool_event'
  | 'dropped_swap'
  | 'dropped_pool_event'

export class RunCounts {
  private readonly runs = new Map<string, Record<Outcome, number>>()

  /** Counts one event; ignores an event that came by no run. */
  count(run: string | undefined, outcome: Outcome): void {
    if (run === undefined) return
    let counts = this.runs.get(run)
    if (counts === undefined) {
      counts = {
        ...{ accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 },
        ...{ retracted_swap: 0, retracted_pool_event: 0, dropped_swap: 0, dropped_pool_event: 0 },
      }
      this.runs.set(run, counts)
    }
    counts[outcome] += 1
  }

  get isEmpty(): boolean {
    return this.runs.size === 0
  }

  /**
   * In the form of pool/merge_sums' parameters. The table counts events of retracted blocks and of dropped slots among
   * duplicates and others as well.
   */
  columns(): unknown[][] {
    const rows = [...this.runs.values()]
    return [
      [...this.runs.keys()],
      rows.map(({ accepted }) => accepted),
      rows.map((row) => row.duplicate + row.retracted_swap + row.dropped_swap),
      rows.map(({ conflict }) => conflict),
      rows.map((row) => row.other + row.retracted_pool_event + row.dropped_pool_event),
      rows.map(({ dead }) => dead),
    ]
  }

  /** Further parameters of pool/merge_sums, for the same runs. */
  leftOutColumns(): unknown[][] {
    const rows = [...this.runs.values()]
    return [
      rows.map(({ retracted_swap }) => retracted_swap),
      rows.map(({ retracted_pool_event }) => retracted_pool_event),
      rows.map(({ dropped_swap }) => dropped_swap),
      rows.map(({ dropped_pool_event }) => dropped_pool_event),
    ]
  }
}
