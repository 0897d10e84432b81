import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type BenchHost, CliBench } from '../support/cli-bench.ts'

const HOST = 'f'.repeat(40)
const [ONE, OTHER] = ['a'.repeat(40), 'b'.repeat(40)]

let bench: CliBench
let host: BenchHost

beforeAll(async () => {
  bench = await CliBench.open()
  host = await bench.host(HOST, 'web-1')
  const repo = 'https://git.example/acme/shop.git'
  await bench.run('apps', 'create', 'shop', '--license', bench.license.id, '--host', 'web-1', '--repo', repo)
})
afterAll(() => bench[Symbol.asyncDispose]())

const observe = (sha: string) =>
  bench.plane.apps.observe({ licenseId: bench.license.id, fingerprint: HOST }, [
    { app: 'shop', state: 'up', release: 1, up: 2, of: 2, restarts: 0, sha },
  ])
const shown = async () => (await bench.run('apps', 'show', 'shop')).out.text

test('tables have the names of hosts, and JSON their fingerprints', async () => {
  expect((await bench.run('apps', 'list')).out.text).toMatch(/^shop +lic_\w+ +web-1 /m)
  expect(await shown()).toMatch(new RegExp(`^host +web-1 \\(fp:${HOST}\\)$`, 'm'))
  expect(await bench.json('apps', 'show', 'shop')).toMatchObject({ app: { host: HOST } })
  // Two hosts of one name are told apart by their fingerprints.
  await bench.host('e'.repeat(40), 'web-1')
  expect((await bench.run('apps', 'list')).out.text).toContain(` fp:${HOST.slice(0, 12)} `)
  await bench.run('fleet', 'label', `fp:${HOST}`, 'front')
  expect((await bench.run('apps', 'list')).out.text).toMatch(/ front /)
})

test('an app that runs another commit than was deployed there last is shown with the next step', async () => {
  await bench.json('apps', 'deploy', 'shop', '--sha', ONE)
  await observe(OTHER)
  expect(await shown()).toContain('2 of 2 up on')
  expect(await shown()).not.toContain('and not of')
  await host.end(await host.begin(), 'succeeded', 0)
  expect(await shown()).toContain(
    `, and not of ${ONE.slice(0, 12)}, which was deployed there last: svc apps start shop (`,
  )
  expect(await bench.json('apps', 'show', 'shop')).toMatchObject({
    app: { observed: [{ sha: OTHER, expected_sha: ONE }] },
  })
  await observe(ONE)
  expect(await shown()).not.toContain('and not of')
})
