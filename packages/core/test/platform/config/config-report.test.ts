import { describe, expect, test } from '@jest/globals'
import type { SettingGroup } from '../../../src/platform/config/setting-group.ts'
import { configSummary, readConfig, settings, settingsMarkdown } from '../../../src/wiring/settings.ts'

const groups = Object.values<SettingGroup>(settings)
const all = groups.flatMap((group) => Object.values(group.settings))

describe('the start-up summary', () => {
  test('names what is not the default, and nothing else', () => {
    expect(configSummary(readConfig({}))).toEqual({})
    const given = { PORT: '8080', SERVICE_HOST: '0.0.0.0', SERVICE_LICENSE_PUBKEYS_RETIRED: 'a, b' }
    expect(configSummary(readConfig(given))).toEqual({
      SERVICE_HOST: '0.0.0.0',
      SERVICE_LICENSE_PUBKEYS_RETIRED: '2 keys',
    })
  })

  test('shows plain values, and of a secret only whether it is set', () => {
    const secrets = all.filter(({ secret }) => secret).map(({ name }) => name)
    const given = Object.fromEntries(secrets.map((name) => [name, 'postgres://tell-nobody-at-all']))
    given.EMAIL_SMTP_URL = 'smtps://tell-nobody:word@relay.example'
    given.BROWSER_WORKER_TOKENS = 'tell-nobody-the-browser-token'
    given.SERVICE_DATA_KEYS = `tell-nobody:${Buffer.alloc(32).toString('base64')}`
    given.PAYMENT_SECRET_KEY = `sk_test_${'tellnobody'.repeat(2)}`
    given.PAYMENT_WEBHOOK_SECRET = 'whsec_tell-nobody'
    const summary = configSummary(readConfig({ ...given, PORT: '9000' }))
    for (const name of secrets) expect([name, summary[name]]).toEqual([name, 'set'])
    expect(JSON.stringify(summary)).not.toMatch(/tell-?nobody/)
    expect(summary.PORT).toBe(9000)
  })

  test('hides every setting that carries a credential', () => {
    expect(
      all
        .filter(({ secret }) => secret)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      'ATTACK_SURFACE_SECRET',
      'BROWSER_WORKER_TOKENS',
      'CERTSPOTTER_TOKEN',
      'DATABASE_PASSWORD',
      'DATABASE_SESSION_URL',
      'DATABASE_URL',
      'EMAIL_SMTP_URL',
      'LLM_API_KEY',
      'MONITORS_CRON_SECRET',
      'PAYMENT_SECRET_KEY',
      'PAYMENT_WEBHOOK_SECRET',
      'PROVISIONING_DIGITALOCEAN_TOKEN',
      'PROVISIONING_HETZNER_TOKEN',
      'PROVISIONING_WORKER_SECRET',
      'SERVICE_DATA_KEYS',
      'SERVICE_HEALTH_TOKEN',
      'SERVICE_LICENSE_KEYS',
      'SERVICE_LICENSE_PRIVKEY',
      'SERVICE_METRICS_TOKEN',
      'SERVICE_RELAY_PRIVKEY',
      'SERVICE_SESSION_SECRET',
    ])
  })
})

describe('the reference', () => {
  test('has a section for every group and a row of four cells for every setting', () => {
    const lines = settingsMarkdown().split('\n')
    for (const { title } of groups) expect(lines).toContain(`## ${title}`)
    for (const { name, doc } of all) {
      const row = lines.find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
      expect(row.split(' | ')).toHaveLength(4)
      expect(row).toContain(doc)
    }
  })

  test('states defaults, secrets and which features close by themselves', () => {
    const text = settingsMarkdown()
    expect(text).toContain('| `PORT` | a whole number from 0 to 65535 | `8080` |')
    expect(text).toContain('| `NODE_ENV` | text; only `production` matters | `development` |')
    expect(text).toContain('| `LLM_API_KEY` | text, secret | unset |')
    expect(text.split('\nA bad value here closes this feature').length - 1).toBe(
      groups.filter((group) => group.optional).length,
    )
  })
})
