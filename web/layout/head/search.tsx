/**
 * The search box of every page: mints, pools, wallets, signatures and symbols, and URLs with one of them. The key "/" focuses
 * it.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { shortened } from '../../../domain/text/short-text.ts'
import { venueTitle } from '../../../domain/venue.ts'
import { useLoaded } from '../../client/loaded.ts'
import { open, ownAddressOf } from '../../client/location.ts'
import { type Answer, get } from '../../client/request.ts'
import { cutAfter } from '../../format/text.ts'
import { tokenPath, transactionPath, walletPath } from '../values.tsx'

type Result = Answer<'search'>['results'][number]
/** A result of the API, or a page of this program whose URL was pasted. */
type Found = Pick<Result, 'id' | 'label'> & { kind: Result['kind'] | 'page' }

const NONE: readonly Found[] = []
const RESULTS_MAX = 8
/** Milliseconds without a key press before a search. */
const PAUSE_MS = 150
/** The longest text that the API accepts. */
const LENGTH_MAX = 2_048
/** Characters of the searched text that an empty result repeats. */
const REPEATED_MAX = 60
const VENUE = /(?<=\/SOL on )\w+$/
const LIST_ID = 'search-results'
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
/** The list is drawn here instead of by the browser. */
const NO_LIST = { list: undefined }

/** Where each kind of result leads: a pool to the candles of its token. */
const PATHS: Record<Found['kind'], (id: string) => Promise<string | undefined>> = {
  token: async (mint) => tokenPath(mint),
  wallet: async (wallet) => walletPath(wallet),
  page: async (path) => path,
  transaction: async (signature) => transactionPath(signature),
  pool: async (pool) => {
    const { data: swaps } = await get('listSwaps', { pair_address: pool, limit: 1 })
    const [swap] = swaps
    return swap && `${tokenPath(swap.token_address)}?pool=${pool}`
  },
}

export function SearchBox() {
  const box = useRef<HTMLInputElement>(null)
  const text = useSignal('')
  const chosen = useSignal(0)
  const isOpen = useSignal(false)
  const isAwaited = useSignal(false)
  const { found, hint, isCurrent } = useResults(text.value)
  useEffect(() => focusOnSlash(box), [])
  useEffect(() => {
    // Enter came before its results.
    if (isCurrent && isAwaited.value) void go(found[0])
    isAwaited.value &&= !isCurrent
  }, [isCurrent, found])
  const isShown = isOpen.value && hint !== ''
  const close = (): void => box.current?.blur()
  const go = async (result: Found | undefined): Promise<void> => {
    const path = result && (await PATHS[result.kind](result.id).catch(() => undefined))
    if (path === undefined) return
    const url = viewOf(path, text.value)
    text.value = ''
    close()
    open(url)
  }
  const activeId = isShown && found.length > 0 ? `${LIST_ID}-${chosen.value}` : undefined
  return (
    <search class="search">
      <input
        ref={box}
        type="search"
        role="combobox"
        {...NO_LIST}
        aria-label="Search tokens, pools, wallets and transactions"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={LIST_ID}
        aria-activedescendant={activeId}
        placeholder="Search mint, pool, wallet, signature, symbol"
        spellcheck={false}
        autocomplete="off"
        maxLength={LENGTH_MAX}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
          chosen.value = 0
          isAwaited.value = false
          isOpen.value = true
        }}
        onFocus={() => {
          isOpen.value = true
        }}
        onBlur={() => {
          isOpen.value = false
        }}
        onKeyDown={(event) => {
          const step = STEPS[event.key]
          if (step !== undefined && found.length > 0) {
            event.preventDefault()
            chosen.value = (chosen.value + step + found.length) % found.length
          } else if (event.key === 'Escape') close()
          else if (event.key === 'Enter' && isCurrent) void go(found[chosen.value])
          else if (event.key === 'Enter') isAwaited.value = true
        }}
      />
      <span class="hint" aria-hidden="true">
        /
      </span>
      <Results {...{ found, hint, chosen: chosen.value, isShown, go }} />
    </search>
  )
}

type Search = {
  found: readonly Found[]
  /** Shown where nothing was found; empty while there is nothing to search for. */
  hint: string
  /** Whether these are the results of what is typed now. */
  isCurrent: boolean
}

function useResults(typed: string): Search {
  const text = useSignal('')
  useEffect(() => {
    const timer = setTimeout(() => {
      text.value = typed.trim()
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const { value, problem } = useLoaded(text.value, async (signal) => {
    const q = text.value
    return {
      q,
      results: pageOf(q) ?? (await get('search', { q, limit: RESULTS_MAX }, signal)).results,
    }
  })
  if (text.value === '') return { found: NONE, hint: '', isCurrent: false }
  const waiting =
    value === undefined ? 'Searching…' : `Nothing found for “${cutAfter(value.q, REPEATED_MAX)}”.`
  // Results of the text before remain for a moment.
  const isCurrent = value?.q === typed.trim()
  return { found: value?.results ?? NONE, hint: problem?.message ?? waiting, isCurrent }
}

/** The pasted URL where it is a view of the result, with its choices; else the path of the result. */
function viewOf(path: string, pasted: string): string {
  const own = ownAddressOf(pasted)
  return own?.split('?')[0] === path ? own : path
}

/** The page whose URL was pasted; undefined where it is that of a token, wallet or transaction, which may be unknown. */
function pageOf(text: string): readonly Found[] | undefined {
  const own = ownAddressOf(text)
  return own !== undefined && /^\/[^/?]*(?:\?|$)/.test(own)
    ? [{ kind: 'page', id: own, label: 'Open this page' }]
    : undefined
}

type ResultsProps = {
  found: readonly Found[]
  hint: string
  chosen: number
  isShown: boolean
  go: (found: Found) => Promise<void>
}

function Results({ found, hint, chosen, isShown, go }: ResultsProps) {
  return (
    <div id={LIST_ID} role="listbox" aria-label="Search results" hidden={!isShown}>
      {found.map((result, at) => (
        <Result
          key={`${result.kind} ${result.id}`}
          {...{ found: result, at, isChosen: at === chosen, go }}
        />
      ))}
      {found.length === 0 && (
        <div role="option" tabIndex={-1} aria-selected="false" aria-disabled="true" class="quiet">
          {hint}
        </div>
      )}
    </div>
  )
}

type ResultProps = {
  found: Found
  at: number
  isChosen: boolean
  go: (found: Found) => Promise<void>
}

function Result({ found, at, isChosen, go }: ResultProps) {
  return (
    <div
      id={`${LIST_ID}-${at}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      title={found.id}
      // Before the box loses the focus, which closes the list.
      onMouseDown={(event) => {
        event.preventDefault()
        void go(found)
      }}
    >
      <span class="kind">{found.kind}</span>
      <b>{labelOf(found)}</b>
      <span class="mono quiet">{shortened(found.id)}</span>
    </div>
  )
}

/** The API names the venue of a pool as everywhere else, at the end. */
function labelOf({ kind, label }: Found): string {
  return kind === 'pool' ? label.replace(VENUE, (name) => venueTitle(name)) : label
}

function focusOnSlash(box: { current: HTMLInputElement | null }): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event
    const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    box.current?.focus()
  }
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}
