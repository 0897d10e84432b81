import { describe, expect, test } from '@jest/globals'
import { checkLayers } from '../scripts/layers/check.ts'
import { codeOf } from '../scripts/layers/source.ts'

const MANIFESTS = {
  'packages/core/package.json': JSON.stringify({ name: '@svc/core', dependencies: { superstruct: '2.0.2' } }),
  'packages/http/package.json': JSON.stringify({ name: '@svc/http', dependencies: { '@svc/core': '0.1.0' } }),
}

/** A sound little checkout, with `planted` laid over it. */
function workspace(planted: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({
      ...MANIFESTS,
      'packages/core/src/index.ts': `export { Jobs } from './work/jobs/jobs.ts'\nexport type { Storage } from './sql.ts'\n`,
      'packages/core/src/kernel/clock.ts': `export const now = () => new Date()\n`,
      'packages/core/src/kernel/validation.ts': `import { object } from 'superstruct'\nexport const shape = object\n`,
      'packages/core/src/work/jobs/jobs.ts': `import { now } from '../../kernel/clock.ts'\nexport class Jobs { at = now() }\n`,
      'packages/core/src/work/jobs/job.ts': `export const LEASE_MS = 300_000\n`,
      'packages/http/src/app.ts': `import { Jobs } from '@svc/core'\nexport const jobs = new Jobs()\n`,
      ...planted,
    }),
  )
}

/** Returns the faults of a planted file, each as `line rule`. */
function faultsOf(path: string, text: string): string[] {
  const dependency = {
    '@mikro-orm/core': '7',
    koa: '3',
    commander: '15',
    pg: '8',
    kysely: '0',
    '@svc/testing': '0',
  }
  const name = path.split('/')[1] ?? ''
  const dependencies = { ...dependency, '@svc/core': '0', '@svc/http': '0', '@jest/globals': '30' }
  const manifest = `packages/${name}/package.json`
  const files = workspace({ [path]: text, [manifest]: JSON.stringify({ name, dependencies }) })
  return checkLayers(files)
    .filter((fault) => fault.path === path)
    .map(({ line, rule }) => `${line} ${rule}`)
}

const core = 'packages/core/src'

test('a sound checkout has no faults', () => {
  expect(checkLayers(workspace({}))).toEqual([])
})

describe('packages import downwards only', () => {
  test.each([
    [`${core}/work/jobs/job.ts`, `import { createApp } from '@svc/http'`],
    [`${core}/work/jobs/job.ts`, `import type { Fake } from '@svc/testing'`],
    ['packages/testing/src/serve.ts', `import { createApp } from '@svc/http'`],
    ['packages/http/src/app.ts', `import { testPlane } from '@svc/testing'`],
    ['packages/http/src/app.ts', `import { program } from '@svc/cli'`],
    ['packages/cli/src/commands/program.ts', `import { testPlane } from '@svc/testing/contracts'`],
  ])('%s may not say: %s', (path, text) => {
    expect(faultsOf(path, `${text}\n`)).toContain('1 package-direction')
  })

  test('cli may import core, its subpath and http', () => {
    const text = `import { a } from '@svc/core'\nimport { b } from '@svc/core/sql'\nimport { c } from '@svc/http'\n`
    expect(faultsOf('packages/cli/src/commands/program.ts', text)).toEqual([])
  })
})

describe('a framework, the ORM, a driver and jest stand in their files alone', () => {
  test.each([
    [`${core}/work/jobs/jobs.ts`, `import Koa from 'koa'`],
    ['packages/cli/src/commands/program.ts', `import type Koa from 'koa'`],
    ['packages/http/src/app.ts', `import { Command } from 'commander'`],
    [`${core}/work/jobs/jobs.ts`, `import { sql } from '@mikro-orm/core'`],
    [`${core}/work/jobs/jobs-store.ts`, `import type { Kysely } from 'kysely'`],
    ['packages/http/src/app.ts', `import { sql } from 'kysely'`],
    [`${core}/work/jobs/jobs-store-sql.ts`, `import pg from 'pg'`],
    [`${core}/platform/database/session.ts`, `import { PostgreSqlDriver } from '@mikro-orm/postgresql'`],
    ['packages/testing/src/fake-clock.ts', `import { test } from '@jest/globals'`],
  ])('%s may not say: %s', (path, text) => {
    expect(faultsOf(path, `${text}\n`)).toContain('1 package-place')
  })

  test.each([
    [`${core}/work/jobs/jobs-store-sql.ts`, `import { sql } from '@mikro-orm/core'`],
    [`${core}/platform/database/orm.ts`, `import pg from 'pg'`],
    ['packages/testing/src/work/jobs/jobs-store-contract.ts', `import { test } from '@jest/globals'`],
    ['packages/cli/src/commands/program.ts', `import { Command } from 'commander'`],
  ])('%s may say: %s', (path, text) => {
    expect(faultsOf(path, `${text}\n`)).toEqual([])
  })
})

