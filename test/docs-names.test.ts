import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { settings } from '@svc/core'
import { SYSTEM_DETAILS } from '@svc/core/adapters'
import { createApp } from '@svc/http'
import { testPlane } from '@svc/testing'
import { allPages, root } from './docs/page.ts'

/** Variables that the command and the agent read besides the settings of the service. */
const CLIENT_NAMES = [
  'SERVICE_URL',
  'SERVICE_TOKEN',
  'SERVICE_LICENSE_KEY',
  'SERVICE_HANDLER_USER',
  'SERVICE_AGENT_ALLOW',
]
/** Names that begin as metrics do and are something else: the session cookie, and roles of a database. */
const NO_METRICS = ['svc_session', 'svc_owner', 'svc_app']

// The page of public names is generated from the entries, and names constants, not settings.
const texts = allPages()
  .filter(({ path }) => path !== 'docs/reference/public-names.md')
  .map(({ path }) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

function unknownIn(pattern: RegExp, known: readonly string[]): readonly string[] {
  return texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .map(([, name = '']) => name)
      .filter((name) => !known.includes(name))
      .map((name) => `${path}: ${name}`),
  )
}

describe('names in the docs', () => {
  test('settings exist, and each is in the reference', () => {
    const all = Object.values(settings).flatMap((group) => Object.values(group.settings))
    const known = all.map(({ name }) => name)
    const inFiles = all.filter(({ secret }) => secret).map(({ name }) => `${name}_FILE`)
    const prefixed = /\b((?:SERVICE|CHAT|LLM|MONITORS?)_[A-Z][A-Z_]*[A-Z])\b/g
    expect(unknownIn(prefixed, [...known, ...inFiles, ...CLIENT_NAMES])).toEqual([])
    const reference = readFileSync(join(root, 'docs/reference/settings.md'), 'utf8')
    expect(known.filter((name) => !reference.includes(`\`${name}\``))).toEqual([])
  })

  test('every detail of svc doctor is explained', () => {
    const page = readFileSync(join(root, 'docs/reference/checks.md'), 'utf8')
    expect(SYSTEM_DETAILS.length).toBeGreaterThan(0)
    expect(SYSTEM_DETAILS.filter((detail) => !page.includes(`\`${detail}\``))).toEqual([])
  })

  test('metrics exist', async () => {
    await using test = testPlane()
    createApp(test.plane)
    const families = test.plane.metrics.registry.getMetricsAsArray().map(({ name }) => name)
    expect(unknownIn(/`(svc_[a-z_]+)(?:\{[^`]*\})?`/g, [...families, ...NO_METRICS])).toEqual([])
  })
})
