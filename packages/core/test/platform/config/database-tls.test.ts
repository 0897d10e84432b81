import { describe, expect, test } from '@jest/globals'
import type { Environment } from '../../../src/platform/config/config.ts'
import { ConfigError } from '../../../src/platform/config/config-error.ts'
import { readConfig } from '../../../src/wiring/settings.ts'

const warningsOf = (url: string, env: Environment = {}) =>
  readConfig({ NODE_ENV: 'production', DATABASE_URL: url, ...env }).warnings

const WARNING = expect.stringMatching(/^DATABASE_URL leads to another machine without sslmode=verify-full: /)

describe('in production, a database on another machine', () => {
  test.each([
    'postgres://svc:tell-nobody@db.internal/svc',
    'postgres://svc@10.0.0.7:5432/svc',
    'postgres://svc@[fd00::7]/svc',
    'postgres://svc@db/svc?sslmode=disable',
    'postgres://svc@db/svc?sslmode=prefer',
    'postgres://svc@db/svc?sslmode=require',
    'postgres://svc@db/svc?sslmode=verify-ca&sslrootcert=/etc/ca.pem',
    'postgres://svc@db/svc?sslmode=no-verify',
    'postgres://svc@db/svc?ssl=true',
    'postgres://svc@db/svc?sslmode=verify-full&sslmode=no-verify',
    'postgres://svc@localhost/svc?host=db.internal',
    'postgres://svc@localhost.example/svc',
    'postgres://svc@127.0.0.1.example/svc',
  ])('is warned about unless it says sslmode=verify-full: %s', (url) => {
    const warnings = warningsOf(url)
    expect(warnings).toEqual([WARNING])
    expect(warnings.join()).not.toContain('tell-nobody')
    expect(readConfig({ DATABASE_URL: url }).warnings).toEqual([])
    const required = { DATABASE_URL: url, SERVICE_DATABASE_TLS: 'require' }
    expect(() => readConfig(required)).toThrow(ConfigError)
    expect(() => readConfig(required)).toThrow(
      /^ {2}SERVICE_DATABASE_TLS is require, but DATABASE_URL leads /m,
    )
  })

  test('counts for DATABASE_SESSION_URL too, which says nothing without DATABASE_URL', () => {
    const session = { DATABASE_SESSION_URL: 'postgres://svc@db.internal/svc' }
    expect(warningsOf('postgres://svc@127.0.0.1:6432/svc', session)).toEqual([
      expect.stringMatching(/^DATABASE_SESSION_URL leads to another machine without sslmode=verify-full: /),
    ])
    expect(readConfig(session).warnings).toEqual(['DATABASE_SESSION_URL has no effect without DATABASE_URL'])
  })

  test('is the one of PGHOST when the address names none', () => {
    expect(warningsOf('postgres:///svc', { PGHOST: 'db.internal' })).toEqual([WARNING])
    expect(warningsOf('postgres:///svc', { PGHOST: '/run/postgresql' })).toEqual([])
    expect(warningsOf('postgres:///svc')).toEqual([])
  })

  test.each([
    'postgres://svc@db.internal/svc?sslmode=verify-full',
    'postgres://svc@db/svc?sslrootcert=/etc/ca.pem&sslmode=verify-full',
    'postgres://svc@localhost/svc',
    'postgres://svc@127.0.0.1:6432/svc',
    'postgres://svc@127.8.8.8/svc',
    'postgres://svc@[::1]/svc',
    'postgres:///svc?host=/run/postgresql',
    'postgres://%2Frun%2Fpostgresql/svc',
  ])('is not what is on this machine, nor what is reached by checked TLS: %s', (url) => {
    expect(warningsOf(url)).toEqual([])
    expect(warningsOf(url, { SERVICE_DATABASE_TLS: 'require' })).toEqual([])
  })
})