describe('inside core a file imports its own level and lower ones', () => {
  test.each([
    [
      'a word imports a tool',
      `${core}/kernel/problem.ts`,
      `import { sign } from '../platform/signing/signer.ts'`,
    ],
    [
      'a tool imports a feature',
      `${core}/platform/signing/signer.ts`,
      `import { LEASE_MS } from '../../work/jobs/job.ts'`,
    ],
    [
      'a tool imports another tool',
      `${core}/platform/signing/signer.ts`,
      `import { config } from '../config/config.ts'`,
    ],
    ['a rule imports a service', `${core}/work/agents/agent.ts`, `import { Jobs } from '../jobs/jobs.ts'`],
    [
      'a rule imports a type of a service',
      `${core}/work/agents/agent.ts`,
      `import type { Jobs } from '../jobs/jobs.ts'`,
    ],
    [
      'a service imports an adapter',
      `${core}/work/jobs/jobs.ts`,
      `import { Sql } from './jobs-store-sql.ts'`,
    ],
    [
      'a service imports the wiring',
      `${core}/work/jobs/jobs.ts`,
      `import type { Plane } from '../../wiring/control-plane.ts'`,
    ],
    [
      'a port of the platform imports one of a feature',
      `${core}/platform/storage/storage.ts`,
      `import type { JobsStore } from '../../work/jobs/jobs-store.ts'`,
    ],
    [
      'a feature imports one of a higher district',
      `${core}/work/jobs/job.ts`,
      `import type { Alert } from '../../watch/alerts/alert.ts'`,
    ],
    [
      'a feature makes a way outside',
      `${core}/reach/billing/feature.ts`,
      `import { pay } from '../../outside/payments/payment-provider-http.ts'`,
    ],
    [
      'an adapter imports the wiring',
      `${core}/platform/net/dns-http.ts`,
      `import { x } from '../../index.ts'`,
    ],
  ])('%s: a fault', (_title, path, text) => {
    expect(faultsOf(path, `\n${text}\n`)).toContain('2 level')
  })

  test.each([
    [
      'a service imports another service',
      `${core}/work/agents/agents.ts`,
      `import { Jobs } from '../jobs/jobs.ts'`,
    ],
    [
      'a service imports a tool',
      `${core}/work/agents/agents.ts`,
      `import { sign } from '../../platform/signing/signer.ts'`,
    ],
    [
      'an adapter imports a rule',
      `${core}/work/jobs/jobs-store-sql.ts`,
      `import { LEASE_MS } from './job.ts'`,
    ],
    [
      'a service imports the port of all stores',
      `${core}/work/jobs/jobs.ts`,
      `import type { S } from '../../platform/storage/storage.ts'`,
    ],
    [
      'the wiring imports a service',
      `${core}/wiring/control-plane.ts`,
      `import { Jobs } from '../work/jobs/jobs.ts'`,
    ],
  ])('%s: sound', (_title, path, text) => {
    expect(faultsOf(path, `${text}\n`)).toEqual([])
  })
})

describe('the face of core', () => {
  const files = (word: string) =>
    workspace({
      'packages/core/package.json': JSON.stringify({
        name: '@svc/core',
        dependencies: { superstruct: '2', '@mikro-orm/core': '7' },
      }),
      [`${core}/work/jobs/jobs.ts`]: `import ${word} { Rows } from './jobs-store-sql.ts'\nexport class Jobs { rows?: Rows }\n`,
      [`${core}/work/jobs/jobs-store-sql.ts`]: `import { sql } from '@mikro-orm/core'\nexport const Rows = sql\n`,
    })
  const reaching = (word: string) =>
    checkLayers(files(word)).filter(({ rule }) => rule === 'face-reaches-storage')

  test('may not reach the ORM through other files, and the message shows the way', () => {
    expect(reaching('').map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'index.ts → packages/core/src/work/jobs/jobs.ts → packages/core/src/work/jobs/jobs-store-sql.ts',
      ),
    ])
  })

  test('may reach its types', () => {
    expect(reaching('type')).toEqual([])
  })

  test('may reach what is loaded when it is wanted', () => {
    const lazy = `export class Jobs { rows = async () => (await import('./jobs-store-sql.ts')).Rows }\n`
    const found = checkLayers(new Map([...files(''), [`${core}/work/jobs/jobs.ts`, lazy]]))
    expect(found.filter(({ rule }) => rule === 'face-reaches-storage')).toEqual([])
  })
})

