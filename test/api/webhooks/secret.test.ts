/** Secrets of webhooks: encryption, and signatures checked by the library of Standard Webhooks. */
import test from 'ava'
import { Webhook } from 'standardwebhooks'
import {
  makeSecret,
  openSecretBox,
  readSecret,
  SecretUnreadable,
  secretText,
  signatureOf,
} from '../../../api/webhooks/secret.ts'

const ROOT = 'a-long-key-of-the-secrets-of-webhooks'
const DELIVERY = { id: '2026-03-01T00:00:00Z-7.3', body: '{"type":"swaps","data":[]}' }
const now = () => Math.floor(Date.now() / 1_000)

const headersOf = (secrets: readonly Buffer[], atSeconds = now()) => ({
  'webhook-id': DELIVERY.id,
  'webhook-timestamp': String(atSeconds),
  'webhook-signature': signatureOf(secrets, DELIVERY, atSeconds),
})

test('a signature is right by the library, and wrong for another secret, body or time', (t) => {
  const [secret, other] = [makeSecret(), makeSecret()]
  const headers = headersOf([secret])
  const library = new Webhook(secretText(secret))
  t.deepEqual(library.verify(DELIVERY.body, headers), { type: 'swaps', data: [] })
  t.throws(() => new Webhook(secretText(other)).verify(DELIVERY.body, headers))
  t.throws(() => library.verify(`${DELIVERY.body} `, headers))
  t.throws(() => library.verify(DELIVERY.body, headersOf([secret], now() - 3_600)))
  const atSeconds = now()
  t.is(
    library.sign(DELIVERY.id, new Date(atSeconds * 1_000), DELIVERY.body),
    headersOf([secret], atSeconds)['webhook-signature'],
  )
})

test('after a rotation both secrets verify', (t) => {
  const [newest, old] = [makeSecret(), makeSecret()]
  const headers = headersOf([newest, old])
  for (const secret of [newest, old]) {
    t.notThrows(() => new Webhook(secretText(secret)).verify(DELIVERY.body, headers))
  }
})

test('a secret is decrypted by its own key only, and not after a change of any byte', (t) => {
  const secret = makeSecret()
  const box = openSecretBox(ROOT)
  const sealed = box.seal(secret)
  t.deepEqual(box.open(sealed), secret)
  t.false(sealed.includes(secret))
  t.notDeepEqual(box.seal(secret), sealed)
  t.throws(() => openSecretBox(`${ROOT}x`).open(sealed), { instanceOf: SecretUnreadable })
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    t.throws(() => box.open(changed), { instanceOf: SecretUnreadable }, `byte ${at}`)
  }
})

test('reads secrets of 24 to 64 bytes in base64 only', (t) => {
  for (const bytes of [24, 32, 64]) {
    const secret = Buffer.alloc(bytes, 7)
    t.deepEqual(readSecret(secretText(secret)), secret)
  }
  const bad = [23, 65].map((bytes) => secretText(Buffer.alloc(bytes, 7)))
  for (const text of [...bad, '', 'whsec_', 'whsec_ä', `${secretText(makeSecret())}!`, 'secret']) {
    t.is(readSecret(text), undefined, text)
  }
})
