/** The balance provider is the one that the environment names. */
import test from 'ava'
import { NodeUnavailable } from '../../../chain/rpc/json-rpc.ts'
import { ConfigError, readConfig } from '../../../deploy/config.ts'
import { balancesOf } from '../../../deploy/processes/part-options.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { startBalanceNode } from '../../support/servers/balance-node.ts'
import { until } from '../../support/workers/pipeline.ts'

const WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'
const { log } = recordingLog()

test('has no provider without BALANCE_RPC_URL', (t) => {
  t.deepEqual(balancesOf(readConfig({}), log), {})
  t.deepEqual(balancesOf(readConfig({ BALANCE_RPC_URL: '' }), log), {})
})

test('requests balances from the node of BALANCE_RPC_URL', async (t) => {
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  node.hold(WALLET, [{ mint: WALLET, quantity: 5n, decimals: 0 }])
  const { balances } = balancesOf(readConfig({ BALANCE_RPC_URL: node.rpcUrl }), log)
  let held: unknown
  // A node that needs more than 2.5 s on a busy machine gets the request again, as the next one of a client.
  await until('the node answers in time', 120_000, async () => {
    try {
      held = await balances?.heldBy(WALLET, AbortSignal.timeout(60_000))
      return true
    } catch (error) {
      if (error instanceof NodeUnavailable) return false
      throw error
    }
  })
  t.deepEqual(held, [{ mint: WALLET, quantity: 5n, decimals: 0 }])
})

test('one that is no HTTP URL is refused by name, without repeating it', (t) => {
  const { message } = t.throws(() => readConfig({ BALANCE_RPC_URL: 'ws://me:secret@node/' }), {
    instanceOf: ConfigError,
  })
  t.is(message, 'BALANCE_RPC_URL: expected a URL that begins with http:// or https://')
})
