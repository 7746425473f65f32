/** Webhooks: created, watched, paused, resumed, rotated, deleted. */
import { useSignal } from '@preact/signals'
import { useLoaded } from '../../client/loaded.ts'
import { Panel } from '../../layout/panel.tsx'
import type { RotatedWebhook, Webhook } from '../answers.ts'
import { ActionButton, ActionForm, type Fields, OnceShown } from '../parts/actions.tsx'
import { confirmed } from '../parts/confirmation.tsx'
import { say } from '../parts/notice.tsx'
import { DELETE, POST, request } from '../parts/request.ts'
import { type Column, counts, LoadedTable, times, utcText } from '../parts/table.tsx'

const WEBHOOKS = '/admin/v1/webhooks'
const RENEWED_MS = 2_000
const CHANNELS = Object.keys({
  swaps: true,
  pool_events: true,
} satisfies Record<Webhook['channel'], true>)

/** A webhook that is created, or has a new secret. */
type Made = Pick<RotatedWebhook, 'id' | 'secret'>

export function WebhooksPage() {
  const webhooks = useLoaded('webhooks', (signal) => request<Webhook[]>(WEBHOOKS, { signal }), {
    everyMs: RENEWED_MS,
  })
  const made = useSignal<Made | undefined>(undefined)
  const create = async (fields: Fields): Promise<void> => {
    const { url = '', channel, filter = '' } = fields
    const body = JSON.stringify({ url: url.trim(), channel, filter: readFilter(filter) })
    const headers = { 'Content-Type': 'application/json' }
    made.value = await request<Made>(WEBHOOKS, { ...POST, headers, body })
    webhooks.renew()
  }
  const actions: Column<Webhook> = {
    title: '',
    cell: (webhook) => (
      <Actions
        of={webhook}
        renew={webhooks.renew}
        show={(secret) => {
          made.value = secret
        }}
      />
    ),
    class: 'actions',
  }
  return (
    <>
      <Panel title="New webhook">
        <NewWebhook create={create} />
        <p class="quiet">The filter is that of the feeds, as JSON; empty: every event.</p>
        <div id="made" aria-live="polite">
          {made.value !== undefined && (
            <OnceShown
              id="made-secret"
              text={`Secret of webhook ${made.value.id}.`}
              secret={made.value.secret}
            />
          )}
        </div>
      </Panel>
      <Panel title="Webhooks">
        <LoadedTable
          of={webhooks}
          columns={[...COLUMNS, actions]}
          keyOf={({ id }) => id}
          empty="No webhooks yet: create one above."
          sortedBy="Id"
        />
      </Panel>
    </>
  )
}

function NewWebhook({ create }: { create: (fields: Fields) => Promise<void> }) {
  return (
    <ActionForm submitText="Create" submit={create}>
      <label class="wide">
        URL <input name="url" type="url" required maxlength={2_000} spellcheck={false} />
      </label>
      <label>
        Channel{' '}
        <select name="channel">
          {CHANNELS.map((channel) => (
            <option key={channel}>{channel}</option>
          ))}
        </select>
      </label>
      <label class="wide">
        Filter <input name="filter" placeholder="{}" spellcheck={false} />
      </label>
    </ActionForm>
  )
}

function readFilter(text: string): unknown {
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text)
  } catch {
    throw new Error('filter: expected JSON, such as {"swap_type":"buy"}')
  }
}

type ActionsProps = { of: Webhook; renew: () => void; show: (made: Made) => void }

function Actions({ of: { id, state, url }, renew, show }: ActionsProps) {
  const change = async (action: 'pause' | 'resume'): Promise<void> => {
    await request(`${WEBHOOKS}/${id}/${action}`, POST)
    renew()
  }
  const rotate = async (): Promise<void> => {
    const question = `Make a new secret of webhook ${id}? For a day both sign.`
    if (!(await confirmed(question, 'Rotate'))) return
    show(await request<Made>(`${WEBHOOKS}/${id}/rotate`, POST))
  }
  const remove = async (): Promise<void> => {
    const question = `Delete the webhook to ${url}? Pending deliveries are lost.`
    if (!(await confirmed(question, 'Delete'))) return
    await request(`${WEBHOOKS}/${id}`, DELETE)
    say(`Webhook ${id} is deleted.`)
    renew()
  }
  return (
    <>
      {state === 'paused' ? (
        <ActionButton text="Resume" work={() => change('resume')} />
      ) : (
        <ActionButton text="Pause" work={() => change('pause')} />
      )}{' '}
      <ActionButton text="Rotate" work={rotate} />{' '}
      <ActionButton text="Delete" work={remove} isDangerous />
    </>
  )
}

const STATE_CLASSES = { active: 'good', failing: 'warn', paused: 'bad' } as const

const COLUMNS: readonly Column<Webhook>[] = [
  { title: 'Id', value: ({ id }) => id, class: 'num' },
  {
    title: 'URL',
    value: ({ url }) => url,
    cell: ({ url, channel, filter }) => (
      <>
        <code>{url}</code>{' '}
        <span class="quiet">
          {channel} {JSON.stringify(filter)}
        </span>
      </>
    ),
  },
  {
    title: 'State',
    value: ({ state }) => state,
    cell: ({ state }) => <span class={STATE_CLASSES[state]}>{state}</span>,
  },
  counts('Waiting', ({ waiting }) => waiting),
  counts('Delivered', ({ delivered }) => delivered),
  times('Last delivery (UTC)', ({ last_delivered_at: at }) => at),
  {
    title: 'Reason',
    value: ({ paused_at: pausedAt, last_error_at: lastErrorAt }) => pausedAt ?? lastErrorAt,
    cell: reasonOf,
    class: 'reason',
  },
]

/** The reason of a pause, or of the newest attempt that failed. */
function reasonOf(webhook: Webhook): string {
  const { paused_at: pausedAt, pause_reason: reason, last_error: error } = webhook
  if (reason !== null) return `${utcText(pausedAt)} ${reason}`
  return error === null ? '' : `${utcText(webhook.last_error_at)} ${error}`
}
