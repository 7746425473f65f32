/**
 * Sorts the arrivals of a batch by their judgement: new events, duplicates, and conflicts. Pure.
 *
 * A duplicate may name the block of an event that came without one: of a stored event the row is named by the commit; in
 * the place of one of this batch the duplicate is stored and published, so that its row and its message agree.
 */
import type { Conflict, Judgement } from './contradiction.ts'
import type { Outcome, RunCounts } from './run-counts.ts'

type Delivery<Event> = { event: Event; run: string | undefined }

type Sorted<Arriving, Event> = {
  fresh: Delivery<Event>[]
  /** Duplicates that name the blocks of stored events. */
  named: Arriving[]
  conflicts: { run: string | undefined; conflict: Conflict<Arriving> }[]
}

export class Deliveries<Arriving, Event> {
  readonly #first: { judge(arriving: Arriving): Judgement<Arriving> }
  readonly #payloadOf: (event: Event) => Arriving

  constructor(
    first: { judge(arriving: Arriving): Judgement<Arriving> },
    payloadOf: (event: Event) => Arriving,
  ) {
    this.#first = first
    this.#payloadOf = payloadOf
  }

  /** `counted`: the kind as which new events and duplicates count in their runs. */
  sort(
    arrivals: readonly Delivery<Event>[],
    runs: RunCounts,
    counted: { fresh: Outcome; again: Outcome },
  ): Sorted<Arriving, Event> {
    const conflicts: Sorted<Arriving, Event>['conflicts'] = []
    /** By the event before it. */
    const naming = new Map<Arriving, Delivery<Event>>()
    const fresh = arrivals.filter((arrival) => {
      const { event, run } = arrival
      const result = this.#first.judge(this.#payloadOf(event))
      if (result === 'new') {
        runs.count(run, counted.fresh)
        return true
      }
      if (result === 'duplicate') runs.count(run, counted.again)
      else if (result.kind === 'names_block') {
        runs.count(run, counted.again)
        naming.set(result.first, arrival)
      } else conflicts.push({ run, conflict: result })
      return false
    })
    return { ...this.#name(fresh, naming), conflicts }
  }

  #name(
    fresh: Delivery<Event>[],
    naming: Map<Arriving, Delivery<Event>>,
  ): Pick<Sorted<Arriving, Event>, 'fresh' | 'named'> {
    if (naming.size === 0) return { fresh, named: [] }
    const replaced = fresh.map((arrival) => {
      const first = this.#payloadOf(arrival.event)
      const named = naming.get(first)
      naming.delete(first)
      return named ?? arrival
    })
    return {
      fresh: replaced,
      named: [...naming.values()].map(({ event }) => this.#payloadOf(event)),
    }
  }
}
