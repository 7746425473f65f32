/** Outcome counts of each run of `ingest` in one batch, added to the stored ones by its commit. */
export type Outcome = 'accepted' | 'duplicate' | 'conflict' | 'other' | 'dead'

export class RunCounts {
  private readonly runs = new Map<string, Record<Outcome, number>>()

  /** Counts one event; ignores an event that came by no run. */
  count(run: string | undefined, outcome: Outcome): void {
    if (run === undefined) return
    let counts = this.runs.get(run)
    if (counts === undefined) {
      counts = { accepted: 0, duplicate: 0, conflict: 0, other: 0, dead: 0 }
      this.runs.set(run, counts)
    }
    counts[outcome] += 1
  }

  get isEmpty(): boolean {
    return this.runs.size === 0
  }

  /** In the form of pool/merge_sums' parameters. */
  columns(): unknown[][] {
    const rows = [...this.runs]
    const column = (outcome: Outcome) => rows.map(([, counts]) => counts[outcome])
    return [
      rows.map(([run]) => run),
      column('accepted'),
      column('duplicate'),
      column('conflict'),
      column('other'),
      column('dead'),
    ]
  }
}
