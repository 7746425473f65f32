/**
 * Methods of each path, for the `Allow` header of a 405 and of OPTIONS.
 *
 * A known path answers 405 to a method that it does not have, an unknown path 404. A 405 needs no key and is not
 * counted against a limit, because /openapi.json publishes the same to everybody.
 */
import type Router from '@koa/router'
import { ApiError } from '../routing/error.ts'

/** Methods of the path with HEAD and OPTIONS, in a fixed order; empty where the path is unknown. */
export type MethodsOf = (path: string) => readonly string[]

const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export function methodsOfRouters(routers: readonly Pick<Router, 'stack'>[]): MethodsOf {
  const layers = routers.flatMap(({ stack }) => stack)
  return (path) => {
    const all = layers.filter((layer) => layer.methods.length > 0 && layer.match(path))
    // A path without parameters has its own methods only.
    const fixed = all.filter((layer) => !/[:*{(]/.test(String(layer.path)))
    const matched = fixed.length > 0 ? fixed : all
    if (matched.length === 0) return []
    const known = new Set([...matched.flatMap(({ methods }) => methods), 'OPTIONS'])
    return ORDER.filter((method) => known.has(method))
  }
}

/** Throws where the path is known and the method is not one of its own. */
export function expectMethod(method: string, path: string, allowed: readonly string[]): void {
  if (allowed.length === 0 || allowed.includes(method)) return
  const shown = allowed.filter((each) => each !== 'OPTIONS').join(', ')
  throw new ApiError('METHOD_NOT_ALLOWED', `method "${method}" on "${path}": use ${shown}`, {
    headers: { Allow: allowed.join(', ') },
  })
}
