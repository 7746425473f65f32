/**
 * Names as search compares them: a hand-written table, then any text composed and decomposed, in upper and lower case,
 * and with inserted invisible characters.
 */
import test from 'ava'
import fc from 'fast-check'
import {
  cutSearchKey,
  SEARCH_KEY_LENGTH_MAX,
  searchKey,
  storedSearchKey,
} from '../../../domain/text/search-key.ts'
import { anyText } from '../../support/events/any-text.ts'

/** Each list is one name. */
const SAME: string[][] = [
  ['café', 'cafe\u0301', 'CAFÉ', 'CAFE\u0301', 'ca\u200bfé', 'cafe\u200b\u0301'],
  // Full folding: one letter becomes two.
  ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
  ['ﬁnance', 'FINANCE', 'finance'],
  ['ŉ', 'ʼN', 'ʼn'],
  // A sigma at the end of a word is a sigma.
  ['ΟΔΟΣ', 'οδος', 'οδοσ'],
  ['ᾳ', 'ᾼ', 'ΑΙ', 'αι'],
  // The Turkish ones, dotted or not.
  ['ıstanbul', 'Istanbul', 'istanbul', 'İSTANBUL', 'I\u0307stanbul'],
  ['Ꭰ', 'ꭰ'],
  // Compatibility: full-width, mathematical, circled, superscript, Kelvin.
  ['BONK', 'ＢＯＮＫ', '𝐁𝐎𝐍𝐊', 'ⒷⓄⓃⓀ', 'bon\u212a'],
  ['x2', 'x²', 'X２'],
  ['한글', '\u1112\u1161\u11ab\u1100\u1173\u11af'],
  ['ﾄｰｸﾝ', 'トークン'],
  // Control, zero-width, direction, soft hyphen, variation selector, tag, filler.
  [
    'bonk',
    'bo\u0007nk',
    '\u200bb\u200co\u200dn\u2060k\ufeff',
    '\u202ebonk\u202c',
    '\u2066bonk\u2069\u200e\u061c',
    'bo\u00adnk',
    'bonk\ufe0f',
    'bo\u{e0041}nk',
    'bo\u3164nk',
    'bo\u0000nk',
  ],
  // White space of any kind and length is one space, and none around it.
  ['a b', ' a  b ', 'a\u00a0b', 'a\t\nb', 'a\u3000\u2003b', 'a\u2028b'],
  ['', ' ', '\u200b', '\u0000\u0000', '\u202e\t'],
]
const DIFFERENT: [string, string][] = [
  ['cafe', 'café'],
  // Alike to the eye, but other letters: flags report them.
  ['bonk', 'bоnk'],
  ['a b', 'ab'],
  ['ss', 's'],
]

for (const names of SAME) {
  test(`${JSON.stringify(names[0])} is one name in ${names.length} spellings`, (t) => {
    for (const name of names) t.is(searchKey(name), searchKey(names[0] ?? ''), JSON.stringify(name))
  })
}

test('other letters are other names', (t) => {
  for (const [one, other] of DIFFERENT) t.not(searchKey(one), searchKey(other))
})

test('every letter is found by its upper and lower case and its compositions', (t) => {
  let count = 0
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point === 0xd800) point = 0xe000
    const character = String.fromCodePoint(point)
    const others = [
      character.toLowerCase(),
      character.toUpperCase(),
      ...['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => character.normalize(form)),
    ].filter((other) => other !== character)
    if (others.length === 0) continue
    count++
    const key = searchKey(character)
    if (others.some((other) => searchKey(other) !== key) || searchKey(key) !== key) {
      t.fail(`U+${point.toString(16)}`)
    }
  }
  t.true(count > 15_000, `${count}`)
})

const IGNORABLE =
  '\u0000\u0007\u001b\u007f\u0080\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\u206f\u3164\ufe0f\ufeff\uffa0\u{e0001}\u{e0041}\u{e0100}'

test('any text has one key composed or decomposed, and with any invisible characters in it', (t) => {
  const insertions = fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...IGNORABLE)), { maxLength: 6 })
  fc.assert(
    fc.property(anyText(12), insertions, (text, inserted) => {
      const key = searchKey(text)
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) t.is(searchKey(text.normalize(form)), key)
      const characters = Array.from(text)
      for (const [at, character] of inserted) {
        characters.splice(Math.min(at, characters.length), 0, character)
      }
      t.is(searchKey(characters.join('')), key)
      t.is(searchKey(key), key)
      t.notRegex(key, /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]|^\s|\s$|\s\s/u)
    }),
    { numRuns: 3_000 },
  )
})

test('a key of many characters is cut as one that is searched is, and fits an index', (t) => {
  // One character that becomes eighteen.
  const long = storedSearchKey('\ufdfa'.repeat(200))
  t.is(Array.from(long).length, SEARCH_KEY_LENGTH_MAX)
  t.is(long, cutSearchKey(searchKey('\ufdfa'.repeat(100))))
  const wide = storedSearchKey('\u{1f680}'.repeat(201))
  t.is(Buffer.byteLength(wide), 4 * SEARCH_KEY_LENGTH_MAX)
  t.true(wide.isWellFormed())
})
