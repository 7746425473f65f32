/**
 * Figures of a page: read at the slot of the page where their route can, together with all others. Others are those of now,
 * renewed by themselves. Which routes can is generated from their declarations, so that a route that learns it is used.
 */
import { useSignal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import { OF_A_SLOT } from '../../../clients/typescript/generated.ts'
import type { OperationId } from '../../../clients/typescript/request.ts'
import { type Outcome, persist } from '../attempts.ts'
import { type Loaded, type LoadOptions, NOTHING, useLoaded } from '../loaded.ts'
import { type Answer, type Given, get, NOT_OF_SLOT } from '../request.ts'
import { needsKey } from '../session.ts'
import type { Moment } from './moment.ts'
import type { PageSlot } from './page-slot.ts'

/** Requests an answer, at the slot of the page where the route can. */
export type Read = <Id extends OperationId>(id: Id, parameters: Given<Id>) => Promise<Answer<Id>>

export type Figures<Value> = Loaded<Value> & {
  /** Whether they are of now, because their route answers as of no slot. */
  isOfNow: boolean
}

/** The moment of a panel that the feed renews as a whole. */
export const OF_NOW = { isOfNow: true } as const

type Load<Value> = (read: Read, nowMs: number) => Promise<Value>

/** Attempts of a part that may fail before the page moves without it. */
const FAILURES_MAX = 3

const REFUSED: ReadonlySet<string | undefined> = new Set(NOT_OF_SLOT)

/** Undefined outside of a page that reads at a slot. */
export const Slot = createContext<PageSlot | undefined>(undefined)

/** Unix ms with which periods of the page end. */
export function useNowMs(): number {
  const page = useContext(Slot)
  return page?.shown.value?.nowMs ?? Date.now()
}

/** Whether the page is of an earlier slot: nothing on it is live. */
export const useIsPinned = (): boolean => useContext(Slot)?.isPinned ?? false

/** The moment of a page of an earlier slot, undefined before it is known; null where the page is live. */
export function usePinnedMoment(): Moment | undefined | null {
  const page = useContext(Slot)
  return page?.isPinned === true ? page.shown.value : null
}

/** `id`: the route that the figures are of; `key`: names the request, and another one starts over. */
export function useFigures<Value>(
  id: OperationId,
  key: string,
  load: Load<Value>,
  options?: LoadOptions,
): Figures<Value> {
  const page = useContext(Slot)
  /** The request that has no answer as of a slot, or is too costly: a live page shows its answer of now. */
  const refused = useSignal('')
  const isOfNow = page === undefined || !OF_A_SLOT.has(id) || refused.value === key
  const ofNow = useLoaded(
    isOfNow ? key : '',
    (signal) => load((name, parameters) => get(name, parameters, signal), Date.now()),
    options,
  )
  const ofSlot = usePart(isOfNow ? undefined : page, key, load, () => {
    refused.value = key
  })
  return { ...(isOfNow ? ofNow : ofSlot), isOfNow }
}

/** `onRefused`: called where a page that moves cannot have it at its slot. */
function usePart<Value>(
  page: PageSlot | undefined,
  key: string,
  load: Load<Value>,
  onRefused: () => void,
): Loaded<Value> {
  const state = useSignal<Omit<Loaded<Value>, 'retry' | 'renew'>>(NOTHING)
  const again = useRef(() => {})
  useLayoutEffect(() => {
    if (page === undefined || key === '') return
    state.value = NOTHING
    const ended = new AbortController()
    let beginning = new AbortController()
    const read = (moment: Moment, signal: AbortSignal, failuresMax?: number) =>
      persist((until) => load(readerAt(moment, until), moment.nowMs), {
        signal,
        ...(failuresMax === undefined ? {} : { failuresMax }),
        onTrouble: ({ problem, retryAt, retry }) => {
          state.value = { ...state.value, problem, retryAt }
          again.current = retry
        },
      })
    const draw = (outcome: Outcome<Value>): void => {
      again.current = () => void (page.shown.value && begin(page.shown.value))
      const drawn = { ...NOTHING, at: Date.now(), ...outcome }
      state.value = drawn
      if (drawn.problem?.kind === 'key') needsKey.value = true
      if (REFUSED.has(drawn.problem?.kind) && !page.isPinned) onRefused()
    }
    const begin = async (moment: Moment): Promise<void> => {
      beginning.abort()
      beginning = new AbortController()
      const until = AbortSignal.any([ended.signal, beginning.signal])
      const outcome = await read(moment, until).catch(unlessAborted(until))
      if (outcome !== undefined) draw(outcome)
    }
    const prepare = async (moment: Moment) => {
      const outcome = await read(moment, ended.signal, FAILURES_MAX).catch(
        unlessAborted(ended.signal),
      )
      return () => {
        if (outcome === undefined) return
        beginning.abort()
        draw(outcome)
      }
    }
    const leave = page.join({ begin: (moment) => void begin(moment), prepare })
    return () => {
      ended.abort()
      leave()
    }
  }, [page, key])
  const trouble = page?.trouble.value
  const { problem, retryAt } = state.value
  const retry = (): void => {
    if (problem === undefined) trouble?.retry()
    else again.current()
  }
  return {
    ...state.value,
    problem: problem ?? trouble?.problem,
    retryAt: problem === undefined ? (trouble?.retryAt ?? 0) : retryAt,
    ...{ retry, renew: retry },
  }
}

const unlessAborted = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error
  return undefined
}

function readerAt({ slot }: Moment, signal: AbortSignal): Read {
  return (id, parameters) => {
    const isOfSlot = slot !== null && OF_A_SLOT.has(id)
    return get(id, { ...parameters, ...(isOfSlot && { as_of_slot: slot }) }, signal)
  }
}
