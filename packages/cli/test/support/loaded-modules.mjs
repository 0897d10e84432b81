// Preloaded by a test: writes the address of each loaded module of this process to the file of
// LOADED_MODULES, when the process ends.
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, JSON.stringify(loaded)))
