/**
 * A text as search compares it: NFKC, fully case-folded, without characters that people cannot see. Pure.
 *
 * Law: texts that look the same have the same key. "café" composed is "café" decomposed, "Straße" is "STRASSE", a
 * full-width "ＢＯＮＫ" is "bonk", and inserting control, zero-width, direction or other ignorable characters anywhere
 * changes nothing. Searched texts and stored texts pass through this one function; SQL only compares its results.
 * SEARCH_KEY_VERSION is raised with every change of it, so that stored keys are recomputed.
 *
 * Case folding is upper case between two lower cases, which agrees with Unicode's full case folding wherever that maps
 * a character ("ß", ligatures, Cherokee, final sigma after the last step) and beyond it merges letters with the same
 * upper case. The four Turkish i's fall together: people type any of them.
 */

export const SEARCH_KEY_VERSION = 1

/** Characters of a stored key: an index entry holds no more than a third of a page, and 4 bytes each fit. */
export const SEARCH_KEY_LENGTH_MAX = 200

/** Control characters that are white space: they separate words as a space does. */
const SPACES = /[\t\n\v\f\r\u0085]/g
const IGNORABLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
/** After folding, a dotted i is an i with a dot above. */
const DOTTED_I = /i\u0307/g

/** The whole key, however long. */
export function searchKey(text: string): string {
  // A second pass folds characters that the first made adjacent: a mark that composes over a removed letter.
  return folded(folded(text)).replace(/\s+/g, ' ').trim()
}

/** The key in the form that is stored. */
export function storedSearchKey(text: string): string {
  return cutSearchKey(searchKey(text))
}

/** Cuts a key to the length that is stored. */
export function cutSearchKey(key: string): string {
  if (key.length <= SEARCH_KEY_LENGTH_MAX) return key
  return Array.from(key).slice(0, SEARCH_KEY_LENGTH_MAX).join('')
}

function folded(text: string): string {
  return text
    .replace(SPACES, ' ')
    .replace(IGNORABLE, '')
    .normalize('NFKD')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .replace(DOTTED_I, 'i')
}
