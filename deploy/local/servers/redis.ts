// Redis 8 for one home: jobs, leases, limits and caches. An append-only file synced once a second
// (not synced at all in tests), never evicting: a job must not vanish for want of memory.
// Only the loopback address, only by password, which is read from standard input.

import { join } from 'node:path'
import { type Account, giveTree, privateFolder } from '../account.ts'
import type { Prefix } from '../packages/prefix.ts'
import { LOOPBACK } from '../ports.ts'
import { answers, createServer, OWN_FOLDER, type Server } from './server.ts'

type RedisOptions = {
  prefix: Prefix
  home: string
  port: number
  secret: string
  account: Account
  env: Readonly<Record<string, string>>
  isDurable: boolean
  log: (line: string) => void
}

/** Each test file uses a separate database number, hence more than the default of 16. */
const DATABASES = 256

export function redisUrl(port: number, secret: string): string {
  return `redis://:${secret}@${LOOPBACK}:${port}`
}

export function redisServer(options: RedisOptions): Server {
  const folder = join(options.home, 'redis')
  return createServer({
    name: 'Redis',
    port: options.port,
    folder,
    logFile: join(options.home, 'logs', 'redis.log'),
    account: options.account,
    program: options.prefix.program('redis-server'),
    setpriv: options.prefix.program('setpriv'),
    args: ['-'],
    input: settings(options),
    env: options.env,
    stopSignal: 'SIGTERM',
    prepare: async () => {
      await giveTree(options.account, folder)
      await privateFolder(folder, options.account)
    },
    isReady: () => answers(options.port, `AUTH ${options.secret}\r\nPING\r\n`, '+PONG'),
    log: options.log,
  })
}

function settings(options: RedisOptions): string {
  return `bind ${LOOPBACK}
port ${options.port}
requirepass ${options.secret}
databases ${DATABASES}
dir ${OWN_FOLDER}
appendonly yes
appendfsync ${options.isDurable ? 'everysec' : 'no'}
save ""
maxmemory-policy noeviction
`
}
