import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { OPERATIONS, PERMISSIONS, type Permission, settings } from '@svc/core'
import { ADMIN_ROLES, permissionsOf, TENANT_ROLES } from '@svc/core/ports'
import { ROUTES } from '@svc/http'
import { testPlane } from '@svc/testing'
import { root } from './docs/page.ts'

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** A section of a page, and the cells of its table. */
function section(
  page: string,
  heading: string,
): { readonly text: string; readonly rows: readonly string[][] } {
  const text = textOf(page).split(`\n${heading}\n`)[1]?.split(/\n## /)[0] ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('| '))
  return { text, rows: rows.slice(1).map((row) => row.slice(2, -2).split(' | ')) }
}

/** The figure that a constant of a source stands for: `const NAME = 16 * 1024`. */
function figure(path: string, name: string): number {
  const [, factors] = new RegExp(`\\b${name}(?: =|:) ([\\d_ *]+)`).exec(textOf(`packages/${path}`)) ?? []
  if (factors === undefined) throw new Error(`${path} has no ${name}`)
  return factors.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1)
}

const inBytes = (bytes: number): string =>
  bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`
const inThousands = (number: number): string => number.toLocaleString('en')

/** The rate limit of this name, as its route declares it. */
function rateLimit(name: string): { readonly limit: number; readonly windowSeconds: number } {
  const sources = globSync('packages/{core,http}/src/**/*.ts', { cwd: root })
  const declared = new RegExp(`name: '${name}', limit: (\\d+), windowSeconds: (\\d+)`)
  for (const path of sources) {
    const [, limit, windowSeconds] = declared.exec(textOf(path)) ?? []
    if (limit !== undefined) return { limit: Number(limit), windowSeconds: Number(windowSeconds) }
  }
  throw new Error(`no source declares a limit ${name}`)
}

function perMinute(name: string): number {
  const { limit, windowSeconds } = rateLimit(name)
  expect(windowSeconds).toBe(60)
  return limit
}

const perAccount = rateLimit('login-per-account')
const accountMinutes = perAccount.windowSeconds / 60

describe('the limits on the page', () => {
  const rows = new Map(
    section('docs/reference/limits.md', '## Requests and sizes').rows as [string, string][],
  )

  test('are those of the code', () => {
    const server = 'http/src/server/server.ts'
    const inFlight = inBytes(figure('http/src/exchange/body/request-bytes.ts', 'MAX_BYTES_IN_FLIGHT'))
    const depth = figure('http/src/exchange/body/json-text.ts', 'MAX_DEPTH')
    const parts = inThousands(figure('http/src/exchange/body/json-text.ts', 'MAX_PARTS'))
    const headers = inBytes(figure(server, 'MAX_HEADER_BYTES'))
    const within = figure(server, 'headersTimeout') / 1000
    expect(rows.get('Sign-in')).toBe(
      `${perMinute('login-per-ip')} a minute and address; ${perAccount.limit} in ${accountMinutes} minutes and account`,
    )
    expect(rows.get('Audit rows for operations that the caller may not run')).toBe(
      `${perMinute('refused-operations')} a minute and person`,
    )
    expect(rows.get('Body')).toMatch(new RegExp(`; all requests together ${inFlight} in memory$`))
    expect(rows.get('JSON')).toMatch(new RegExp(`^${depth} levels, ${parts} lists, objects and commas;`))
    expect(rows.get('Headers')).toBe(
      `${headers}, ${figure(server, 'MAX_HEADERS')} of them, within ${within} s`,
    )
    expect(rows.get('A request')).toBe(`${figure(server, 'requestTimeout') / 1000} s to arrive`)
    const hosts = settings.hosts?.settings.perLicense
    expect(rows.get('Hosts of a license')).toMatch(new RegExp(`^${inThousands(Number(hosts?.fallback))} `))
    const [reads, actions] = [perMinute('alert-read'), perMinute('alert-act')]
    expect(rows.get('Alerts of a license')).toBe(`${reads} reads and ${actions} actions a minute`)
    expect(textOf('docs/alerts.md')).toContain(`with ${reads} reads and ${actions} actions a minute`)
    expect(rows.get('Git hooks of a license')).toBe(
      `${figure('core/src/work/git/git-hook.ts', 'MAX_HOOKS')}; ${perMinute('git-hooks')} requests about them a minute`,
    )
    const held = inBytes(figure('http/src/routes/git-webhook.ts', 'MAX_BYTES_HELD'))
    expect(rows.get('Messages of git hosts')).toBe(
      `${perMinute('git-webhook')} a minute and address before their sender is known, ${perMinute('git-webhook-hook')} a minute and hook after that; ${held} of them in memory at once`,
    )
    const windows = inThousands(figure('core/src/platform/limits/rate-counter-memory.ts', 'MAX_WINDOWS'))
    expect(rows.get('Rate windows in memory')).toMatch(new RegExp(`^${windows};`))
  })

  test('of credentials that are not good, and of visitors who wait, are those of the code', () => {
    const badKeys = perMinute('bad-key')
    expect(rows.get('License keys that are not good')).toMatch(
      new RegExp(`^${badKeys} a minute and address;`),
    )
    const guesses = rows.get(
      '`MONITORS_CRON_SECRET`, `PROVISIONING_WORKER_SECRET`, `SERVICE_METRICS_TOKEN`, `SERVICE_HEALTH_TOKEN`',
    )
    expect(guesses).toMatch(new RegExp(`^${perMinute('secret-guess')} tries a minute and address,`))
    const visitors = 'core/src/reach/chat/waiting-visitors.ts'
    expect(rows.get('Waiting for a reply in the chat')).toBe(
      `${figure(visitors, 'MAX_OF_NETWORK')} at once and address, ${figure(visitors, 'MAX_WAITING')} over all`,
    )
  })

  test('name every size that a route takes a body of', () => {
    const sizes = new Set(ROUTES.map(({ body }) => body?.maxBytes).filter((bytes) => bytes !== undefined))
    const said = (rows.get('Body') ?? '').split('; all ')[0]?.match(/\d+ [KM]iB/g) ?? []
    const wanted = [...sizes].sort((one, other) => one - other).map(inBytes)
    expect([...said].sort()).toEqual(wanted.sort())
  })

  test('of hosts are those of the code', () => {
    const { text } = section('docs/agents.md', '## Rate limits')
    const of = perMinute
    expect(text.replaceAll('\n', ' ')).toContain(
      `${of('heartbeat')} heartbeats, ${of('claim')} claims, ${of('status')} reports of a status, ${of('cancel')} cancels ` +
        `and ${of('logs')} batches of log lines a minute; an address may activate ${of('activate')} times a minute`,
    )
  })
})

const ADA = { email: 'ada@svc.example', role: 'viewer', tenantId: undefined, password: undefined } as const

describe('the sessions on the page', () => {
  const { text } = section('docs/security.md', '## Sessions')

  test('end when those of the code do', () => {
    const store = 'core/src/people/sessions/sessions-store.ts'
    const hours = (name: string) => figure(store, name) / 3600
    expect(text).toContain(
      `ends after ${hours('SESSION_SECONDS')} hours, or ${hours('IDLE_SECONDS')} hours without use`,
    )
    expect(text).toContain(`is over is kept for ${figure(store, 'ENDED_DAYS')} days`)
  })

  test.each([
    ['https://svc.example', ['HttpOnly', 'SameSite=Lax', 'Secure']],
    ['http://svc.example', ['HttpOnly', 'SameSite=Lax']],
  ])('have the attributes of a cookie at %s', async (address, wanted) => {
    await using faked = testPlane({ env: { SERVICE_PUBLIC_URL: address } })
    const user = await faked.plane.users.add(ADA)
    const { setCookie } = await faked.plane.sessions.mint(user)
    const attributes = setCookie.split('; ').slice(1)
    expect(attributes.filter((each) => /^(?:HttpOnly|Secure|SameSite=.*)$/.test(each)).sort()).toEqual(wanted)
    for (const attribute of wanted) expect(text).toContain(`\`${attribute}\``)
  })

  test('may be any number', async () => {
    expect(text).toContain('A user may have any number of sessions')
    await using faked = testPlane()
    const { users, sessions } = faked.plane
    const user = await users.add(ADA)
    const cookies = await Promise.all(
      Array.from({ length: 100 }, async () => (await sessions.mint(user)).setCookie),
    )
    for (const cookie of cookies) {
      expect((await sessions.authenticate(cookie.split(';')[0]))?.user.id).toBe(user.id)
    }
  })
})

