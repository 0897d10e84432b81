import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Environment } from '../../../src/platform/config/config.ts'
import { ConfigError } from '../../../src/platform/config/config-error.ts'
import type { SettingGroup } from '../../../src/platform/config/setting-group.ts'
import { configSummary, readConfig, settings } from '../../../src/wiring/settings.ts'

const SECRETS = Object.values<SettingGroup>(settings)
  .flatMap((group) => Object.values(group.settings))
  .filter(({ secret }) => secret)
  .map(({ name }) => name)

/** A value that every secret setting accepts: a URL for the database, a text for the others. */
const VALUE = 'postgres://svc:tell-nobody@127.0.0.1/svc-and-32-characters-more'

let folder: string
const DATA_KEY = `tell-nobody:${Buffer.alloc(32).toString('base64')}`
/** Secrets that must have a form. */
const FORMED: Readonly<Record<string, string>> = {
  EMAIL_SMTP_URL: 'smtps://tell-nobody:word@relay.example',
  PAYMENT_SECRET_KEY: `sk_test_${'x'.repeat(24)}`,
  PAYMENT_WEBHOOK_SECRET: 'whsec_tell-nobody',
  SERVICE_DATA_KEYS: DATA_KEY,
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-secrets-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function file(contents: string | Buffer, mode = 0o600): Promise<string> {
  const path = join(folder, 'secret')
  await writeFile(path, contents, { mode })
  await chmod(path, mode)
  return path
}

function faultsOf(env: Environment): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('a secret in a file', () => {
  test.each(SECRETS)('is the value of %s, and reports say that it is set (file)', async (name) => {
    const value = FORMED[name] ?? VALUE
    const path = await file(value)
    // It says nothing alone.
    const beside = name === 'DATABASE_SESSION_URL' ? { DATABASE_URL: VALUE } : {}
    const config = readConfig({ ...beside, [`${name}_FILE`]: path })
    expect(config).toEqual({ ...readConfig({ ...beside, [name]: value }), files: { [name]: path } })
    expect(config.warnings).toEqual([])
    expect(configSummary(config)[name]).toBe('set (file)')
    expect(JSON.stringify(configSummary(config))).not.toContain('tell-nobody')
  })

  test.each([
    ['one line end', 'secret\n', 'secret'],
    ['one line end of Windows', 'secret\r\n', 'secret'],
    ['no further line end', 'secret\n\n', 'secret\n'],
    ['no blank', ' secret ', ' secret '],
    ['no line within', '-----BEGIN\nMII=\n-----END\n', '-----BEGIN\nMII=\n-----END'],
  ])('loses %s at its end', async (_, contents, value) => {
    expect(readConfig({ DATABASE_PASSWORD_FILE: await file(contents) }).database.password).toBe(value)
  })

  test('may be behind a link and as large as 64 KiB', async () => {
    const path = await file('x'.repeat(64 * 1024))
    await symlink(path, join(folder, 'link'))
    const { surface } = readConfig({ CERTSPOTTER_TOKEN_FILE: join(folder, 'link') })
    expect(surface.certSpotterToken).toHaveLength(64 * 1024)
  })

  test('that has the form of no such value stops the start under the name of the file, and is not shown', async () => {
    const path = await file('mysql://svc:tell-nobody@db/svc')
    const [fault = '', ...others] = faultsOf({ DATABASE_URL_FILE: path })
    expect(fault).toMatch(/^DATABASE_URL_FILE must name a file that holds a URL that starts with postgres:/)
    expect([others, fault.includes('tell-nobody')]).toEqual([[], false])
  })

  test('is none beside the same secret in the environment', async () => {
    const path = await file('tell-nobody')
    expect(faultsOf({ LLM_API_KEY: 'tell-nobody-either', LLM_API_KEY_FILE: path })).toEqual([
      'LLM_API_KEY_FILE and LLM_API_KEY are both set: one of them has to go',
    ])
    expect(readConfig({ LLM_API_KEY: ' ', LLM_API_KEY_FILE: path }).llm.apiKey).toBe('tell-nobody')
    expect(readConfig({ LLM_API_KEY: 'here', LLM_API_KEY_FILE: '' }).llm.apiKey).toBe('here')
  })

  test('is for secrets: another setting is not read from one', async () => {
    const config = readConfig({ PORT_FILE: await file('9000'), SERVICE_HOST_FILE: await file('::') })
    expect([config.http.port, config.http.host]).toEqual([8080, '127.0.0.1'])
    expect(config.warnings).toEqual([expect.stringMatching(/^SERVICE_HOST_FILE is not a setting/)])
  })
})

describe('a file that cannot be the value', () => {
  const CASES: readonly (readonly [what: string, said: RegExp, make: () => Promise<string>])[] = [
    ['is not there', /which cannot be read \(ENOENT\)$/, async () => join(folder, 'absent')],
    ['stands in a file', /which cannot be read \(ENOTDIR\)$/, async () => join(await file('x'), 'secret')],
    [
      'is a link to itself',
      /which cannot be read \(ELOOP\)$/,
      async () => {
        await symlink(join(folder, 'loop'), join(folder, 'loop'))
        return join(folder, 'loop')
      },
    ],
    ['is a folder', /which is no regular file$/, async () => folder],
    ['is a device', /which is no regular file$/, async () => '/dev/zero'],
    [
      'is a pipe that nobody writes to',
      /which is no regular file$/,
      async () => {
        execFileSync('mkfifo', [join(folder, 'pipe')])
        return join(folder, 'pipe')
      },
    ],
    ['is empty', /which is empty$/, () => file('')],
    ['holds a line end alone', /which is empty$/, () => file('\n')],
    [
      'is larger than 64 KiB',
      /which is larger than 64 KiB$/,
      () => file(`tell-nobody${'x'.repeat(64 * 1024)}`),
    ],
    ['is no text', /which is no text in UTF-8$/, () => file(Buffer.from([0x74, 0xff, 0xfe]))],
  ]

  // One setting is in a required group, the other in an optional group.
  test.each(CASES)('stops the start with setting and path, for it %s', async (_, said, make) => {
    const path = await make()
    for (const name of ['SERVICE_LICENSE_PRIVKEY', 'SERVICE_HEALTH_TOKEN']) {
      const [fault = '', ...others] = faultsOf({ [`${name}_FILE`]: path })
      expect(fault).toMatch(said)
      expect(fault.startsWith(`${name}_FILE names ${path}, `)).toBe(true)
      expect([others, fault.includes('tell-nobody')]).toEqual([[], false])
    }
  })

  test('is not repeated when it is no absolute path: it may be the secret itself', () => {
    const said = faultsOf({ MONITORS_CRON_SECRET_FILE: 'tell-nobody' })
    expect(said).toEqual(['MONITORS_CRON_SECRET_FILE must be an absolute path'])
  })

  test('is named together with all other faults', () => {
    const env = { PORT: 'x', DATABASE_URL_FILE: '/absent', CHAT_RATE_LIMIT: 'many' }
    expect(
      faultsOf(env)
        .map((fault) => fault.split(' ')[0])
        .sort(),
    ).toEqual(Object.keys(env).sort())
  })
})

describe('a file that more than its owner has rights to', () => {
  test.each([0o640, 0o604, 0o620, 0o666])('is taken and warned about: %i', async (mode) => {
    const path = await file(VALUE, mode)
    const { metrics, warnings } = readConfig({ SERVICE_METRICS_TOKEN_FILE: path })
    expect(metrics.token).toBe(VALUE)
    expect(warnings).toEqual([
      `SERVICE_METRICS_TOKEN_FILE names ${path}, which its group or others have rights to: chmod 600 it`,
    ])
  })

  test.each([0o600, 0o400])('is no other: %i', async (mode) => {
    expect(readConfig({ SERVICE_METRICS_TOKEN_FILE: await file(VALUE, mode) }).warnings).toEqual([])
  })

  test('is none of the credentials of systemd, whose access list shows as rights of the group', async () => {
    const path = await file(VALUE, 0o440)
    const env = { SERVICE_METRICS_TOKEN_FILE: path }
    expect(readConfig({ ...env, CREDENTIALS_DIRECTORY: folder }).warnings).toEqual([])
    expect(readConfig({ ...env, CREDENTIALS_DIRECTORY: `${folder}-of-another` }).warnings).toHaveLength(1)
    expect(readConfig({ ...env, CREDENTIALS_DIRECTORY: '' }).warnings).toHaveLength(1)
  })
})