test('a listening socket in core, or the package of one, is a fault', () => {
  const found = checkLayers(
    workspace({
      [`${core}/work/jobs/job.ts`]: `import { createServer } from 'node:http'\nexport const a = createServer\n`,
      [`${core}/work/jobs/lease.ts`]: `import type { WebSocket } from 'ws'\nexport type A = WebSocket\n`,
      'packages/cli/src/relay/relay.ts': `import { createServer } from 'node:http'\nexport const a = createServer\n`,
    }),
  )
  expect(found.map(({ path, rule }) => [path, rule])).toEqual([
    [`${core}/work/jobs/job.ts`, 'listens'],
    [`${core}/work/jobs/lease.ts`, 'package-place'],
    [`${core}/work/jobs/lease.ts`, 'undeclared-dependency'],
  ])
})

test('imports in a circle are a fault, in types alone they are not', () => {
  const circle = (word: string) =>
    checkLayers(
      workspace({
        [`${core}/work/jobs/job.ts`]: `import { b } from './lease.ts'\nexport const a = b\n`,
        [`${core}/work/jobs/lease.ts`]: `import ${word} { a } from './job.ts'\nexport const b = () => a\n`,
      }),
    ).map(({ rule }) => rule)
  expect(circle('')).toEqual(['cycle'])
  expect(circle('type')).toEqual([])
})

describe('time, randomness, environment, sockets and signals come from arguments', () => {
  test.each([
    [`${core}/work/jobs/job.ts`, 'export const at = Date.now()'],
    [`${core}/work/jobs/job.ts`, 'export const at = new Date()'],
    [`${core}/work/jobs/job.ts`, 'export const at = new Date( )'],
    [`${core}/work/jobs/job.ts`, 'export const clock = { now: Date.now }'],
    ['packages/cli/src/terminal/render.ts', 'export const at = Date.now()'],
    [`${core}/kernel/ids.ts`, 'export const id = Math.random()'],
    [`${core}/platform/config/config.ts`, 'export const env = process.env'],
    ['packages/cli/src/connect/connect.ts', `export const url = process.env['DATABASE_URL']`],
    ['packages/http/src/app.ts', 'export const open = (server: Server) => server.listen(8080)'],
    ['packages/http/src/server/server.ts', `process.on('SIGTERM', () => {})`],
    ['packages/cli/src/commands/up/up.ts', `process.stdout.write('up')`],
    ['packages/cli/src/terminal/failure.ts', 'process.stderr.write(sentence)'],
    ['packages/cli/src/terminal/log.ts', 'console.error(line)'],
    ['packages/cli/src/terminal/log.ts', 'writeSync(2, line)'],
    ['packages/cli/src/terminal/log.ts', `import { stderr } from 'node:process'`],
    ['packages/cli/src/terminal/log.ts', `import { WriteStream } from 'node:tty'`],
    ['packages/cli/src/commands/jobs/jobs-show.ts', 'call.io.out.writeRaw(job.error)'],
    [`${core}/work/jobs/job.ts`, 'export const text = `${Date.now()}`'],
  ])('%s may not say: %s', (path, text) => {
    expect(faultsOf(path, `${text}\n`)).toEqual(['1 ambient'])
  })

  test.each([
    [`${core}/kernel/clock.ts`, 'export const at = new Date()'],
    [`${core}/work/jobs/job.ts`, 'export const at = new Date(0)'],
    [
      `${core}/work/jobs/job.ts`,
      '// new Date() and process.env are explained here\nexport const no = /Date.now()/',
    ],
    [`${core}/work/jobs/job.ts`, `export const hint = 'process.env, Date.now()'`],
    [`${core}/work/jobs/job.ts`, 'export type At = Date'],
    ['packages/cli/src/terminal/io.ts', 'export const env = process.env'],
    ['packages/http/src/server/server.ts', 'export const open = (server: Server) => server.listen(8080)'],
    ['packages/cli/src/agent/pause.ts', 'export const spread = Math.random()'],
  ])('%s may say: %s', (path, text) => {
    expect(faultsOf(path, `${text}\n`)).toEqual([])
  })
})

