/** Names in raw accounts: what each layout states, and what hostile bytes yield. */
import test from 'ava'
import fc from 'fast-check'
import { isOnCurve, metadataAddress } from '../../../chain/accounts/metadata-address.ts'
import {
  readMetaplexNames,
  readMintStatement,
  readPointedNames,
} from '../../../chain/accounts/mint-names.ts'
import { addressOf } from '../../../chain/encoder/keys.ts'
import { decodeBase58 } from '../../../domain/numbers/base58.ts'
import {
  extendedMint,
  extension,
  lengthAndText,
  metadata,
  metaplexBytes,
  ofMetaplex,
  ofToken2022,
  pointer,
  u16,
} from '../../support/accounts/metadata-accounts.ts'

const MINT = addressOf('mint')
const OTHER = addressOf('other')
const TEXTS = { name: 'Dog', symbol: 'DOG', uri: 'https://example.com/dog.json' }

test('derives the account of a mint as the chain does', (t) => {
  const known = {
    EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: '5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq',
    So11111111111111111111111111111111111111112: '6dM4TqWyWJsbx7obrdLcviBkTafD5E8av61zfU6jq57X',
    // Named by transactions in test/data/chain.
    '4veK9R9GxmgxqkFhTa2VnE6MJ4YfTxnr92HF5gH5LcAF': 'C5zL86dMGsnzTsSxF22P72p7JmjZnbVXRofV5aCJsuSk',
    AqFe2tk1BRx6czUuRPGUZ8mtvcBGDZYsG6oPvELwzray: 'RPq6JTsCWMRb2fPJ2YAcH7J4hHj89ofVgvDY7b9NbDa',
    Bd9eJXwDCrZd3LRsyeQx3ziGyguykPczuErsaTYksaoy: 'FbeDj9FSgT3TV7bvCCpBwGtM42PvboCUdKFW13GhNLqR',
    '5XBnNrxBsJWmxb4ooh9fiya5VkRxpoBM7LFiDGWSKtVZ': '2GeFFatpac8pYSRf6zegW2YMcqgSDb8yUb8ESpy5ydx9',
    Hde8uY89bkJrB9mVQ6mcE7Ly3pamtiGYgp96mCCh32S5: '6coCGd3rJRMTJQpEFfDiNKMkiYswKnHRPZo6iP8dshHf',
  }
  for (const [mint, account] of Object.entries(known)) t.is(metadataAddress(mint), account)
})

test('distinguishes points of the curve', (t) => {
  // The base point, as RFC 8032 has it, and its neighbours: half of all values are points.
  const base = Buffer.alloc(32, 0x66)
  base[0] = 0x58
  t.true(isOnCurve(base))
  t.true(isOnCurve(Buffer.concat([Uint8Array.of(1), Buffer.alloc(31)])))
  const small = Array.from({ length: 200 }, (_, y) =>
    isOnCurve(Buffer.concat([Uint8Array.of(y), Buffer.alloc(31)])),
  )
  // y = 2 has no x.
  t.deepEqual(small.slice(0, 3), [true, true, false])
  const count = small.filter(Boolean).length
  t.true(count > 70 && count < 130, `${count}`)
  t.false(isOnCurve(decodeBase58('6dM4TqWyWJsbx7obrdLcviBkTafD5E8av61zfU6jq57X')!))
})

test('reads the names inside a mint that its pointer confirms', (t) => {
  const own = [pointer(MINT), metadata(MINT, TEXTS)]
  t.deepEqual(readMintStatement(MINT, ofToken2022(extendedMint(...own))), { names: TEXTS })
  t.deepEqual(readMintStatement(MINT, ofToken2022(extendedMint(...own.toReversed()))), {
    names: TEXTS,
  })
  const among = extendedMint(extension(3, Buffer.alloc(32)), ...own, extension(9, Buffer.alloc(0)))
  t.deepEqual(readMintStatement(MINT, ofToken2022(among)), { names: TEXTS })
})

test('reads the account of Metaplex, padded, whole and shortened after its texts', (t) => {
  const bytes = metaplexBytes(MINT, TEXTS)
  const padded = readMetaplexNames(MINT, ofMetaplex(bytes))
  t.is(padded?.name, 'Dog'.padEnd(32, '\0'))
  t.is(padded?.symbol, 'DOG'.padEnd(10, '\0'))
  const textsEnd = 65 + 4 + 32 + 4 + 10 + 4 + 200
  t.deepEqual(readMetaplexNames(MINT, ofMetaplex(bytes.subarray(0, textsEnd))), padded)
  t.is(readMetaplexNames(MINT, ofMetaplex(bytes.subarray(0, textsEnd - 1))), undefined)
})

