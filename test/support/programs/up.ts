// A program of its own that runs a stack, for tests that kill it, or run it as another account:
//   node up.ts '{"home": ..., "cacheDir": ..., "account": {"uid": ..., "gid": ...}}'
// Prints its progress, then one line of JSON with the URLs; stops cleanly on SIGINT.
// The account is changed after the modules are loaded, so it need not be able to read the project.

import { startStack } from '../../../deploy/local/stack.ts'
import { stackDefaults } from '../servers/servers.ts'

const { home, cacheDir, account } = JSON.parse(process.argv[2] ?? '{}')
const defaults = stackDefaults((line) => console.log(line))
if (account !== undefined) {
  process.setgroups?.([])
  process.setgid?.(account.gid)
  process.setuid?.(account.uid)
}
const { servers, stop, ...urls } = await startStack({ ...defaults, home, cacheDir })
process.once('SIGINT', () => stop())
console.log(JSON.stringify(urls))
