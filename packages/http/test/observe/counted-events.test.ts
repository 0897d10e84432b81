import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'

const root = join(import.meta.dirname, '../../../..')
const textsOf = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

/** Families whose events no suite can bring about, and why. */
const APART: Readonly<Record<string, string>> = {
  svc_relay_recordings_failed_total:
    'a disk that is full under a recording: relay/recording looks at the file alone',
}

// A counter that nobody reads after its event may stand still for ever: the list of all families is no proof.
it('Each counter is read by a suite after something has happened', () => {
  const families = new Set(
    textsOf('packages/*/src/**/*.ts').flatMap(({ text }) => text.match(/'svc_[a-z_]+_total'/g) ?? []),
  )
  const suites = textsOf('{packages/*,siege,chaos}/test/**/*.ts').filter(
    ({ path }) => !/metrics-exposition|counted-events/.test(path),
  )
  const unread = [...families]
    .map((quoted) => quoted.slice(1, -1))
    .filter((family) => !suites.some(({ text }) => text.includes(family)))
  expect(unread.sort()).toEqual(Object.keys(APART).sort())
  expect(families.size).toBeGreaterThan(30)
})