describe('the permissions on the page', () => {
  const { rows } = section('docs/operators.md', '## Permissions')
  const opening = new Set(OPERATIONS.map(({ permission }) => permission.replace('platform.', '')))

  test('are all but that of administrators, and those that open nothing are called so', () => {
    const words = rows.flatMap(([names = '', opens]) =>
      names.split(', ').map((word) => [word, opens !== 'nothing yet']),
    )
    const wanted = PERMISSIONS.map((each) => each.replace('platform.', '')).filter((word) => word !== 'admin')
    const expected = wanted.map((word) => [word, opening.has(word)])
    expect(Object.fromEntries(words)).toEqual(Object.fromEntries(expected))
  })
})

describe('the roles on the page', () => {
  const { rows } = section('docs/operators.md', '## Users and sessions')
  const tenantId = 'ten_1'

  test('may do what the code lets them', () => {
    const words = (permissions: readonly Permission[]) =>
      permissions.map((each) => each.replace('platform.', '')).join(', ')
    const staff = ADMIN_ROLES.map((role) => [
      `\`${role}\``,
      role === 'super_admin'
        ? 'everything, also additions of later releases'
        : words(permissionsOf({ role, tenantId: undefined })),
    ])
    const people = TENANT_ROLES.map((role) => [
      `\`${role}\` (tenant)`,
      words(permissionsOf({ role, tenantId })),
    ])
    expect(rows).toEqual([...staff, ...people])
  })

  test('are for staff or for the people of a tenant, and refused for the others', async () => {
    await using faked = testPlane()
    const { users, tenants } = faked.plane
    const { id } = await tenants.add('acme')
    for (const [cell = ''] of rows) {
      const role = (/`(\w+)`/.exec(cell)?.[1] ?? '') as (typeof TENANT_ROLES)[number]
      const isTenants = cell.endsWith('(tenant)')
      const inTenant = users.add({
        email: `${role}-${isTenants}@acme.example`,
        role,
        tenantId: id,
        password: undefined,
      })
      const known: readonly string[] = isTenants ? TENANT_ROLES : ADMIN_ROLES
      expect(known).toContain(role)
      if ((TENANT_ROLES as readonly string[]).includes(role))
        await expect(inTenant).resolves.toMatchObject({ role })
      else await expect(inTenant).rejects.toMatchObject({ code: 'invalid-input' })
    }
  })
})

