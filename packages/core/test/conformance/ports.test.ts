// A port without a contract suite is a promise that nothing checks; so is a suite that omits a method or a
// storage.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { portsOf } from './port-methods.ts'

const PACKAGES = new URL('../../../', import.meta.url).pathname
const read = (path: string): string => readFileSync(`${PACKAGES}${path}`, 'utf8')
const found = (pattern: string): string[] => globSync(pattern, { cwd: PACKAGES })

const ports = portsOf()
/** Returns the name of a port's suite, which is the port's; the rate counter is not a store. */
const suiteOf = (name: string) => (name === 'rates' ? 'rateCounterContract' : `${name}StoreContract`)

// Files beside a fake that are not fakes: suites and their scenes.
const suites = found('testing/src/**/*.ts').filter((path) => !path.endsWith('-memory.ts'))
const tests = found('core/test/**/*.test.ts').map(read).join('\n')

describe('ports', () => {
  it('are all seen here', () => {
    const files = found('core/src/**/*-store.ts').map((path) => basename(path, '-store.ts'))
    const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    expect(ports.map(({ name }) => kebab(name))).toEqual(expect.arrayContaining(files))
  })

  it.each(ports)('$name has a contract suite that runs on memory, PGlite and PostgreSQL', ({ name }) => {
    expect(read('testing/src/contracts.ts')).toContain(suiteOf(name))
    expect(tests).toContain(`onEveryStorage(${suiteOf(name)})`)
  })

  it.each(ports)('$name has no method that its contract suite leaves out', ({ name, methods }) => {
    const home = suites.find((path) => read(path).includes(`export function ${suiteOf(name)}`)) ?? ''
    const folder = home.split('/').slice(0, -1).join('/')
    const text = suites
      .filter((path) => path.startsWith(`${folder}/`))
      .map(read)
      .join('\n')
    expect(methods.filter((method) => !text.includes(`.${method}(`))).toEqual([])
  })
})
