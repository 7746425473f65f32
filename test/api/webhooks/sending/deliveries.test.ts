/**
 * Deliveries to receivers that behave badly, with a sender that is killed again and again. By default small; the full
 * size is WEBHOOK_DELIVERIES=100000 WEBHOOK_KILLS=50.
 */
import { once } from 'node:events'
import test from 'ava'
import { openHub } from '../../../../api/feed/log/feed-reader.ts'
import { previewDeliveries } from '../../../../api/webhooks/preview.ts'
import { type Delivery, filterOf } from '../../../../api/webhooks/webhook.ts'
import { ENVIRONMENT } from '../../../../deploy/config.ts'
import type { FeedEvent } from '../../../../streams/codec/event-codec.ts'
import { writeFeed } from '../../../support/feed/written-feed.ts'
import { untilDelivered, type WebhookBench, webhookBench } from '../../../support/webhooks/bench.ts'
import { MANNERS, type Received, startReceiver } from '../../../support/webhooks/receiver.ts'
import { type Pipeline, readFeed, until } from '../../../support/workers/pipeline.ts'

const DELIVERIES = Number(ENVIRONMENT.WEBHOOK_DELIVERIES ?? 2_000)
const KILLS = Number(ENVIRONMENT.WEBHOOK_KILLS ?? 5)
const BOUND_MS = 120_000 + DELIVERIES * 30
const EVENTS_A_MESSAGE = 10
/** A message has nine swaps and a pool event, and five of its swaps are buys. */
const BUYS_A_MESSAGE = 5

test.serial('loses nothing and preserves the order while senders are killed', async (t) => {
  const bench = await webhookBench(t)
  const canary = await startReceiver(t, MANNERS.plain!(''))
  const endpoints = await Promise.all(
    Object.entries(MANNERS).map(async ([name, manner]) => {
      const receiver = await startReceiver(t, manner(canary.url))
      const fields = { filter: { swap_type: 'buy' }, events_max: 1, int64: 'string' }
      const { id, secret } = await bench.create({ url: receiver.url, ...fields })
      receiver.secret = secret
      return { name, id, receiver }
    }),
  )
  const count = Math.ceil(DELIVERIES / endpoints.length / BUYS_A_MESSAGE)
  const arrived = () => endpoints.reduce((sum, { receiver }) => sum + receiver.received.length, 0)
  const total = count * BUYS_A_MESSAGE * endpoints.length
  const killing = killSenders(bench, total, arrived)
  const MESSAGES = 200
  for (let from = 0; from < count; from += MESSAGES) {
    const messages = Math.min(MESSAGES, count - from)
    await writeFeed(bench.pipeline, from * EVENTS_A_MESSAGE, messages, EVENTS_A_MESSAGE)
  }
  await killing
  await untilDelivered(
    bench,
    endpoints.map(({ id }) => id),
    BOUND_MS,
  )
  const expected = await expectedOf(bench.pipeline)
  const dry = await dryRun(bench.pipeline)
  let doubled = 0
  for (const { name, receiver } of endpoints) {
    t.deepEqual(receiver.forged, [], name)
    t.deepEqual(disorders(receiver.received), [], name)
    const accepted = firstAccepted(receiver.received)
    t.is(accepted.length, expected.length, name)
    t.deepEqual(
      accepted.map(({ body }) => seenIn(body)),
      expected,
      name,
    )
    const sent = accepted.map(({ id, body }) => ({ id, body }))
    t.deepEqual(sent, dry, name)
    const repeats = receiver.received.filter(({ isAccepted }) => isAccepted).length
    doubled += repeats - accepted.length
  }
  t.deepEqual(canary.received, [])
  t.log(`${expected.length * endpoints.length} deliveries, ${KILLS} kills, ${doubled} doubled`)
  const { rows } = await bench.pipeline.db.query('select count(*)::integer from webhook_delivery')
  t.deepEqual(rows, [{ count: 0 }])
})

/** Kills the sender each time that another share of the deliveries arrived, and starts the next. */
async function killSenders(
  bench: WebhookBench,
  total: number,
  arrived: () => number,
): Promise<void> {
  let child = bench.send()
  for (let kill = 1; kill <= KILLS; kill++) {
    const next = Math.min(arrived() + total / (KILLS + 1), (total * kill) / (KILLS + 1))
    await until('more deliveries arrive', BOUND_MS, async () => arrived() >= next)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    child = bench.send()
  }
}

/** A second model: FEED by its messages, without the code of the sender. */
async function expectedOf(pipeline: Pipeline): Promise<string[]> {
  const messages = await readFeed(pipeline)
  return messages.flatMap(({ events }) => events.filter(isBuy).map(seenOf))
}

async function dryRun({ jetStream, topology, prefix, recording }: Pipeline): Promise<Delivery[]> {
  const source = { jetStream, stream: topology.feed.stream, prefix, log: recording.log }
  const hub = await openHub(source)
  const { filter } = filterOf({ swap_type: 'buy' }, 'swaps')
  const selection = { channel: 'swaps', filter, int64: 'string', eventsMax: 1 } as const
  const signal = AbortSignal.timeout(BOUND_MS)
  const deliveries: Delivery[] = []
  for await (const each of previewDeliveries(hub, selection, 0, { signal })) deliveries.push(each)
  await hub.close()
  return deliveries
}

const isBuy = (event: FeedEvent): boolean => event.kind === 'swap' && event.swap.isBuy

/** The part of an event that a receiver can recognise. */
function seenOf(event: FeedEvent): string {
  if (event.kind !== 'swap') throw new Error('no swap')
  const { signature, slot, solAmount } = event.swap
  return `${signature} ${slot} ${solAmount}`
}

function seenIn(body: string): string {
  const { type, data } = JSON.parse(body)
  const [{ signature, slot, sol_amount, swap_type }] = data
  if (type !== 'swaps' || data.length !== 1 || swap_type !== 'buy') return body
  return `${signature} ${slot} ${sol_amount}`
}

/** Each delivery once, at its first acceptance. */
function firstAccepted(received: readonly Received[]): Received[] {
  const accepted = new Map<string, Received>()
  for (const each of received) {
    if (each.isAccepted && !accepted.has(each.id)) accepted.set(each.id, each)
  }
  return [...accepted.values()]
}

/** Requests that come after a later delivery, or repeat an id with another body. */
function disorders(received: readonly Received[]): string[] {
  const seen = new Map<string, string>()
  let newest = ''
  return received.flatMap(({ id, body }) => {
    const before = seen.get(id)
    const isRight = before === undefined || (before === body && id === newest)
    seen.set(id, body)
    newest = id
    return isRight ? [] : [id]
  })
}
