/**
 * Writers of pool events that most venues use: by an instruction only, or with an event. Pure.
 */

import type { InstructionLayout } from '../decoder/layout.ts'
import { WSOL_MINT } from '../decoder/venue-swap.ts'
import type { TransactionForm } from './form.ts'
import { ANY, type PoolCall } from './pool-call.ts'
import { owedBy } from './swap-call.ts'
import type { LiquidityWriter, PoolWriter } from './venue-encoder.ts'

/** Makes the pool by an instruction only, and fills it. */
export const createdByInstruction =
  (layoutOf: (form: TransactionForm) => InstructionLayout, owes = false): PoolWriter =>
  (call) => {
    const { event, form, owner } = call
    const layout = layoutOf(form)
    const [first, second] = call.mints
    const { at } = layout
    const secondAt = { secondMint: (at.mint as number) + 1 }
    const roles = 'creator' in at ? { creator: owner } : { owner }
    const accounts = { pool: event.pairAddress, mint: first, secondMint: second, ...roles }
    call.call({ tag: layout.tag, at: { ...at, ...secondAt } }, accounts, () => {
      if (call.amountOf(WSOL_MINT) > 0n) {
        call.move(true, (mint) => (owes ? owedBy(event.pairAddress, mint) : 0n))
      }
    })
  }

/** Makes the pool with an event, by self-CPI or in the logs, and fills it. */
export const createdWithEvent =
  (
    payloadOf: (call: PoolCall) => Buffer,
    isLogged = false,
    owes = false,
    layout: InstructionLayout = ANY,
  ): PoolWriter =>
  (call) => {
    const { event, writer, program } = call
    const { at } = layout
    const [mint, secondMint] = call.mints
    const accounts = at.mint === undefined ? {} : { pool: event.pairAddress, mint, secondMint }
    const positions = at.mint === undefined ? at : { ...at, secondMint: at.mint + 1 }
    call.call({ tag: layout.tag, at: positions }, accounts, () => {
      if (call.amountOf(WSOL_MINT) > 0n) {
        call.move(true, (mint) => (owes ? owedBy(event.pairAddress, mint) : 0n))
      }
      const payload = payloadOf(call)
      if (isLogged) writer.logEvent(payload)
      else writer.emit(program, payload)
    })
  }

/** The change by an instruction only. */
export const changedByInstruction =
  (layoutOf: (isAdded: boolean, form: TransactionForm) => InstructionLayout): LiquidityWriter =>
  (call, isAdded) => {
    const { tag, at } = layoutOf(isAdded, call.form)
    const accounts: Record<string, string> = { pool: call.event.pairAddress }
    const positions: Record<string, number> = { ...at }
    if (at.mint !== undefined) {
      const [first, second] = call.mints
      positions.secondMint = at.mint + 1
      Object.assign(accounts, { mint: first, secondMint: second, owner: call.owner })
    }
    call.call({ tag, at: positions }, accounts, () => call.move(isAdded))
  }

/** The change with an event. */
export const changedWithEvent =
  (
    payloadOf: (call: PoolCall, isAdded: boolean) => Buffer,
    {
      isLogged = false,
      layoutOf = () => ANY,
    }: { isLogged?: boolean; layoutOf?: (isAdded: boolean) => InstructionLayout } = {},
  ): LiquidityWriter =>
  (call, isAdded) => {
    const layout = layoutOf(isAdded)
    const accounts = 'pool' in layout.at ? { pool: call.event.pairAddress } : {}
    call.call(layout, accounts, () => {
      call.move(isAdded)
      const payload = payloadOf(call, isAdded)
      if (isLogged) call.writer.logEvent(payload)
      else call.writer.emit(call.program, payload)
    })
  }