describe('the ways in on the page', () => {
  const { rows } = section('docs/security.md', '## Ways in')
  /** The callers of each scheme of the API document, and the page's words for them. */
  const SCHEMES: Readonly<Record<string, readonly [who: string, by: string]>> = {
    licenseKey: ['A host', 'A license key as bearer'],
    sendingKey: ['A program that sends email', 'A [sending key](email.md#send)'],
    browserToken: ['A program that needs a browser', 'A [browser token](browser.md#tokens)'],
    apiToken: ['A program of an operator', 'An [API token](api-tokens.md)'],
    session: ["Staff and tenants' people", 'A session'],
    sharedSecret: ['An outside cron', '`MONITORS_CRON_SECRET`, `PROVISIONING_WORKER_SECRET`'],
    metricsToken: ['A scraper, a monitor of the service', '`SERVICE_METRICS_TOKEN`'],
    healthToken: ['A scraper, a monitor of the service', '`SERVICE_HEALTH_TOKEN`'],
  }

  test('are those of the routes, and none is left out', () => {
    const used = new Set(ROUTES.flatMap(({ gate }) => gate.security as readonly string[]))
    expect([...used].sort()).toEqual(Object.keys(SCHEMES).sort())
    const others = ['A git host', 'A visitor', 'An operator on the machine']
    const owners = [...used].map((scheme) => SCHEMES[scheme]?.[0])
    expect(rows.map(([who]) => who).sort()).toEqual([...new Set([...owners, ...others])].sort())
    for (const [who, by] of Object.values(SCHEMES)) {
      expect(rows.find(([each]) => each === who)?.[1]).toContain(by)
    }
  })

  test('say how often a password may be tried', () => {
    const people = rows.find(([who]) => who === "Staff and tenants' people")
    expect(people?.[3]).toBe(
      `${perMinute('login-per-ip')} a minute and address, ${perAccount.limit} in ${accountMinutes} minutes and account`,
    )
  })
})

