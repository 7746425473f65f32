/**
 * Statements of one transaction in one flight: sent without waiting for each other's answers. After the
 * first that fails PostgreSQL refuses all others for that alone, so the first says what went wrong.
 */

/** Resolves when all have; else rejects as the first in their order does, not as the first in time. */
export async function allInOrder(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const statement of statements) statement.catch(() => {})
  for (const statement of statements) await statement
}
