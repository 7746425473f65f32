/**
 * The slot of a page: all of its figures are read at it, and the page moves to a later one as a whole.
 *
 * ```
 * first slot ---------------> each part reads at it, and is drawn as its answer arrives
 * event, or a time of rest -> next slot -> each part reads at it -> all are drawn at once
 * ```
 * A part that cannot be read holds the others for a few attempts. Then the page moves, and the part shows why it has none.
 * Decision: docs/decisions/0114-a-page-moves-as-a-whole.md
 */
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { persist, type Trouble } from '../attempts.ts'
import { needsKey } from '../session.ts'
import type { Moment } from './moment.ts'

type Part = {
  /** Reads at the moment that is shown, and draws the answer. */
  begin: (moment: Moment) => void
  /** Reads at the next moment. The result draws the answer. */
  prepare: (moment: Moment) => Promise<() => void>
}

export type PageSlot = {
  /** Undefined before the first. */
  shown: ReadonlySignal<Moment | undefined>
  /** Why the next moment is not known. */
  trouble: ReadonlySignal<Trouble | undefined>
  /** Whether there are events that concern the page, and that it does not show yet. */
  hasNewer: ReadonlySignal<boolean>
  isPinned: boolean
  /** Reads the part until the result is called. */
  join: (part: Part) => () => void
  /** The page is to move, because of events up to this slot. */
  note: (slot: bigint) => void
  start: () => void
  close: () => void
}

type PageSlotOptions = {
  read: (signal: AbortSignal) => Promise<Moment>
  isPinned: boolean
  /** Milliseconds between moves without an event; absent: events alone move the page. */
  restMs?: number | undefined
}

export function pageSlot({ read, isPinned, restMs }: PageSlotOptions): PageSlot {
  const shown = signal<Moment | undefined>(undefined)
  const trouble = signal<Trouble | undefined>(undefined)
  const hasNewer = signal(false)
  const parts = new Set<Part>()
  const closed = new AbortController()
  /** The greatest slot of an event, and whether one came since the last move began. */
  let newest = -1n
  let isNoted = false

  async function move(): Promise<void> {
    const wasNoted = isNoted
    isNoted = false
    const next = await readNext(read, trouble, closed.signal, () => pace.now())
    if (next === undefined) return
    if (shown.value === undefined) {
      shown.value = next
      for (const part of parts) part.begin(next)
    } else if (next.slot !== shown.value.slot || wasNoted) {
      const drawings = await prepareAll(parts, next, closed.signal)
      batch(() => {
        shown.value = next
        for (const part of parts) drawings.get(part)?.()
      })
    }
  }

  const pace = paced(closed.signal, async () => {
    await move()
    const { slot = null, isHeld = false } = shown.value ?? {}
    hasNewer.value = isNoted || newest > (slot ?? -1n)
    if (isPinned) return undefined
    return hasNewer.value || isHeld ? 0 : restMs
  })

  return {
    ...{ shown, trouble, hasNewer, isPinned },
    join: (part) => {
      parts.add(part)
      if (shown.value !== undefined) part.begin(shown.value)
      return () => parts.delete(part)
    },
    note: (slot) => {
      if (slot > newest) newest = slot
      isNoted = true
      hasNewer.value = true
      pace.soon()
    },
    start: () => pace.now(),
    close: () => closed.abort(),
  }
}

/** The next moment; undefined where it cannot be known, until `retry`. */
async function readNext(
  read: PageSlotOptions['read'],
  trouble: Signal<Trouble | undefined>,
  signal: AbortSignal,
  retry: () => void,
): Promise<Moment | undefined> {
  const onTrouble = (found: Trouble): void => {
    trouble.value = found
  }
  const outcome = await persist(read, { signal, onTrouble })
  if ('value' in outcome) {
    trouble.value = undefined
    return outcome.value
  }
  trouble.value = { problem: outcome.problem, retryAt: 0, retry }
  if (outcome.problem.kind === 'key') needsKey.value = true
  return undefined
}

/** The drawing of each part at the next moment. A part that joins meanwhile is prepared as well. */
async function prepareAll(
  parts: ReadonlySet<Part>,
  next: Moment,
  signal: AbortSignal,
): Promise<Map<Part, () => void>> {
  const drawings = new Map<Part, () => void>()
  for (;;) {
    const missing = [...parts].filter((part) => !drawings.has(part))
    if (missing.length === 0) return drawings
    const prepared = await Promise.all(
      missing.map(async (part) => [part, await part.prepare(next)] as const),
    )
    signal.throwIfAborted()
    for (const [part, drawing] of prepared) drawings.set(part, drawing)
  }
}

/** Milliseconds between two moves at least, and times that a move took: a page does not occupy the server. */
const MOVE_MS = 2_000
const MOVE_TIMES = 4

/** Runs moves one after the other. `move`: resolves with the milliseconds until the next one; undefined: there is none. */
function paced(signal: AbortSignal, move: () => Promise<number | undefined>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let isMoving = false
  let restsUntil = 0

  async function now(): Promise<void> {
    if (isMoving || signal.aborted) return
    clearTimeout(timer)
    dueAt = Number.POSITIVE_INFINITY
    isMoving = true
    const began = Date.now()
    const waitMs = await move()
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
        return undefined
      })
      .finally(() => {
        isMoving = false
        restsUntil = Date.now() + Math.max(MOVE_MS, MOVE_TIMES * (Date.now() - began))
      })
    if (waitMs !== undefined) moveIn(waitMs)
  }

  function moveIn(ms: number): void {
    const at = Math.max(restsUntil, Date.now() + ms)
    if (isMoving || signal.aborted || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(() => void now(), at - Date.now())
  }

  signal.addEventListener('abort', () => clearTimeout(timer))
  return { now: () => void now(), soon: () => moveIn(0) }
}
