/** Characters that a paste adds around an address or a signature. */
export const PASTED: readonly (readonly [what: string, dress: (text: string) => string])[] = [
  ['a line feed', (text) => `${text}\n`],
  ['a carriage return and spaces', (text) => ` \t${text} \r\n`],
  ['quotes', (text) => `"${text}"`],
  ['single quotes', (text) => `'${text}'`],
  ['backquotes', (text) => `\`${text}\``],
  ['typographic quotes', (text) => `\u201c${text}\u201d`],
  ['guillemets', (text) => `\u00ab${text}\u00bb`],
  ['zero-width spaces', (text) => `\u200b${text}\u200b`],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['direction marks', (text) => `\u202a${text}\u202c`],
  ['a no-break space', (text) => `\u00a0${text}\u3000`],
  ['NUL', (text) => `${text}\u0000`],
]
