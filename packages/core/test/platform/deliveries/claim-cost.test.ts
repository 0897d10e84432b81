// A claim of deliveries costs the same however many wait: it goes from receiver to receiver in one index.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { TAKE_DUE } from '../../../src/platform/deliveries/delivery-claim-sql.ts'
import { touched } from '../database/touched-pages.ts'
import { POSTGRES } from '../storage/backends.ts'
import { SqlScene } from '../storage/sql-scene.ts'

const RECEIVERS = 50
/** Most pages of a claim behind 100,000 deliveries, as a share of those behind 1,000. */
const MOST = 1.3

describe(`a claim of deliveries on ${POSTGRES}`, () => {
  let scene: SqlScene

  beforeAll(async () => {
    scene = await SqlScene.open()
    await scene.client.query('alter table deliveries set (autovacuum_enabled = off)')
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  const wait = (from: number, to: number) =>
    scene.client.query(
      `insert into deliveries (id, kind, recipient, state, created_at, due_at)
        select 'dlv_' || n, 'endpoint', 'whe_' || (n % ${RECEIVERS}), 'due', now(), now() - interval '1 day' + n * interval '1 ms'
        from generate_series($1::int, $2::int) n`,
      [from, to],
    )

  /** Returns the pages that a claim touches, under a plan that is made for any parameters. */
  async function pagesOfOne() {
    const { client } = scene
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare take as ${TAKE_DUE.text}`)
    const bounds = "'token', 60, 20, null, 'endpoint', 5, '{}', '', null, 10"
    const found = await touched(client, `execute take (${bounds})`)
    await client.query('deallocate take')
    return found.pages
  }

  // The least of three: a claim may have to read the catalog anew after the server has changed it.
  const claim = async () => Math.min(await pagesOfOne(), await pagesOfOne(), await pagesOfOne())

  it('touches as much behind 100,000 as behind 1,000, whether statistics know of them or not', async () => {
    await wait(1, 1000)
    const few = await claim()
    await wait(1001, 100_000)
    const unknown = await claim()
    await scene.client.query('analyze deliveries')
    const known = await claim()
    for (const many of [unknown, known]) expect(many).toBeLessThanOrEqual(few * MOST)
  })
})
