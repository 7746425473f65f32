/**
 * `swaptide webhooks list|create|pause|resume|rotate|delete|test`: endpoints that events are sent to. `test` prints what
 * a filter would have sent, by the functions of the sender. A secret is shown once, when it is made.
 */

import { EVENT_CHANNELS } from '../../../api/feed/filter.ts'
import type { Int64Form } from '../../../api/feed/frame.ts'
import { openHub } from '../../../api/feed/log/feed-reader.ts'
import { FeedExpired } from '../../../api/feed/log/hub-interface.ts'
import { presentWebhook } from '../../../api/webhooks/present.ts'
import { previewDeliveries } from '../../../api/webhooks/preview.ts'
import { RegistrationRefused, register } from '../../../api/webhooks/registration.ts'
import { makeSecret, openSecretBox, secretText } from '../../../api/webhooks/secret.ts'
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  listWebhooks,
  pauseWebhooks,
  rotateSecret,
  selectionOf,
  WebhooksFull,
} from '../../../api/webhooks/store.ts'
import {
  EVENTS_DEFAULT,
  EVENTS_MAX,
  filterOf,
  type Selection,
} from '../../../api/webhooks/webhook.ts'
import { readTime, TIME_EXPECTED } from '../../../domain/time/time.ts'
import type { Db } from '../../../sql/db.ts'
import { readCursor } from '../../../streams/feed/feed-cursor.ts'
import type { JetStream } from '../../../streams/nats/jetstream.ts'
import { lastStoredBy, streamExtent, streamNotFound } from '../../../streams/nats/topology.ts'
import {
  choiceOption,
  choiceWord,
  expectNone,
  integerOption,
  parseArguments,
  UsageError,
  usage,
} from '../../cli/arguments.ts'
import { CLI_ACTOR, type CommandContext, EXIT_OK } from '../../cli/command.ts'
import { counted, grouped, jsonLine, table } from '../../cli/format.ts'
import { storedWebhookKey } from '../../operations/stored-keys.ts'
import { withDatabase, withStreams } from '../../processes/connections.ts'
import type { Installation } from '../../processes/installation.ts'
import { openInstallation } from '../../processes/stopped-home.ts'
import { createLoggingClosers } from '../../shutdown.ts'

const FORMS = ['number', 'string'] as const

export const described = usage({
  line: 'webhooks list | create --url URL | test --since TIME | pause ID | pause --all | resume ID | rotate ID | delete ID',
  options: {
    url: { type: 'string', value: 'URL', about: 'where deliveries are sent (create)' },
    filter: {
      type: 'string',
      value: 'JSON',
      about: 'filter of the feeds (create, test)',
      default: '{}',
    },
    channel: {
      type: 'string',
      value: 'CHANNEL',
      about: `one of ${EVENT_CHANNELS.join(' ')} (create, test)`,
      default: 'swaps',
    },
    integers: {
      type: 'string',
      value: 'FORM',
      about: `int64 as ${FORMS.join(' or ')} (create, test)`,
      default: 'number',
    },
    'events-max': {
      type: 'string',
      value: 'N',
      about: 'events of a delivery at most (create, test)',
      default: String(EVENTS_DEFAULT),
    },
    since: {
      type: 'string',
      value: 'TIME',
      about: 'a time, or a cursor of the feed (test)',
    },
    id: { type: 'string', value: 'ID', about: 'webhook whose filter is tried (test)' },
    all: { type: 'boolean', about: 'every webhook that is active (pause)' },
    json: { type: 'boolean', about: 'print JSON' },
  },
  notes: [
    'A secret is shown once, when it is made. "test" sends nothing: it prints each delivery as a line of JSON with its id ' +
      'and body.',
    'The embedded servers are started where "up" does not run: "pause --all" pauses a copy of an installation before it sends ' +
      'anything.',
  ],
  examples: [
    'swaptide webhooks create --url https://example.com/swaps',
    `swaptide webhooks test --since 2026-03-04 --filter '{"min_sol":"10"}'`,
    'swaptide webhooks test --id 3 --since 2026-03-04T05:00:00Z',
    'swaptide webhooks pause 3',
    'SWAPTIDE_HOME=/srv/copy swaptide webhooks pause --all',
  ],
})

const ACTIONS = ['list', 'create', 'test', 'pause', 'resume', 'rotate', 'delete'] as const
const CHANGES = { pause: 'paused', resume: 'resumed', delete: 'deleted' } as const

type Opened = { db: Db; installation: Installation; context: CommandContext }
type Action = (opened: Opened) => Promise<number>

export const ending = 'releases'

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const action = parse(argv)
  const closers = createLoggingClosers(context.log('warn'))
  try {
    const installation = await openInstallation(context, closers)
    return await withDatabase(
      installation.databaseUrl,
      { name: 'swaptide webhooks', connectionsMax: 2 },
      (db) => action({ db, installation, context }),
    )
  } finally {
    await closers.closeAll()
  }
}

