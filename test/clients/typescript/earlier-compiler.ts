// Loaded before a generator: it gets the compiler of the client package, whose API its releases were written for.

import { registerHooks } from 'node:module'

const COMPILER = new URL(
  '../../../clients/typescript/node_modules/typescript/lib/typescript.js',
  import.meta.url,
).href

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? COMPILER : specifier, context),
})
