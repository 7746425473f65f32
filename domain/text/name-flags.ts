/**
 * Detects deceptive characters in a symbol or name. Pure.
 *
 * - `invisible`: control, zero-width or other characters without a picture: "BO<U+200B>NK" is no "BONK".
 * - `bidi`: characters that reverse the direction of the following text: it is displayed in another order than written.
 * - `mixed_script`: one word of letters of several scripts, such as a Cyrillic "о" in "Bоnk". Scripts that are
 *   written together (Latin with Japanese, Korean or Chinese) are no mixture; nor are two words of two scripts.
 *
 * Emoji are pictures, with any joiners and variation selectors in them.
 */

export const NAME_FLAGS = ['invisible', 'bidi', 'mixed_script'] as const
export type NameFlag = (typeof NAME_FLAGS)[number]

const BIDI = /[\p{Bidi_Control}]/u
/** Besides those that Unicode ignores by default, the blank of braille, which is a symbol without a dot. */
const INVISIBLE =
  /[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u2028\u2029]--\p{Bidi_Control}]/v
const WORD = /[\p{L}\p{M}]+/gu

const script = (...names: string[]): RegExp =>
  new RegExp(`^[\\p{M}${names.map((name) => `\\p{scx=${name}}`).join('')}]+$`, 'u')

/** Scripts that a whole word may be written in. Letters of all other scripts count as one. */
const SCRIPTS = [
  'Arabic Armenian Bengali Cherokee Coptic Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew',
  'Kannada Khmer Lao Lisu Malayalam Mongolian Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan',
]
  .join(' ')
  .split(' ')

type Patterns = {
  emoji: RegExp
  /** Scripts of which one word may consist. */
  together: readonly RegExp[]
  /** A letter of any of these scripts. */
  known: RegExp
}

let compiled: Patterns | undefined

/** Compiled for the first name: these patterns take 25 ms, and most programs that load this file judge no name. */
function patterns(): Patterns {
  compiled ??= {
    emoji: /\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0f?/gv,
    together: [
      script('Latin', 'Han', 'Hiragana', 'Katakana', 'Common'),
      script('Latin', 'Han', 'Bopomofo', 'Common'),
      script('Latin', 'Han', 'Hangul', 'Common'),
      ...SCRIPTS.map((name) => script(name, 'Common')),
    ],
    known: new RegExp(
      `[${[...SCRIPTS, 'Latin', 'Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul']
        .map((name) => `\\p{sc=${name}}`)
        .join('')}]`,
      'u',
    ),
  }
  return compiled
}

/** The flags of a token by its symbol and name, each once, in the order of NAME_FLAGS. */
export function nameFlags(...texts: readonly (string | null)[]): NameFlag[] {
  const { emoji } = patterns()
  const given = texts.filter((text) => text !== null).map((text) => text.replace(emoji, ' '))
  const holds: Record<NameFlag, (text: string) => boolean> = {
    invisible: (text) => INVISIBLE.test(text),
    bidi: (text) => BIDI.test(text),
    mixed_script: isMixed,
  }
  return NAME_FLAGS.filter((flag) => given.some(holds[flag]))
}

function isMixed(text: string): boolean {
  // Invisible characters neither separate words nor belong to a script.
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
  const { together, known } = patterns()
  return (visible.match(WORD) ?? []).some(
    (word) => known.test(word) && !together.some((whole) => whole.test(word)),
  )
}
