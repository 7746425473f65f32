/** Single values: figures, times, addresses and sides of a trade, each with the exact value as its title. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Int64 } from '../../domain/amount.ts'
import { shortened } from '../../domain/text/short-text.ts'
import { now } from '../client/clock.ts'
import type { Choices } from '../client/location.ts'
import { changeFigure, type Figure, toneOf } from '../format/number.ts'
import { agoText, exactTimeText } from '../format/time.ts'

/** Drawn instead of every value that the API does not know: never 0. */
export function Unknown() {
  return <span class="unknown">unknown</span>
}

type NumberProps<Value> = {
  value: Value | null | undefined
  as: (value: Value) => Figure
  /** Follows a known value. */
  unit?: string
  /** Coloured as a gain or a loss. */
  isToned?: boolean
}

/** A figure of the API. */
export function Num<Value extends Int64>({
  value,
  as,
  unit = '',
  isToned = false,
}: NumberProps<Value>) {
  if (value === null || value === undefined) return <Unknown />
  const { text, exact } = as(value)
  return (
    <span class={isToned ? `num ${toneOf(value, as)}` : 'num'} title={exact}>
      {text + unit}
    </span>
  )
}

type FigureLinkProps = {
  href: string
  /** Where the link leads, for screen readers. */
  label: string
  children: ComponentChildren
}

/** A figure that leads to its parts. */
export function FigureLink({ href, label, children }: FigureLinkProps) {
  return (
    <a class="figure" href={href}>
      {children}
      <span class="unseen"> {label}</span>
    </a>
  )
}

/** A signed percentage in the colour of its direction. */
export function Change({ value }: { value: number | null | undefined }) {
  return <Num value={value} as={changeFigure} isToned />
}

/** Age of a moment, with the moment as its title. */
export function When({ ms }: { ms: Int64 | null | undefined }) {
  if (ms === null || ms === undefined) return <Unknown />
  const at = Number(ms)
  return (
    <time class="num" dateTime={new Date(at).toISOString()} title={exactTimeText(at)}>
      {agoText(at, now.value)}
    </time>
  )
}

type AddressProps = {
  /** Mint, pool, wallet or signature, in full. */
  of: string
  /** Noun for the copy button. */
  kind: string
  href?: string | undefined
  /** Shown in its place: a symbol, for example. */
  label?: ComponentChildren
  hasCopy?: boolean
}

/** An address, shortened in the middle, with the full one as its title and in the clipboard. */
export function Address({ of, kind, href, label, hasCopy = true }: AddressProps) {
  const text = label ?? <span class="mono">{shortened(of)}</span>
  return (
    <span class="address">
      {href === undefined ? (
        <span title={of}>{text}</span>
      ) : (
        <a href={href} title={of}>
          {text}
        </a>
      )}
      {hasCopy && <Copy text={of} kind={kind} />}
    </span>
  )
}

const COPIED_MS = 1_500

export function Copy({ text, kind }: { text: string; kind: string }) {
  const isCopied = useSignal(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    isCopied.value = true
    setTimeout(() => {
      isCopied.value = false
    }, COPIED_MS)
  }
  return (
    <button
      type="button"
      class={isCopied.value ? 'copy done' : 'copy'}
      aria-label={`Copy ${kind} ${text}`}
      title={`Copy ${kind}`}
      onClick={() => void copy()}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {isCopied.value ? (
          <path d="M3 8.5 6.5 12 13 4.5" />
        ) : (
          <path d="M5.5 5.5h7v8h-7zM3.5 10.5v-8h7" />
        )}
      </svg>
    </button>
  )
}

export const tokenPath = (mint: string): string => `/token/${mint}`
export const transactionPath = (signature: string): string => `/tx/${signature}`
export const walletPath = (wallet: string): string => `/wallet/${wallet}`
/** A wallet with choices of its page; undefined ones are left out. */
export function walletViewPath(wallet: string, choices: Choices): string {
  const chosen = Object.entries(choices).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return `${walletPath(wallet)}?${new URLSearchParams(chosen)}`
}
/** A token with the parts of one of its figures open. */
export const tokenPartsPath = (mint: string, parts: string): string =>
  `${tokenPath(mint)}?parts=${parts}`
/** The position of a wallet in a token, with its lots open. */
export const lotsPath = (wallet: string, mint: string): string =>
  `${walletPath(wallet)}?status=all&mint=${mint}&lots=${mint}`

export function TokenLink({ mint, symbol }: { mint: string; symbol: string | null | undefined }) {
  const label = symbol ? <b class="symbol">{symbol}</b> : undefined
  return <Address of={mint} kind="mint" href={tokenPath(mint)} label={label} />
}

type WalletLinkProps = { wallet: string; name?: string | undefined; href?: string }

export function WalletLink({ wallet, name, href = walletPath(wallet) }: WalletLinkProps) {
  const label = name ? <b class="symbol">{name}</b> : undefined
  return <Address of={wallet} kind="wallet" href={href} label={label} />
}

export function Side({ isBuy }: { isBuy: boolean }) {
  return <span class={isBuy ? 'side up' : 'side down'}>{isBuy ? 'buy' : 'sell'}</span>
}