describe('whatever calls out goes through the guarded client', () => {
  test.each([
    [`${core}/outside/language-model/language-model-http.ts`, `import { request } from 'undici'`],
    [`${core}/outside/language-model/language-model-http.ts`, `export const load = () => import('undici')`],
    ['packages/http/src/app.ts', `export { Agent } from 'undici'`],
    [`${core}/work/jobs/jobs.ts`, `import { request as ask } from 'node:http'`],
    [`${core}/work/jobs/jobs.ts`, `import { type Server, Agent } from 'node:https'`],
    [`${core}/work/jobs/jobs.ts`, `import * as http from 'node:http'`],
    [`${core}/work/jobs/jobs.ts`, `import http from 'http'`],
    ['packages/http/src/server/server.ts', `import { createServer, get } from 'node:http'`],
    ['packages/cli/src/connect/connect.ts', `import { connect } from 'node:net'`],
    ['packages/cli/src/connect/connect.ts', `import { Socket } from 'node:net'`],
    ['packages/testing/src/serve.ts', `import { connect } from 'node:tls'`],
    [`${core}/watch/monitors/monitors.ts`, `import { lookup } from 'node:dns/promises'`],
    [`${core}/work/jobs/jobs.ts`, `import { createSocket } from 'node:dgram'`],
    [`${core}/work/jobs/jobs.ts`, 'export const get = (url: string) => fetch(url)'],
    [`${core}/work/jobs/jobs.ts`, 'export const get = (url: string) => globalThis.fetch (url)'],
    [`${core}/work/jobs/jobs.ts`, 'export const open = (url: string) => new WebSocket(url)'],
  ])('%s may not say: %s', (path, text) => {
    expect(faultsOf(path, `${text}\n`)).toContain('1 calls-out')
  })

  test.each([
    [`${core}/platform/net/exchange.ts`, `import { Client } from 'undici'`],
    [`${core}/platform/net/pinned-socket.ts`, `import { connect } from 'node:net'`],
    ['packages/cli/src/connect/http-client.ts', `import { request } from 'node:https'`],
    ['packages/http/src/server/server.ts', `import { createServer, type ClientRequest } from 'node:http'`],
    ['packages/http/src/server/server.ts', `import type { Socket } from 'node:net'`],
    [`${core}/platform/config/setting.ts`, `import { isIP } from 'node:net'`],
    [`${core}/work/jobs/jobs.ts`, `export class Keys { async #fetch() { await this.#fetch() } }`],
    [`${core}/work/jobs/jobs.ts`, `export const word = 'fetch(' // fetch(url)`],
  ])('%s may say: %s', (path, text) => {
    expect(faultsOf(path, `${text}\n`)).not.toContain('1 calls-out')
  })

  test('a guard that lists names over several lines sees each of them', () => {
    const text = `import {\n  ServerResponse,\n  request,\n} from 'node:http'\n`
    expect(faultsOf(`${core}/work/jobs/jobs.ts`, text)).toEqual(['4 calls-out'])
  })
})

describe('each package declares what it imports', () => {
  const rules = (dependencies: object, text: string, devDependencies: object = {}) =>
    checkLayers(
      workspace({
        'packages/http/package.json': JSON.stringify({ name: '@svc/http', dependencies, devDependencies }),
        'packages/http/src/app.ts': text,
      }),
    ).map(({ rule }) => rule)

  test('an import that no dependency covers is a fault, also for a name that every object has', () => {
    expect(rules({}, `import { object } from 'superstruct'\n`)).toEqual(['undeclared-dependency'])
    expect(rules({}, `import x from 'constructor'\n`)).toEqual(['undeclared-dependency'])
  })

  test('a devDependency covers types, not values', () => {
    expect(rules({}, `import type { S } from 'superstruct'\n`, { superstruct: '2' })).toEqual([])
    expect(rules({}, `import { object } from 'superstruct'\n`, { superstruct: '2' })).toEqual([
      'undeclared-dependency',
    ])
  })

  test('a dependency that nothing imports is a fault', () => {
    expect(rules({ superstruct: '2' }, 'export {}\n')).toEqual(['unused-dependency'])
  })

  test('dynamic imports and re-exports count', () => {
    expect(
      rules({ a: '1', '@b/c': '1' }, `export * from '@b/c/d'\nexport const x = () => import('a')\n`),
    ).toEqual([])
  })
})

test('a file of 350 lines is sound, one of 351 is not', () => {
  const lines = (count: number) => faultsOf(`${core}/work/jobs/job.ts`, 'export const a = 1\n'.repeat(count))
  expect(lines(350)).toEqual([])
  expect(lines(351)).toEqual(['351 too-long'])
})

test('reading code blanks prose and data, and keeps every position', () => {
  const text = "a('x // y') /* b\n*/ + `t ${c(`u`)} v` / d / /e'f/.test(g) // h"
  const code = codeOf(text)
  expect(code).toHaveLength(text.length)
  expect(code.replace(/ +/g, ' ')).toBe("a(' ') \n + c( ) / d / .test(g) ")
})
