/** When a lane looks its swaps up, and which rows of swap_signature it then needs. */
import test from 'ava'
import type { SignatureRow } from '../../../history/swaps/signatures.ts'
import { LookUp, TRUSTED_AFTER_SWAPS } from '../../../workers/pool/look-up.ts'
import { SignatureRows } from '../../../workers/pool/write/signature-rows.ts'

test('a lane trusts until a batch is refused, and again after enough new swaps', (t) => {
  const lookUp = new LookUp()
  t.is(lookUp.mode, 'trusting')
  lookUp.refused()
  t.is(lookUp.mode, 'looking')
  lookUp.looked(TRUSTED_AFTER_SWAPS - 1, false)
  t.is(lookUp.mode, 'looking')
  lookUp.looked(1, false)
  t.is(lookUp.mode, 'trusting')
})

test('restarts the count at a known swap, so that a repeated history is refused once', (t) => {
  const lookUp = new LookUp()
  lookUp.refused()
  for (let batch = 0; batch < 10; batch++) {
    lookUp.looked(TRUSTED_AFTER_SWAPS - 1, false)
    lookUp.looked(TRUSTED_AFTER_SWAPS, true)
    t.is(lookUp.mode, 'looking')
  }
  // Counts before a refusal do not count after it.
  lookUp.looked(TRUSTED_AFTER_SWAPS, false)
  lookUp.refused()
  lookUp.looked(TRUSTED_AFTER_SWAPS - 1, false)
  t.is(lookUp.mode, 'looking')
})

const at = (slot: number, blockTxIndex = 0) => ({ slot, blockTxIndex })

test('a position with a row needs none, any other gets the next copy', (t) => {
  const stored: SignatureRow = {
    signature_hash: 7,
    pair_hash: -1,
    copy: 0,
    slot: 10,
    block_tx_index: 0,
  }
  const rows = new SignatureRows([stored, { ...stored, copy: 3, slot: 11 }])
  t.is(rows.add(7n, -1, at(10)), undefined)
  t.is(rows.add(7n, -1, at(11)), undefined)
  t.is(rows.add(7n, -1, at(10, 5)), 4)
  t.is(rows.add(7n, -1, at(10, 5)), undefined)
  t.is(rows.add(7n, -1, at(12)), 5)
  // Another pair of the transaction, another signature: each begins at 0.
  t.is(rows.add(7n, -2, at(10)), 0)
  t.is(rows.add(8n, -1, at(10)), 0)
})

test('distinguishes hashes above 2^53 to the last digit', (t) => {
  const high = 2n ** 62n
  const stored = { signature_hash: high, pair_hash: 1, copy: 0, slot: 1, block_tx_index: 0 }
  const rows = new SignatureRows([stored])
  t.is(rows.add(high, 1, at(1)), undefined)
  t.is(rows.add(high + 1n, 1, at(1)), 0)
})
