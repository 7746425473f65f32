/** Lists that operators keep: a row is stored by a form, many by a file, and each is searched and removed. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { countedInGroups, grouped } from '../../../domain/text/plural.ts'
import type { Loaded } from '../../client/loaded.ts'
import { Panel } from '../../layout/panel.tsx'
import { ActionButton, ActionForm, type Fields } from './actions.tsx'
import { say } from './notice.tsx'
import { POST, request } from './request.ts'
import { type Column, LoadedTable } from './table.tsx'

type StorePanelProps<Stored> = {
  /** Path of the list. */
  path: string
  /** The field that names the row in its path; the others go into the query. */
  keyField: string
  stored: (row: Stored) => void
  children: ComponentChildren
}

/** Adds a row or changes it. */
export function StorePanel<Stored>(props: StorePanelProps<Stored>) {
  const { path, keyField, stored, children } = props
  const store = async (fields: Fields): Promise<void> => {
    const { [keyField]: key = '', ...rest } = fields
    const target = `${path}/${encodeURIComponent(key.trim())}?${new URLSearchParams(rest)}`
    stored(await request<Stored>(target, { method: 'PUT' }))
  }
  return (
    <Panel title="Add or change">
      <ActionForm submitText="Store" submit={store}>
        {children}
      </ActionForm>
    </Panel>
  )
}

type ImportOutcome = { refusals: readonly string[]; warnings?: readonly string[] }
type ImportPanelProps<Outcome> = {
  /** Name of the list on the command line. */
  kind: 'kols' | 'sectors'
  columns: string
  /** The outcome of the lines, in words. */
  imported: (outcome: Outcome) => string
}

/** Stores the lines of the page, or of a file that is chosen. */
export function ImportPanel<Outcome extends ImportOutcome>(props: ImportPanelProps<Outcome>) {
  const { kind, columns, imported } = props
  const lines = useRef<HTMLTextAreaElement>(null)
  // A chosen file is sent as its bytes, so that the server sees which kind it is; text that was edited, as text.
  const chosen = useRef<File | undefined>(undefined)
  const importLines = async (): Promise<void> => {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
    const body = chosen.current ?? lines.current?.value ?? ''
    const outcome = await request<Outcome>(`/admin/${kind}/import`, { ...POST, headers, body })
    const { refusals, warnings = [] } = outcome
    const reasons = [...refusals, ...warnings].map((text) => `\n${text}`).join('')
    say(
      `${imported(outcome)}, ${grouped(refusals.length)} refused.${reasons}`,
      refusals.length > 0 ? 'bad' : 'good',
    )
  }
  return (
    <Panel title="Import">
      <p class="quiet">
        NDJSON, or CSV under a header: {columns}. At most 64 KiB; larger files by{' '}
        <code>swaptide import {kind} FILE</code>.
      </p>
      <textarea
        ref={lines}
        aria-label="Lines to import"
        spellcheck={false}
        onInput={() => {
          chosen.current = undefined
        }}
      />
      <div class="row">
        <label>
          File{' '}
          <input
            type="file"
            accept=".csv,.ndjson,.json,.txt"
            onChange={async ({ currentTarget }) => {
              const file = currentTarget.files?.[0]
              chosen.current = file
              const text = (await file?.text()) ?? ''
              if (lines.current !== null) lines.current.value = text
            }}
          />
        </label>
        <ActionButton text="Import" work={importLines} />
      </div>
    </Panel>
  )
}

type SearchedPanelProps<Row> = {
  of: Loaded<readonly Row[]>
  noun: string
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  sortedBy: string
  /** Shown where the list has no row. */
  empty: string
}

/** All rows of a list, of which a search shows some, and how many there are. */
export function SearchedPanel<Row extends Record<keyof Row, string | null>>(
  props: SearchedPanelProps<Row>,
) {
  const { of, noun, empty, ...table } = props
  const wanted = useSignal('')
  const rows = of.value
  const text = wanted.value.toLowerCase()
  const found = rows?.filter((row) =>
    Object.values<string | null>(row).some((value) => value?.toLowerCase().includes(text)),
  )
  return (
    <section class="panel">
      <div class="row">
        <label class="wide">
          Search{' '}
          <input
            id="search"
            type="search"
            value={wanted.value}
            onInput={(event) => {
              wanted.value = event.currentTarget.value
            }}
          />
        </label>
        <span class="quiet">{rows !== undefined && countedInGroups(rows.length, noun)}</span>
      </div>
      <LoadedTable
        of={{ ...of, value: found }}
        empty={rows?.length === 0 ? empty : `No ${noun} contains this text.`}
        {...table}
      />
    </section>
  )
}
