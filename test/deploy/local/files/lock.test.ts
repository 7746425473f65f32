// The lock on a home, its ports, and the identity of a program by its pid.

import { symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type Lock, lockFolder } from '../../../../deploy/local/files/lock.ts'
import { choosePorts, LOOPBACK, PortTaken } from '../../../../deploy/local/ports.ts'
import { isRunning, programOf, readState, writeState } from '../../../../deploy/local/state.ts'
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import { ownPort } from '../../../support/servers/own-port.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'

const RELEASED_WITHIN_MS = 10_000

test('locks a folder once, by any of its paths, until it is released', async (t) => {
  const folder = await temporaryFolder(t)
  const alias = join(await temporaryFolder(t), 'alias')
  await symlink(folder, alias)
  const lock = await lockFolder(folder)
  t.not(lock, undefined)
  t.is(await lockFolder(folder), undefined)
  t.is(await lockFolder(alias), undefined)
  await lock?.release()
  // A child that another test is just starting has a copy of the socket until its program runs.
  let again: Lock | undefined
  await holdsWithin(RELEASED_WITHIN_MS, async () => {
    again = await lockFolder(alias)
    return again !== undefined
  })
  t.not(again, undefined)
  await again?.release()
})

test('locks on different folders do not meet', async (t) => {
  const first = await lockFolder(await temporaryFolder(t))
  const second = await lockFolder(await temporaryFolder(t))
  t.not(first, undefined)
  t.not(second, undefined)
  await first?.release()
  await second?.release()
})

async function takenPort(t: ExecutionContext): Promise<number> {
  const holder = createServer()
  // The kernel chooses: one that was free a moment ago may be another test's by now.
  await new Promise<void>((resolve) => holder.listen(0, LOOPBACK, resolve))
  t.teardown(() => new Promise<void>((resolve) => holder.close(() => resolve())))
  return (holder.address() as AddressInfo).port
}

test('reports a configured port in use by number and name', async (t) => {
  const port = await takenPort(t)
  for (const [kind, name] of [
    ['postgres', 'PostgreSQL'],
    ['nats', 'NATS'],
    ['redis', 'Redis'],
  ] as const) {
    await t.throwsAsync(
      choosePorts({ [kind]: port }, {}, () => {}),
      { instanceOf: PortTaken, message: new RegExp(`port ${port} for ${name} is taken`) },
    )
  }
})

test('chooses the configured ports, else the stored ones, else free and distinct ones', async (t) => {
  const [requested, retained] = [await ownPort(), await ownPort()]
  const ports = await choosePorts(
    { postgres: requested, redis: 0 },
    { postgres: 1, nats: retained },
    t.fail,
  )
  t.is(ports.postgres, requested)
  t.is(ports.nats, retained)
  t.true(ports.redis > 0)
  t.is(new Set(Object.values(ports)).size, 3)
})

test('replaces a stored port that another program uses, and reports that', async (t) => {
  const retained = await takenPort(t)
  const lines: string[] = []
  const ports = await choosePorts({}, { nats: retained }, (line) => lines.push(line))
  t.not(ports.nats, retained)
  t.deepEqual(lines, [
    `port ${retained} for NATS is taken since the last start: using ${ports.nats}`,
  ])
})

test('a pid counts only with the start of its program', (t) => {
  const self = programOf(process.pid)
  t.true(isRunning(self))
  t.false(isRunning({ ...self, born: `${self.born}1` }))
  // Above the largest pid that Linux gives.
  t.false(isRunning(programOf(2 ** 22 + 1)))
})

test('round-trips the state of a home; a home without one has none', async (t) => {
  const home = await temporaryFolder(t)
  t.is(await readState(home), undefined)
  const state = { ports: { nats: 4222 }, secret: 'a', hasDatabase: true, holder: programOf(1) }
  await writeState(home, state)
  t.deepEqual(await readState(home), state)
})

test('names a truncated state file, which holds the only copy of a password', async (t) => {
  const home = await temporaryFolder(t)
  await writeFile(join(home, 'stack.json'), '{"ports": {')
  const { message } = (await t.throwsAsync(readState(home))) ?? {}
  t.true(message?.startsWith(`"${join(home, 'stack.json')}" is broken, and held the password`))
})
