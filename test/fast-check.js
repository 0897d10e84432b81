// Stands in for 'fast-check' in all suites: the library with one seed for every property, so that a failure
// comes from the change. `PROPERTY_SEED=1234 npm test` takes another, `PROPERTY_SEED=fresh` draws a new one
// for every property.
import fc from '../node_modules/fast-check/lib/fast-check.js'

const SEED = 20_260_101
const asked = process.env.PROPERTY_SEED ?? String(SEED)
if (asked !== 'fresh' && !/^-?\d{1,10}$/.test(asked)) {
  throw new Error(`PROPERTY_SEED is a whole number or "fresh", not ${JSON.stringify(asked)}`)
}
if (asked !== 'fresh') fc.configureGlobal({ seed: Number(asked) })

export * from '../node_modules/fast-check/lib/fast-check.js'
export default fc