describe('the cryptography on the page', () => {
  const { text } = section('docs/reference/cryptography.md', '## Algorithms and keys')
  /** The names of node:crypto that are used, and the page's words for them. */
  const USED: Readonly<Record<string, string>> = {
    createCipheriv: 'AES-256-GCM',
    createDecipheriv: 'AES-256-GCM',
    createHash: 'SHA-256',
    createHmac: 'HMAC-SHA256',
    createPrivateKey: 'Ed25519',
    createPublicKey: 'Ed25519',
    generateKeyPair: 'RSA-2048',
    generateKeyPairSync: 'Ed25519 pairs for ssh',
    hash: 'SHA-256',
    pbkdf2Sync: 'PBKDF2',
    randomBytes: "The system's generator",
    randomFillSync: "The system's generator",
    randomInt: "The system's generator",
    randomUUID: "The system's generator",
    scrypt: 'scrypt',
    sign: 'Ed25519',
    timingSafeEqual: 'comparison of secrets',
    verify: 'Ed25519',
  }

  test('is all that ships of it', () => {
    const files = globSync('packages/{core,http,cli}/src/**/*.ts', { cwd: root })
    const imported = files.flatMap((path) =>
      [...textOf(path).matchAll(/import \{([^}]+)\} from 'node:crypto'/g)].flatMap(([, names = '']) =>
        names
          .split(',')
          .map((name) => name.trim().split(' as ')[0] ?? '')
          .filter((name) => name !== '' && !name.startsWith('type ')),
      ),
    )
    expect([...new Set(imported)].sort()).toEqual(Object.keys(USED).sort())
    for (const words of Object.values(USED)) expect(text).toContain(words)
  })

  test('costs what the code says', () => {
    const of = (name: string) => figure('core/src/platform/passwords/passwords.ts', name)
    expect(text).toContain(`| Passwords | scrypt, 2^${of('LOG_N')}, ${of('R')}, ${of('P')} |`)
    const atRest = section('docs/security.md', '## At rest').text
    const salt = `salt of ${of('SALT_BYTES')} bytes`
    expect(atRest).toContain(`scrypt, N = 2^${of('LOG_N')}, r = ${of('R')}, p = ${of('P')}, ${salt}`)
  })

  test('says of each secret of the service how it is replaced', () => {
    const all = Object.values(settings).flatMap((group) => Object.values(group.settings))
    const secrets = all.filter(({ secret }) => secret).map(({ name }) => name)
    const [, table = ''] = textOf('docs/security.md').split('\n### Replace a secret\n')
    const cells = table
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split(' | ')[0] ?? '')
    const named = (cells ?? []).flatMap((cell) => cell.match(/[A-Z][A-Z_]+/g) ?? [])
    expect(named.sort()).toEqual(secrets.sort())
  })
})

describe('the outgoing requests on the page', () => {
  const { text } = section('docs/security.md', '## Outgoing requests')
  /** Files that open a way out, and the page's words for each. */
  const CALLERS: Readonly<Record<string, string>> = {
    'packages/core/src/outside/language-model/language-model-http.ts': '`LLM_BASE_URL`',
    'packages/core/src/outside/language-model/model-probe-http.ts': '`LLM_BASE_URL`',
    'packages/core/src/wiring/outbound.ts': 'A tenant (webhooks)',
    'packages/core/src/outside/payments/payment-provider-http.ts': '`PAYMENT_API_BASE`',
    'packages/core/src/work/git/feature.ts': '`SERVICE_PUBLIC_URL`',
    'packages/core/src/outside/scan/scan-run.ts': '`CT_URL`',
    'packages/core/src/outside/servers/providers-http.ts': 'A hosting provider',
    'packages/core/src/wiring/control-plane.ts': 'the resolvers of monitors',
    'packages/core/src/platform/database/database-server.ts': 'PostgreSQL',
  }

  test('are made for whom it names, and for nobody else', () => {
    const way = /\b(?:createOutbound|operatorOutbound|nodeDnsClient|pinnedDialler)\(\{?|extends pg\.Client/
    const files = globSync('packages/{core,http}/src/**/*.ts', { cwd: root }).map((path) =>
      path.replaceAll('\\', '/'),
    )
    const givers = files.filter((path) => {
      const isOwn = /^packages\/core\/src\/platform\/(?:net|dns)\//.test(path)
      return !isOwn && way.test(textOf(path))
    })
    expect(givers.sort()).toEqual(Object.keys(CALLERS).sort())
    for (const words of Object.values(CALLERS)) expect(text).toContain(words)
  })
})

describe('the log lines on the page', () => {
  const { rows } = section('docs/security.md', '## What is logged')
  const files = globSync('packages/{core,http}/src/**/*.ts', { cwd: root })
  const logged = files.flatMap((path) =>
    [...textOf(path).matchAll(/log\.(?:debug|info|warn|error)\([\s\S]*?'([^']+)'[,\s]*\)/g)].map(
      ([, line = '']) => line,
    ),
  )
  const named = rows.flatMap(([cell = '']) => {
    const [first = '', ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line)
    // `request answered`, `refused`: the first word of the first goes for all that are one word.
    return [first, ...others.map((line) => (line.includes(' ') ? line : `${first.split(' ')[0]} ${line}`))]
  })

  test('are written by the code', () => {
    expect(named.length).toBeGreaterThan(6)
    expect(named.filter((line) => !logged.includes(line))).toEqual([])
  })

  test('are all that say who signed in, was refused or met a fault', () => {
    const telling = logged.filter((line) =>
      /sign|refused$|^request |^operation |password|confirm|own session/.test(line),
    )
    expect([...new Set(telling)].filter((line) => !named.includes(line))).toEqual([])
  })
})