/** Checks the arguments before any connection is opened. */
function parse(argv: readonly string[]): Action {
  const { values, positionals } = parseArguments(described, argv)
  const [word, ...rest] = positionals
  const action = choiceWord('webhooks', word, ACTIONS)
  const isJson = values.json ?? false
  if (action === 'list' || action === 'create' || action === 'test') {
    expectNone(described.line, rest)
  }
  switch (action) {
    case 'list':
      return (opened) => list(opened, isJson)
    case 'create': {
      if (values.url === undefined) throw new UsageError('--url is missing: create needs a URL')
      const wanted = { url: values.url, ...selectionIn(values) }
      return (opened) => create(opened, wanted, isJson)
    }
    case 'test': {
      const { since, id } = values
      if (since === undefined) throw new UsageError('--since is missing: test needs a time')
      const start = startOf(since)
      if (id !== undefined) {
        const webhook = idOf('--id', [id])
        return (opened) => test(opened, start, (db) => stored(db, webhook))
      }
      const { channel, filter, int64, eventsMax } = selectionIn(values)
      const selection = { channel, filter: filterIn(filter, channel), int64, eventsMax }
      return (opened) => test(opened, start, async () => selection)
    }
    case 'pause':
    case 'resume':
    case 'delete': {
      if (action === 'pause' && values.all) {
        expectNone(described.line, rest)
        return (opened) => pauseAll(opened, isJson)
      }
      const id = idOf(action, rest)
      return (opened) => change(opened, CHANGES[action], id, isJson)
    }
    case 'rotate': {
      const id = idOf(action, rest)
      return (opened) => rotate(opened, id, isJson)
    }
    default:
      return action satisfies never
  }
}

type Given = Partial<Record<'filter' | 'channel' | 'integers' | 'events-max', string>>

function selectionIn({ filter: text = '{}', channel: of, integers: form, ...rest }: Given) {
  const channel = choiceOption('channel', of, EVENT_CHANNELS)
  const int64: Int64Form = choiceOption('integers', form, FORMS)
  const bounds = { min: 1, max: EVENTS_MAX }
  const eventsMax = integerOption('events-max', rest['events-max'], bounds) ?? EVENTS_DEFAULT
  const filter = jsonIn(text)
  filterIn(filter, channel)
  return { channel, int64, eventsMax, filter }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`--filter "${text}": expected JSON, such as {"swap_type":"buy"}`, {
      cause,
    })
  }
}

function filterIn(given: unknown, channel: Selection['channel']): Selection['filter'] {
  try {
    return filterOf(given, channel).filter
  } catch (cause) {
    throw new UsageError(`--filter: ${(cause as Error).message}`, { cause })
  }
}

function idOf(action: string, [id, ...extra]: readonly string[]): number {
  expectNone(described.line, extra)
  if (id !== undefined && /^[1-9]\d{0,8}$/.test(id)) return Number(id)
  const expected = 'the id of a webhook, see swaptide webhooks list'
  if (id === undefined) throw new UsageError(`${action} needs ${expected}`)
  throw new UsageError(`${action} "${id}": expected ${expected}`)
}

type Start = { epoch: string; sequence: number } | { ms: number }

function startOf(text: string): Start {
  const time = readTime(text, 'first')
  if ('ms' in time) return time
  const cursor = readCursor(text)
  if (cursor !== undefined) return { epoch: cursor.epoch, sequence: cursor.sequence }
  throw new UsageError(`--since "${text}": expected a cursor of the feed, or ${TIME_EXPECTED}`)
}

async function list({ db, context }: Opened, isJson: boolean): Promise<number> {
  const rows = await listWebhooks(db, [null])
  const webhooks = rows.map((row) => presentWebhook(row, context.config.venueNames))
  context.stdout.write(
    isJson
      ? jsonLine(webhooks)
      : table(
          ['id', 'state', 'waiting', 'delivered', 'url', 'reason'],
          webhooks.map((each) => [
            String(each.id),
            each.state,
            String(each.waiting),
            String(each.delivered),
            each.url,
            each.pause_reason ?? each.last_error ?? '',
          ]),
        ),
  )
  return EXIT_OK
}

