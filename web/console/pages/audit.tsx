/** The actions of operators, newest first. */
import { useLoaded } from '../../client/loaded.ts'
import { spaced } from '../../format/text.ts'
import type { AuditEntry } from '../answers.ts'
import { request } from '../parts/request.ts'
import { type Column, LoadedTable, times } from '../parts/table.tsx'

const AUDIT = '/admin/v1/audit?limit=1000'

export function AuditPage() {
  const entries = useLoaded('audit', (signal) => request<AuditEntry[]>(AUDIT, { signal }))
  return (
    <section class="panel">
      <LoadedTable
        of={entries}
        columns={COLUMNS}
        keyOf={({ id, key_id: keyId }) => `${keyId} ${id}`}
        empty="Nothing was done yet."
        sortedBy="When (UTC)"
        isDescending
      />
    </section>
  )
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  times('When (UTC)', ({ at }) => at),
  { title: 'Action', value: ({ action }) => action, cell: ({ action }) => spaced(action) },
  { title: 'Object', value: ({ target }) => target, cell: ({ target }) => <code>{target}</code> },
  { title: 'Actor', value: ({ actor }) => actor },
]
