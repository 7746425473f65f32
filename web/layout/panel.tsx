/** A titled part of a page and the states that its answer may be in: loading, empty, failed, limited, stale, there. */
import type { ComponentChildren } from 'preact'
import { now } from '../client/clock.ts'
import type { Loaded } from '../client/loaded.ts'
import type { Problem } from '../client/request.ts'
import { type History, historyText, type Sells } from '../format/history.ts'
import { durationText } from '../format/time.ts'
import { SlotMark } from './head/slot.tsx'

type PanelProps = {
  title: ComponentChildren
  /** Choices at the right of the title. */
  aside?: ComponentChildren
  /** Mode, window or threshold of the figures. */
  note?: ComponentChildren
  /** Whether the figures are of now, on a page that reads at a slot; absent: the panel has none. */
  of?: { isOfNow: boolean }
  class?: string
  children: ComponentChildren
}

export function Panel({ title, aside, note, of, class: name = '', children }: PanelProps) {
  return (
    <section class={`panel ${name}`}>
      <div class="panel-head">
        <h2>{title}</h2>
        {note !== undefined && <span class="quiet">{note}</span>}
        {of !== undefined && <SlotMark isOfNow={of.isOfNow} />}
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </div>
      {children}
    </section>
  )
}

type StatesProps<Value> = {
  of: Loaded<Value>
  /** Shown where there is an answer with nothing in it; undefined: it has something. */
  emptyText?: (value: Value) => string | undefined
  /** Rows of the placeholder. */
  rows?: number
  children: (value: Value) => ComponentChildren
}

/** Draws the answer, or the state that it is in. An answer stays while a later request fails, with a line above it. */
export function States<Value>({ of, emptyText, rows = 5, children }: StatesProps<Value>) {
  const { value, problem, at, retryAt, retry } = of
  if (value === undefined) {
    return problem === undefined ? (
      <Loading rows={rows} />
    ) : (
      <Trouble of={problem} {...{ retryAt, retry }} />
    )
  }
  const empty = emptyText?.(value)
  return (
    <>
      {problem !== undefined && <Stale of={problem} {...{ at, retryAt, retry }} />}
      {empty === undefined ? children(value) : <p class="empty">{empty}</p>}
    </>
  )
}

/** Height of a row of a table. */
const ROW_PX = 34

function Loading({ rows }: { rows: number }) {
  const style = { height: `${rows * ROW_PX}px` }
  return <div class="loading" role="status" aria-label="Loading" style={style} />
}

const TITLES: Readonly<Record<Problem['kind'], string>> = {
  key: 'A key is needed',
  limited: 'Request limit reached',
  unreachable: 'The server does not answer',
  failed: 'The server failed',
  unknown: 'Not found',
  'too-costly': 'Too costly as of a slot',
  'not-stored': 'Not stored as of a slot',
  refused: 'The request failed',
}

type TroubleProps = { of: Problem } & Pick<Loaded<unknown>, 'retryAt' | 'retry'>

function Trouble({ of, retryAt, retry }: TroubleProps) {
  return (
    <div class="trouble" role="alert">
      <strong>{TITLES[of.kind]}</strong>
      <p>{of.message}</p>
      <Retry {...{ retryAt, retry }} />
    </div>
  )
}

function Stale({ of, at, retryAt, retry }: TroubleProps & { at: number }) {
  const title = TITLES[of.kind]
  const isInTitle = of.message.toLowerCase() === title.toLowerCase()
  return (
    <p class="stale" role="status">
      {title}: these figures are {durationText(now.value - at)} old.{' '}
      {!isInTitle && <span class="quiet">{of.message}.</span>} <Retry {...{ retryAt, retry }} />
    </p>
  )
}

function Retry({ retryAt, retry }: Pick<Loaded<unknown>, 'retryAt' | 'retry'>) {
  return (
    <>
      {retryAt !== 0 && (
        <span class="quiet">
          Next attempt in {durationText(Math.max(1_000, retryAt - now.value))}.
        </span>
      )}{' '}
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </>
  )
}

type HistoryNoteProps = { of: History | undefined; sells?: Sells | undefined }

/** From when on the history that the figures of a panel or page fold is complete, in words. */
export function HistoryNote({ of, sells }: HistoryNoteProps) {
  const text = of === undefined ? undefined : historyText(of, sells)
  if (of === undefined || text === undefined) return null
  const { complete_since: slot } = of
  const exact =
    slot === undefined
      ? 'Nothing is known of the slots before the first indexed swap'
      : `No slot is missing from slot ${slot} on; what happened before may be lacking`
  return (
    <span class="quiet" data-figure="complete_since" title={exact}>
      {text}
    </span>
  )
}
