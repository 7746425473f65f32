/** Refusals of the routes of candles. */
import test from 'ava'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'

const under = apiForFile()

test.serial.before(async () => {
  const swaps = [0, 1].map((n) =>
    sampleSwap({ signature: signatureOf(n), tokenAddress: mint(n), pairAddress: pair(3 * n) }),
  )
  await insertSwaps(under().db, swaps, { hasPrices: true })
})

const REFUSED: [string, string, RegExp][] = [
  ['/api/v1/candles', 'MISSING_PARAM', /pair_address is required, or token_address/],
  ['/api/v1/candles/latest', 'MISSING_PARAM', /pair_address is required, or token_address/],
  ['/api/v1/candles?pair_address=abc', 'INVALID_PARAM', /pair_address "abc": expected an address/],
  [
    `/api/v1/candles?pair_address=${pair(0)}&timeframe=7m`,
    'INVALID_PARAM',
    /"7m": use one of 1m 5m .*1d/,
  ],
  [
    `/api/v1/candles?pair_address=${pair(0)}&limit=5001`,
    'INVALID_PARAM',
    /limit "5001": expected an integer of 1 to 5000/,
  ],
  [
    `/api/v1/candles?pair_address=${pair(0)}&from=200000000000&to=100000000000`,
    'INVALID_PARAM',
    /from "200000000000": expected no later than to "100000000000"/,
  ],
  [
    `/api/v1/candles?pair_address=${pair(0)}&fill=maybe`,
    'INVALID_PARAM',
    /fill "maybe": use one of/,
  ],
  ['/price/history/range?from=0&to=100000000000', 'MISSING_PARAM', /token is required/],
  [`/price/history/range?token=${mint(0)}&to=100000000000`, 'MISSING_PARAM', /from is required/],
  [`/price/history/range?token=${mint(0)}&from=0`, 'MISSING_PARAM', /to is required/],
  [
    `/price/history/range?token=${mint(0)}&from=0&to=100000000000&resolution=15m`,
    'INVALID_PARAM',
    /"15m": use one of 1m 5m 1h 1d/,
  ],
  [
    `/api/v1/candles?pair_address=${mint(0)}`,
    'INVALID_PARAM',
    new RegExp(`"${mint(0)}" is a token mint.*${pair(0)}`),
  ],
  [
    `/api/v1/candles/latest?pair_address=${mint(1)}`,
    'INVALID_PARAM',
    new RegExp(`is a token mint.*${pair(3)}`),
  ],
]

for (const [path, code, message] of REFUSED) {
  test.serial(`${path.slice(0, 80)} is ${code}`, async (t) => {
    const { status, body } = await under().get(path)
    t.is(status, 400)
    t.like(body, { success: false, error: { code } })
    t.regex((body.error as unknown as { message: string }).message, message)
  })
}

test.serial('candles require a key', async (t) => {
  for (const path of [
    `/api/v1/candles?pair_address=${pair(0)}`,
    `/api/v1/candles/latest?pair_address=${pair(0)}`,
    `/price/history/range?token=${mint(0)}&from=0&to=100000000000`,
  ]) {
    t.is((await under().call(path)).status, 401)
  }
})
