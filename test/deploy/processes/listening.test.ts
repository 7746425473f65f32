/** The port checks of `up` before it starts any part. */
import { createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { PortTaken } from '../../../deploy/local/ports.ts'
import { type Listening, refusePorts } from '../../../deploy/processes/listening.ts'
import { ownPortsFrom } from '../../support/servers/own-port.ts'

const NOWHERE: Listening = {
  ...{ port: 0, host: '127.0.0.1', grpcPort: 0 },
  ...{ metricsPort: undefined, metricsHost: '127.0.0.1' },
}
const PROCESSES = 5

/** The first of five ports in a row, the last of which another program listens on. */
async function takenFifth(t: ExecutionContext, host: string): Promise<number> {
  const first = await ownPortsFrom(PROCESSES)
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(first + PROCESSES - 1, host, resolve))
  t.teardown(() => new Promise<void>((resolve) => holder.close(() => resolve())))
  return first
}

test('port 0 requests any free port, and never conflicts', async (t) => {
  await t.notThrowsAsync(refusePorts(NOWHERE, PROCESSES))
  await t.notThrowsAsync(refusePorts({ ...NOWHERE, metricsPort: 0 }, PROCESSES))
})

test('each process is scraped on the next port, so all of them must be there', async (t) => {
  const refused = async (requested: Partial<Listening>): Promise<string | undefined> =>
    (await t.throwsAsync(refusePorts({ ...NOWHERE, ...requested }, PROCESSES)))?.message
  t.is(
    await refused({ metricsPort: 65_532 }),
    'METRICS_PORT "65532": expected 65531 at most, since each of 5 processes takes the next one',
  )
  t.is(
    await refused({ port: 9_468, metricsPort: 9_464 }),
    'port 9468 is configured twice, by PORT and by METRICS_PORT (9464 to 9468): set another port',
  )
  t.is(
    await refused({ grpcPort: 9_464, metricsPort: 9_464 }),
    'port 9464 is configured twice, by GRPC_PORT and by METRICS_PORT (9464 to 9468): set another port',
  )
  t.is(
    await refused({ port: 9_464, grpcPort: 9_464 }),
    'port 9464 is configured twice, by PORT and by GRPC_PORT: set another port',
  )
})

test('reports a port that another program holds, for every process', async (t) => {
  const metricsPort = await takenFifth(t, '127.0.0.1')
  await t.throwsAsync(refusePorts({ ...NOWHERE, metricsPort }, PROCESSES), {
    instanceOf: PortTaken,
    message: new RegExp(`^port ${metricsPort + 4} for metrics \\(METRICS_PORT\\) is taken`),
  })
})

test('checks a port on the address that will listen on it', async (t) => {
  // All of these are this machine's own.
  const port = (await takenFifth(t, '127.0.0.2')) + 4
  await t.notThrowsAsync(refusePorts({ ...NOWHERE, port }, PROCESSES))
  for (const host of ['127.0.0.2', '0.0.0.0']) {
    await t.throwsAsync(refusePorts({ ...NOWHERE, host, port }, PROCESSES), {
      instanceOf: PortTaken,
      message: new RegExp(`^port ${port} for the API \\(PORT\\) is taken`),
    })
  }
  await t.throwsAsync(refusePorts({ ...NOWHERE, host: '192.0.2.1', port: 9 }, PROCESSES), {
    message: /EADDRNOTAVAIL.* 192\.0\.2\.1/,
  })
})
