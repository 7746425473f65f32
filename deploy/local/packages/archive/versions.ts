/** The order of Debian's package versions, as deb-version(7) defines it: `[epoch:]upstream[-revision]`. */

/** Below 0: `one` is older; 0: the same; above 0: `one` is newer. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)]
  return (
    compareNumbers(left.epoch, right.epoch) ||
    compareParts(left.upstream, right.upstream) ||
    compareParts(left.revision, right.revision)
  )
}

type Version = { epoch: string; upstream: string; revision: string }

function partsOf(version: string): Version {
  const colon = version.indexOf(':')
  const rest = version.slice(colon + 1)
  const dash = rest.lastIndexOf('-')
  return {
    epoch: colon < 0 ? '0' : version.slice(0, colon),
    upstream: dash < 0 ? rest : rest.slice(0, dash),
    revision: dash < 0 ? '0' : rest.slice(dash + 1),
  }
}

/** Runs of other characters and runs of digits are compared in turns, from the left. */
function compareParts(one: string, other: string): number {
  const [left, right] = [runsOf(one), runsOf(other)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [a = '', b = ''] = [left[at], right[at]]
    const found = at % 2 === 0 ? compareTexts(a, b) : compareNumbers(a, b)
    if (found !== 0) return found
  }
  return 0
}

/** Even places: not digits, possibly empty. Odd places: digits. */
const runsOf = (part: string): string[] => part.split(/(\d+)/)

/** Digits of any length; none at all is 0. */
function compareNumbers(one: string, other: string): number {
  const [a, b] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')]
  return a.length - b.length || (a < b ? -1 : Number(a > b))
}

function compareTexts(one: string, other: string): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const found = rankOf(one[at]) - rankOf(other[at])
    if (found !== 0) return found
  }
  return 0
}

/** A tilde comes before the end of a text, the end before letters, and letters before all else. */
function rankOf(character: string | undefined): number {
  if (character === '~') return -1
  if (character === undefined) return 0
  const code = character.charCodeAt(0)
  return /[A-Za-z]/.test(character) ? code : code + 256
}