async function create(
  { db, installation, context }: Opened,
  wanted: { url: string } & ReturnType<typeof selectionIn>,
  isJson: boolean,
): Promise<number> {
  const { config, stdout, stderr } = context
  const settings = { secretKey: await secretKeyOf(context), policy: config.webhookPolicy }
  const { id, secret } = await refusing(async () => {
    const made = await register(wanted, settings)
    return await withFeed(installation, context, async (jetStream, stream) => {
      const extent = await streamExtent(jetStream, stream)
      if (extent === undefined) throw new Error(streamNotFound(stream))
      const start = { epoch: extent.epoch, sequence: extent.last }
      const created = await createWebhook(db, { ...made.webhook, ...start }, CLI_ACTOR)
      return { id: created, secret: secretText(made.secret) }
    })
  })
  if (isJson) stdout.write(jsonLine({ id, secret }))
  else {
    stdout.write(`${secret}\n`)
    stderr.write(`secret of webhook ${id}, shown only now\n`)
  }
  return EXIT_OK
}

async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RegistrationRefused || error instanceof WebhooksFull)) throw error
    throw new UsageError(error.message, { cause: error })
  }
}

async function secretKeyOf({ config }: CommandContext): Promise<string> {
  const known = config.webhookSecretKey ?? (await storedWebhookKey(config.home))
  if (known !== undefined) return known
  throw new UsageError('WEBHOOK_SECRET_KEY not set: set that of "swaptide api" and "swaptide jobs"')
}

async function change(
  { db, context }: Opened,
  done: (typeof CHANGES)[keyof typeof CHANGES],
  id: number,
  isJson: boolean,
): Promise<number> {
  if (!(await changeWebhook(db, done, id, CLI_ACTOR))) throw unknown(id)
  context.stdout.write(isJson ? jsonLine({ id, [done]: true }) : `webhook ${id} is ${done}\n`)
  return EXIT_OK
}

async function pauseAll({ db, context }: Opened, isJson: boolean): Promise<number> {
  const paused = await pauseWebhooks(db, CLI_ACTOR)
  context.stdout.write(isJson ? jsonLine({ paused }) : `paused ${counted(paused, 'webhook')}\n`)
  return EXIT_OK
}

async function rotate({ db, context }: Opened, id: number, isJson: boolean): Promise<number> {
  const secret = makeSecret()
  const sealed = openSecretBox(await secretKeyOf(context)).seal(secret)
  const until = await rotateSecret(db, id, sealed, CLI_ACTOR)
  if (until === undefined) throw unknown(id)
  const text = secretText(secret)
  if (isJson) context.stdout.write(jsonLine({ id, secret: text, old_secret_until: until }))
  else {
    context.stdout.write(`${text}\n`)
    context.stderr.write(`shown only now; the old secret signs as well to ${until.toISOString()}\n`)
  }
  return EXIT_OK
}

function unknown(id: number): UsageError {
  return new UsageError(`webhook "${id}" not found`)
}

async function stored(db: Db, id: number): Promise<Selection> {
  const row = await findWebhook(db, id)
  if (row === undefined) throw unknown(id)
  return selectionOf(row)
}

async function test(
  { db, installation, context }: Opened,
  start: Start,
  selectionFor: (db: Db) => Promise<Selection>,
): Promise<number> {
  const selection = await selectionFor(db)
  const { stdout, stderr, signal, config } = context
  return await withFeed(installation, context, async (jetStream, stream) => {
    const { prefix } = installation
    const hub = await openHub({ jetStream, stream, prefix, log: context.log('warn') })
    try {
      const after = await sequenceOf(jetStream, stream, start)
      if (after + 1 < hub.first()) throw tooOld(hub.first())
      let count = 0
      const options = { naming: config.venueNames, signal }
      for await (const { id, body } of previewDeliveries(hub, selection, after, options)) {
        count++
        stdout.write(`${JSON.stringify({ id, body })}\n`)
      }
      stderr.write(`deliveries: ${grouped(count)}, none was sent\n`)
      return EXIT_OK
    } catch (error) {
      if (error instanceof FeedExpired) throw tooOld(hub.first())
      throw error
    } finally {
      await hub.close()
    }
  })
}

/** The message of FEED after which the dry run begins. */
async function sequenceOf(jetStream: JetStream, stream: string, start: Start): Promise<number> {
  const extent = await streamExtent(jetStream, stream)
  if (extent === undefined) throw new Error(streamNotFound(stream))
  if ('ms' in start) return await lastStoredBy(jetStream, stream, extent, start.ms - 1)
  if (start.epoch === extent.epoch) return start.sequence
  throw new UsageError(`--since: the cursor is of another stream, this one is "${extent.epoch}"`)
}

function tooOld(first: number): UsageError {
  return new UsageError(`--since: the feed begins with message ${first} by now: name a later time`)
}

function withFeed<Result>(
  installation: Installation,
  { log }: CommandContext,
  work: (jetStream: JetStream, stream: string) => Promise<Result>,
): Promise<Result> {
  const options = { name: 'swaptide webhooks', log: log('warn') }
  return withStreams(installation, options, ({ jetStream, topology }) =>
    work(jetStream, topology.feed.stream),
  )
}
