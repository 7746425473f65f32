/** The programs whose accounts are tokens. Pure. */

/** The SPL token program and Token-2022: disjoint, so their accounts of a wallet add up. */
export const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
] as const

export const isTokenProgram = (program: string): boolean =>
  (TOKEN_PROGRAMS as readonly string[]).includes(program)
