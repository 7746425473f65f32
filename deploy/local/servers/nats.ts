// nats-server 2.10 with JetStream for one home. Streams are files under the home; the file system
// is synced at the server's default interval; where a machine that loses power loses FEED's end with
// that, FEED gets another epoch (streams/nats/topology.ts). Only the loopback address, only by password, which is in its
// settings file (0600), never on its command line. No monitoring port.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Account, giveTree, privateFile, privateFolder } from '../account.ts'
import type { Prefix } from '../packages/prefix.ts'
import { LOOPBACK } from '../ports.ts'
import { answers, createServer, OWN_FOLDER, type Server } from './server.ts'

type NatsOptions = {
  prefix: Prefix
  home: string
  port: number
  secret: string
  account: Account
  env: Readonly<Record<string, string>>
  log: (line: string) => void
}

const SETTINGS = 'nats.conf'
const USER = 'swaptide'
/** A batch of 200 swaps is far below; room for replayed history in larger messages. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024
/**
 * Streams reserve their limits when they are created. The real size of the disk shows when it is full: a small one must
 * not prevent the creation of a stream of 8 GiB.
 */
const MAX_FILE_STORE = '1TB'

export function natsUrl(port: number, secret: string): string {
  return `nats://${USER}:${secret}@${LOOPBACK}:${port}`
}

export function natsServer(options: NatsOptions): Server {
  const folder = join(options.home, 'nats')
  return createServer({
    name: 'NATS',
    port: options.port,
    folder,
    logFile: join(options.home, 'logs', 'nats.log'),
    account: options.account,
    program: options.prefix.program('nats-server'),
    setpriv: options.prefix.program('setpriv'),
    args: ['-c', SETTINGS],
    env: { ...options.env, ...runtimeEnv() },
    stopSignal: 'SIGTERM',
    prepare: async () => {
      await giveTree(options.account, folder)
      await privateFolder(folder, options.account)
      await privateFile(join(folder, SETTINGS), settings(options), options.account)
    },
    // The port opens after the streams have been recovered.
    isReady: () => answers(options.port, '', 'INFO '),
    log: options.log,
  })
}

/**
 * For Go's runtime: a quarter of the processors and a heap that is collected early. With a processor each for two
 * threads a swap cost the server half as much again, most of it wake-ups and page faults of fresh memory: writes are
 * copied into growing buffers, which the next collection frees.
 */
function runtimeEnv(): Record<string, string> {
  return { GOMAXPROCS: `${Math.max(1, Math.floor(availableParallelism() / 4))}`, GOGC: '50' }
}

function settings({ port, secret }: NatsOptions): string {
  return `# Written at every start of the embedded stack.
server_name: swaptide
listen: "${LOOPBACK}:${port}"
authorization { user: "${USER}", password: "${secret}", timeout: 20 }
${natsBounds(OWN_FOLDER)}`
}

/** Settings of every NATS of an installation, wherever its streams are stored. */
export function natsBounds(storeDir: string): string {
  return `max_payload: ${MAX_PAYLOAD_BYTES}
jetstream {
  store_dir: "${storeDir}"
  max_file_store: ${MAX_FILE_STORE}
}
`
}
