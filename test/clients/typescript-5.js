// A generator asks for `typescript` and finds the project's own, which has no such interface any more: this
// hook leads it to the one of this folder. Given to Node by `--import`.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (name, context, next) =>
    next(name, name === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
})
