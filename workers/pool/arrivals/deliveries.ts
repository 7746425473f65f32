/**
 * Sorts the arrivals of a batch by their judgement: new events, duplicates, and conflicts. Pure.
 *
 * A duplicate may state what the event before it left out: a stored event's row is completed by the commit; one of this batch is
 * stored and published complete, so that its row and its message agree.
 */
import type { Conflict, Judgement } from './contradiction.ts'
import type { Outcome, RunCounts } from './run-counts.ts'

type Delivery<Event> = { event: Event; run: string | undefined }

type Sorted<Arriving, Event> = {
  fresh: Delivery<Event>[]
  /** Stored events that duplicates complete. */
  completed: Arriving[]
  conflicts: { run: string | undefined; conflict: Conflict<Arriving> }[]
}

export class Deliveries<Arriving, Event> {
  readonly #first: { judge(arriving: Arriving): Judgement<Arriving> }
  readonly #payloadOf: (event: Event) => Arriving
  readonly #eventOf: (payload: Arriving) => Event

  constructor(
    first: { judge(arriving: Arriving): Judgement<Arriving> },
    payloadOf: (event: Event) => Arriving,
    eventOf: (payload: Arriving) => Event,
  ) {
    this.#first = first
    this.#payloadOf = payloadOf
    this.#eventOf = eventOf
  }

  /** `counted`: the kind as which new events and duplicates count in their runs. */
  sort(
    arrivals: readonly Delivery<Event>[],
    runs: RunCounts,
    counted: { fresh: Outcome; again: Outcome },
  ): Sorted<Arriving, Event> {
    const conflicts: Sorted<Arriving, Event>['conflicts'] = []
    /** By the first delivery. */
    const wholes = new Map<Arriving, Arriving>()
    /** First deliveries by what was made of them: several duplicates may each add to one event. */
    const firsts = new Map<Arriving, Arriving>()
    const fresh = arrivals.filter((arrival) => {
      const { event, run } = arrival
      const result = this.#first.judge(this.#payloadOf(event))
      if (result === 'new') {
        runs.count(run, counted.fresh)
        return true
      }
      if (result === 'duplicate') runs.count(run, counted.again)
      else if (result.kind === 'completes') {
        runs.count(run, counted.again)
        const first = firsts.get(result.first) ?? result.first
        firsts.set(result.whole, first)
        wholes.set(first, result.whole)
      } else conflicts.push({ run, conflict: result })
      return false
    })
    return { ...this.#complete(fresh, wholes), conflicts }
  }

  #complete(
    fresh: Delivery<Event>[],
    wholes: Map<Arriving, Arriving>,
  ): Pick<Sorted<Arriving, Event>, 'fresh' | 'completed'> {
    if (wholes.size === 0) return { fresh, completed: [] }
    const replaced = fresh.map((arrival) => {
      const first = this.#payloadOf(arrival.event)
      const whole = wholes.get(first)
      if (whole === undefined) return arrival
      wholes.delete(first)
      return { event: this.#eventOf(whole), run: arrival.run }
    })
    return { fresh: replaced, completed: [...wholes.values()] }
  }
}
