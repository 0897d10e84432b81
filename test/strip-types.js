// Jest transform: Node's own type stripper, so that the suites run the very sources that ship, without a
// build.
import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'

export default {
  canInstrument: false,
  getCacheKey: (source, path) =>
    createHash('sha256').update(process.version).update(path).update(source).digest('hex'),
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
}
