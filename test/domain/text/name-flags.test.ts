/** Deceptive characters in names, case by case; and ordinary names of the world, which have no flag. */
import test from 'ava'
import { type NameFlag, nameFlags } from '../../../domain/text/name-flags.ts'

const FLAGGED: [what: string, text: string, flags: NameFlag[]][] = [
  ['a zero-width space', 'BO\u200bNK', ['invisible']],
  ['a joiner between letters', 'BO\u200dNK', ['invisible']],
  ['a soft hyphen', 'BO\u00adNK', ['invisible']],
  ['a control character', 'BONK\u0007', ['invisible']],
  ['a variation selector without emoji', 'BONK\ufe0f', ['invisible']],
  ['tag characters', 'BONK\u{e0041}', ['invisible']],
  ['a filler', 'BO\u3164NK', ['invisible']],
  ['an empty braille pattern', '\u2800', ['invisible']],
  ['a line separator', 'BO\u2028NK', ['invisible']],
  ['an override of the direction', '\u202eKNOB', ['bidi']],
  ['an isolate', '\u2066BONK\u2069', ['bidi']],
  ['a mark of the direction', 'BONK\u200f', ['bidi']],
  ['a Cyrillic o', 'B\u043enk', ['mixed_script']],
  ['a Greek A', '\u0391lpha', ['mixed_script']],
  ['an Armenian o', 'B\u0585nk', ['mixed_script']],
  ['a letter of Lisu', '\ua4d0ONK', ['mixed_script']],
  ['Cyrillic and Greek', '\u0434\u03bb', ['mixed_script']],
  ['a mixture behind a space', 'good B\u043enk', ['mixed_script']],
  ['a mixture over a zero-width space', 'B\u200b\u043enk', ['invisible', 'mixed_script']],
  ['all of them', '\u202eB\u043e\u200bnk', ['invisible', 'bidi', 'mixed_script']],
]

for (const [what, text, flags] of FLAGGED) {
  test(`${what} is flagged ${flags}`, (t) => t.deepEqual(nameFlags(text), flags))
}

const ORDINARY = [
  ...[
    '',
    'BONK',
    'dogwifhat',
    '$WIF',
    'café',
    'cafe\u0301',
    'Straße',
    'İstanbul',
    'Биткоин',
    'Ωμέγα',
  ],
  ...['שלום', 'مرحبا', 'हिन्दी', 'ไทย', '한국', '日本語トークン', '狗dog', '韓國 한국coin', 'ﾄｰｸﾝ'],
  // Two words of two scripts; a symbol and a name of two.
  ...['Биткоин Bitcoin', 'TRUMP 特朗普', '𝐁𝐎𝐍𝐊', 'x²', '100%_', 'µTorrent'],
  // Emoji with joiners, selectors, tags and flags.
  ...['🚀', '❤️', '❤', '👨‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '🇫🇷', 'PEPE ❤️‍🔥'],
]

test('ordinary names have no flag', (t) => {
  for (const text of ORDINARY) t.deepEqual(nameFlags(text), [], text)
})

test('flags are of symbol and name together, each once', (t) => {
  t.deepEqual(nameFlags(null, null), [])
  t.deepEqual(nameFlags('\u202ea', null), ['bidi'])
  t.deepEqual(nameFlags('a\u200b', '\u200b\u202eb'), ['invisible', 'bidi'])
  t.deepEqual(nameFlags('BONK', 'Биткоин'), [])
})