test('follows a pointer once, to an account that names the same mint', (t) => {
  const elsewhere = readMintStatement(MINT, ofToken2022(extendedMint(pointer(OTHER))))
  t.deepEqual(elsewhere, { pointsTo: OTHER })
  t.truthy(readPointedNames(MINT, ofMetaplex(metaplexBytes(MINT, TEXTS))))
  t.is(readPointedNames(MINT, ofMetaplex(metaplexBytes(OTHER, TEXTS))), undefined)
  // Two mints that point at each other: neither is named by the other.
  const loop = ofToken2022(extendedMint(pointer(MINT), metadata(OTHER, TEXTS)))
  t.is(readPointedNames(MINT, loop), undefined)
  const lent = ofToken2022(extendedMint(pointer(OTHER), metadata(MINT, TEXTS)))
  t.deepEqual(readPointedNames(MINT, lent), TEXTS)
})

const HOSTILE: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  'a mint without extensions': Buffer.alloc(82),
  'a token account': Buffer.concat([
    extendedMint().subarray(0, 165),
    Uint8Array.of(2),
    pointer(MINT),
  ]),
  'no pointer': extendedMint(metadata(MINT, TEXTS)),
  'a pointer to nothing': extendedMint(pointer('1'.repeat(32)), metadata(MINT, TEXTS)),
  'another mint inside': extendedMint(pointer(MINT), metadata(OTHER, TEXTS)),
  'a pointer that is cut': extendedMint(extension(18, Buffer.alloc(63)), metadata(MINT, TEXTS)),
  'a length beyond the end': extendedMint(
    pointer(MINT),
    Buffer.concat([u16(19), u16(60_000), metadata(MINT, TEXTS).subarray(4)]),
  ),
  'a name beyond the end': extendedMint(
    pointer(MINT),
    metadata(MINT, lengthAndText('Dog', 0xff_ff_ff_ff)),
  ),
  'a symbol beyond the end': extendedMint(
    pointer(MINT),
    metadata(MINT, Buffer.concat([lengthAndText('Dog'), lengthAndText('DOG', 99)])),
  ),
  'a URI beyond the end': extendedMint(
    pointer(MINT),
    metadata(
      MINT,
      Buffer.concat([lengthAndText('Dog'), lengthAndText('DOG'), lengthAndText('h', 2)]),
    ),
  ),
  'the first of two that differ, of another mint': extendedMint(
    pointer(MINT),
    metadata(OTHER, TEXTS),
    metadata(MINT, TEXTS),
  ),
}

for (const [title, bytes] of Object.entries(HOSTILE)) {
  test(`a mint's account with ${title} names nothing`, (t) => {
    t.deepEqual(readMintStatement(MINT, ofToken2022(bytes)), {})
  })
}

test('accounts of other programs, kinds and mints name nothing', (t) => {
  const own = extendedMint(pointer(MINT), metadata(MINT, TEXTS))
  t.deepEqual(readMintStatement(MINT, { owner: OTHER, bytes: own }), {})
  t.is(readPointedNames(MINT, { owner: OTHER, bytes: own }), undefined)
  const bytes = metaplexBytes(MINT, TEXTS)
  t.is(readMetaplexNames(MINT, { owner: OTHER, bytes }), undefined)
  t.is(readMetaplexNames(OTHER, ofMetaplex(bytes)), undefined)
  const edition = Buffer.from(bytes)
  edition[0] = 6
  t.is(readMetaplexNames(MINT, ofMetaplex(edition)), undefined)
})

test('any bytes are read without an error, and name no other mint', (t) => {
  const starts = [extendedMint(pointer(MINT), metadata(MINT, TEXTS)), metaplexBytes(MINT, TEXTS)]
  fc.assert(
    fc.property(
      fc.constantFrom(...starts),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }),
      fc.nat(500),
      (start, changes, length) => {
        const bytes = Buffer.from(start.subarray(0, length))
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
        for (const account of [ofToken2022(bytes), ofMetaplex(bytes)]) {
          t.is(readMintStatement(OTHER, account).names, undefined)
          t.is(readPointedNames(OTHER, account), undefined)
          readMintStatement(MINT, account)
          readPointedNames(MINT, account)
        }
      },
    ),
  )
})
