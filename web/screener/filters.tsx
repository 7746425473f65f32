/** Filters of the screener: every one of the API, each in the address by its name there. */
import { dexOfText, VENUES, venueOf } from '../../domain/venue.ts'
import { choose, chooseAll, view } from '../client/location.ts'
import { FIRST_PAGE } from '../layout/pager.tsx'

/** Figures with a least and a greatest value: `min_` and `max_` before the name are parameters of the API. */
const RANGES = [
  ['price_usd', 'Price, USD'],
  ['volume_usd', 'Volume, USD'],
  ['liquidity_usd', 'Liquidity, USD'],
  ['change_pct', 'Change, %'],
  ['trades', 'Trades'],
  ['buyers', 'Buyers'],
  ['holders', 'Holders'],
  ['age_minutes', 'Age, minutes'],
] as const
const TEXTS = [
  ['sector', 'Sector'],
  ['creator', 'Creator'],
  ['mints[]', 'Mints'],
] as const
const PROTOCOL = 'protocol'

/** Parameters that select tokens. `mint` has no field: a request of a program may have it. */
const NAMES: readonly string[] = [
  ...RANGES.flatMap(([name]) => [`min_${name}`, `max_${name}`]),
  ...TEXTS.map(([name]) => name),
  PROTOCOL,
  'mint',
]
/** Width up to which the filters are closed at first. */
const NARROW = '(max-width: 640px)'

/** The name of a venue that the address may have by another of its names. */
function venueNameOf(text: string): string {
  const dex = dexOfText(text)
  return dex === undefined ? text : venueOf(dex).name
}

/** Filters of the address, by parameter. */
export function filtersOf(): Record<string, string> {
  const { query } = view.value
  // A list that is given again and again, as the API takes it, is one value here.
  const given = NAMES.map((name) => [name, query.getAll(name).join(',')] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

export function Filters() {
  const filters = filtersOf()
  const count = Object.keys(filters).length
  const clear = (): void =>
    chooseAll({ ...Object.fromEntries(NAMES.map((name) => [name, undefined])), ...FIRST_PAGE })
  return (
    <details class="panel filters" open={!matchMedia(NARROW).matches}>
      <summary>
        <h2>Filters</h2>
        <span class="quiet">{count === 0 ? 'none' : `${count} set`}</span>
      </summary>
      <div class="fields">
        {RANGES.map(([name, title]) => (
          <fieldset key={name} class="range">
            <legend>{title}</legend>
            <Field name={`min_${name}`} label={`Least ${title}`} hint="min" isNumber />
            <span aria-hidden="true">–</span>
            <Field name={`max_${name}`} label={`Greatest ${title}`} hint="max" isNumber />
          </fieldset>
        ))}
        <div class="field">
          <label for={PROTOCOL}>Venue</label>
          <select
            id={PROTOCOL}
            name={PROTOCOL}
            value={venueNameOf(filters[PROTOCOL] ?? '')}
            onChange={({ currentTarget: { value } }) => write(PROTOCOL, value)}
          >
            <option value="">any</option>
            {VENUES.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </div>
        {TEXTS.map(([name, title]) => (
          <div key={name} class="field">
            <label for={name}>{title}</label>
            <Field name={name} hint="any" />
          </div>
        ))}
      </div>
      {/* Always there: a button that appears would move what a click is about to meet. */}
      <button type="button" class="button" disabled={count === 0} onClick={clear}>
        Clear filters
      </button>
    </details>
  )
}

function write(name: string, value: string): void {
  choose(name, value === '' ? undefined : value, FIRST_PAGE)
}

type FieldProps = {
  /** Parameter of the address. */
  name: string
  /** For screen readers, where no text is next to it. */
  label?: string
  hint: string
  isNumber?: boolean
}

/** Text, for numbers too: a value that the API refuses stays visible next to its error. */
function Field({ name, label, hint, isNumber = false }: FieldProps) {
  return (
    <input
      id={name}
      name={name}
      aria-label={label}
      placeholder={hint}
      inputMode={isNumber ? 'decimal' : 'text'}
      autocomplete="off"
      spellcheck={false}
      value={filtersOf()[name] ?? ''}
      onChange={({ currentTarget: { value } }) => write(name, value.trim())}
    />
  )
}
