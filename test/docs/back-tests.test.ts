/** docs/back-tests.md: its commands and requests print what the page shows. */
import test from 'ava'
import { followSandwiches } from '../../workers/sandwiches/follow.ts'
import { apiForFile } from '../support/api/api-under-test.ts'
import { insertSwaps } from '../support/api/insert-swaps.ts'
import { LAUNCHES } from '../support/market/launches.ts'
import { runHere } from '../support/programs/commands.ts'
import { testServers } from '../support/servers/servers.ts'
import { readText } from '../support/sources.ts'

const under = apiForFile()
/** Commands with what they print. */
const BLOCKS = Array.from(
  readText('docs/back-tests.md').matchAll(/```\n\$ ([^`]+?[^\\])\n([^`]+)```/g),
  ([, command = '', output = '']) => ({ command: command.replaceAll(/\\\n\s*/g, ''), output }),
)

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(db, LAUNCHES)
  await followSandwiches(db, new AbortController().signal)
})

test('a command of the page prints what it shows', async (t) => {
  const { natsUrl, redisUrl } = testServers()
  const { databaseUrl } = under()
  const settings = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl }
  const commands = BLOCKS.filter(({ command }) => command.startsWith('npx swaptide '))
  t.is(commands.length, 1)
  for (const { command, output } of commands) {
    const { code, stdout, stderr } = await runHere(command.split(' ').slice(2), settings)
    t.is(code, 0, stderr)
    t.is(stdout, output, command)
  }
})

test('a request of the page answers what it shows', async (t) => {
  const requests = BLOCKS.filter(({ command }) => command.startsWith('curl '))
  t.is(requests.length, 3)
  for (const { command, output } of requests) {
    const [, path = ''] = /localhost:8080([^']+)'/.exec(command) ?? []
    const { status, text } = await under().get(path)
    t.is(status, 200, text)
    t.deepEqual(JSON.parse(text), JSON.parse(output), command)
  }
})
