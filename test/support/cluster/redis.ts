/** A Redis server of one test, which may kill it and start it again on the file of its commands. */
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { privateFolder, serverAccount } from '../../../deploy/local/account.ts'
import { toolEnv } from '../../../deploy/local/host.ts'
import { hostPrefix } from '../../../deploy/local/packages/host-prefix.ts'
import { redisServer, redisUrl } from '../../../deploy/local/servers/redis.ts'
import type { Server } from '../../../deploy/local/servers/server.ts'
import { ownPort } from '../servers/own-port.ts'
import { stackDefaults, temporaryFolder } from '../servers/servers.ts'

const SECRET = 'only-for-this-test'

export async function ownRedis(t: ExecutionContext): Promise<{ url: string; server: Server }> {
  const { env = {}, debianMirror, log } = stackDefaults((line) => t.log(line))
  const uid = process.getuid?.() ?? 0
  const prefix = await hostPrefix({ environment: env, debianMirror, log })
  const home = await temporaryFolder(t)
  await privateFolder(join(home, 'logs'), undefined)
  const port = await ownPort()
  const server = redisServer({
    ...{ prefix, home, port, secret: SECRET, account: serverAccount(uid), log },
    ...{ env: { PATH: toolEnv(env).PATH }, isDurable: true },
  })
  t.teardown(() => server.stop())
  await server.start()
  return { url: redisUrl(port, SECRET), server }
}
