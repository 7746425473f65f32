/** API keys: created, shown once, rotated, revoked. */
import { useSignal } from '@preact/signals'
import { useLoaded } from '../../client/loaded.ts'
import { Panel } from '../../layout/panel.tsx'
import type { ApiKey, RotatedKey } from '../answers.ts'
import { ActionButton, ActionForm, type Fields, OnceShown } from '../parts/actions.tsx'
import { confirmed } from '../parts/confirmation.tsx'
import { say } from '../parts/notice.tsx'
import { POST, request } from '../parts/request.ts'
import { type Column, LoadedTable, times, utcText } from '../parts/table.tsx'

const KEYS = '/admin/v1/keys'
const TIERS = Object.keys({
  free: true,
  developer: true,
  pro: true,
  enterprise: true,
} satisfies Record<ApiKey['tier'], true>)
const ENVIRONMENTS = Object.keys({
  live: true,
  dev: true,
  test: true,
} satisfies Record<ApiKey['environment'], true>)

/** A key that is created, or follows another one. */
type Made = Pick<RotatedKey, 'id' | 'key'>

export function KeysPage() {
  const keys = useLoaded('keys', (signal) => request<ApiKey[]>(KEYS, { signal }))
  const made = useSignal<Made | undefined>(undefined)
  const show = (key: Made): void => {
    made.value = key
    keys.renew()
  }
  const create = async (fields: Fields): Promise<void> => {
    show(await request<Made>(`${KEYS}?${new URLSearchParams(fields)}`, POST))
  }
  const rotate = async ({ id }: ApiKey): Promise<void> => {
    const question = `Make a successor of key ${id}? It works 7 days more itself.`
    if (!(await confirmed(question, 'Rotate'))) return
    show(await request<Made>(`${KEYS}/${id}/rotate`, POST))
  }
  const revoke = async ({ id, account }: ApiKey): Promise<void> => {
    const question = `Revoke key ${id} of ${account}? That cannot be undone.`
    if (!(await confirmed(question, 'Revoke'))) return
    await request(`${KEYS}/${id}/revoke`, POST)
    say(`Key ${id} is revoked.`)
    keys.renew()
  }
  const actions: Column<ApiKey> = {
    title: '',
    cell: (key) => {
      const state = stateOf(key)
      if (state === 'revoked') return null
      return (
        <>
          {state === 'live' && <ActionButton text="Rotate" work={() => rotate(key)} />}{' '}
          <ActionButton text="Revoke" work={() => revoke(key)} isDangerous />
        </>
      )
    },
    class: 'actions',
  }
  return (
    <>
      <Panel title="New key">
        <NewKey create={create} />
        <div id="made" aria-live="polite">
          {made.value !== undefined && (
            <OnceShown id="made-key" text={`Key ${made.value.id}.`} secret={made.value.key} />
          )}
        </div>
      </Panel>
      <Panel title="Keys">
        <LoadedTable
          of={keys}
          columns={[...COLUMNS, actions]}
          keyOf={({ id }) => id}
          empty="No keys yet: create one above."
          sortedBy="Id"
          isDescending
        />
      </Panel>
    </>
  )
}

function NewKey({ create }: { create: (fields: Fields) => Promise<void> }) {
  const optionsOf = (names: readonly string[]) =>
    names.map((name) => <option key={name}>{name}</option>)
  return (
    <ActionForm submitText="Create" submit={create}>
      <label>
        Tier <select name="tier">{optionsOf(TIERS)}</select>
      </label>
      <label>
        Environment <select name="env">{optionsOf(ENVIRONMENTS)}</select>
      </label>
      <label>
        SQL{' '}
        <select name="sql_access">
          <option value="false">no</option>
          <option value="true">yes</option>
        </select>
      </label>
      <label class="wide">
        Account <input name="account" required maxlength={200} />
      </label>
    </ActionForm>
  )
}

const STATE_CLASSES = { live: 'good', 'in grace': 'warn', ended: 'quiet', revoked: 'bad' } as const
type State = keyof typeof STATE_CLASSES

function stateOf({ revoked_at: revokedAt, grace_until: graceUntil }: ApiKey): State {
  if (revokedAt !== null) return 'revoked'
  if (graceUntil === null) return 'live'
  return new Date(graceUntil).getTime() > Date.now() ? 'in grace' : 'ended'
}

function wordsOf(key: ApiKey): string {
  const state = stateOf(key)
  if (state === 'revoked') return `revoked ${utcText(key.revoked_at)}`
  return state === 'in grace' ? `until ${utcText(key.grace_until)}` : state
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'Id', value: ({ id }) => id, class: 'num' },
  {
    title: 'Key',
    value: ({ hint }) => hint,
    cell: ({ hint, environment }) => (
      <code>
        {environment} {hint}
      </code>
    ),
  },
  { title: 'Tier', value: ({ tier }) => tier },
  { title: 'Account', value: ({ account }) => account },
  { title: 'SQL', value: ({ sql_access: hasSql }) => (hasSql ? 'yes' : 'no') },
  times('Created (UTC)', ({ created_at: at }) => at),
  times('Last used', ({ last_used_at: at }) => at),
  {
    title: 'State',
    value: stateOf,
    cell: (key) => <span class={STATE_CLASSES[stateOf(key)]}>{wordsOf(key)}</span>,
  },
]
