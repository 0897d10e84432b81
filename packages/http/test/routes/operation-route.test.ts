import { describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { licenseBearer } from '../../src/gates/license-bearer.ts'
import { ROUTES } from '../../src/routes/index.ts'
import { operationRoute } from '../../src/routes/operation-route.ts'
import { serving } from '../support/serving.ts'

const PATH = '/api/v1/fleet/alerts'

describe('a licensed operation as a route', () => {
  it('is described by its own words unless the route has better ones', () => {
    const { summary, replies } = operationRoute('GET', '/x', 'fleet.servers', licenseBearer)
    expect(summary).toBe('List the hosts.')
    expect(replies[200]?.description).toBe('What the operation answers.')
    expect(replies[400]).toBeUndefined()
  })

  it('is refused at start when no license may run it, or a query parameter has no meaning', () => {
    const mounted = (name: string) => () => operationRoute('GET', '/x', name, licenseBearer)
    expect(mounted('tenants.list')).toThrow('tenants.list is no licensed operation')
    expect(mounted('nobody.knows')).toThrow('nobody.knows is no licensed operation')
    expect(mounted('alerts.list')).toThrow('alerts.list: say what the query parameter status means')
  })

  it('every licensed operation has one route', () => {
    const licensed = OPERATIONS.flatMap(({ name, licensed }) => (licensed === undefined ? [] : [name]))
    const mounted = ROUTES.flatMap(({ operations = {} }) => Object.keys(operations))
    expect(mounted.filter((name) => name !== 'fleet.backups').sort()).toEqual(licensed.sort())
  })
})

describe('a run by the holder of a license key', () => {
  const served = serving()

  it('is about that license, also if the input names another', async () => {
    const { plane, get, post } = served()
    const other = await plane.licenses.issue({})
    const beat = { fingerprint: 'a-0123456789abcdef', hostname: 'a', disk_pct: 1 }
    await post('/v1/telemetry/heartbeat', beat)
    const asked = await get(`/v1/fleet/servers?license=${other.license.id}`)
    expect(asked.body).toMatchObject({ servers: [{ hostname: 'a' }] })
    const answer = await plane.operations.runLicensed(other.license.id, 'fleet.servers', {
      license: served().licenseId,
    })
    expect(answer).toEqual({ servers: [] })
  })

  it('leaves no audit row', async () => {
    const { plane, post } = served()
    expect(await post(PATH, { id: 'alr_none', action: 'ack' })).toMatchObject({ status: 404 })
    expect(await plane.storage.audit.list(10)).toEqual([])
  })

  it('is refused for an operation of operators alone', async () => {
    const { plane, licenseId } = served()
    const asked = plane.operations.runLicensed(licenseId, 'tenants.list', {})
    await expect(asked).rejects.toMatchObject({ code: 'not-found' })
  })

  it('reads numbers of the query, and names what is none', async () => {
    const { get } = served()
    expect(await get(`${PATH}?limit=1&since=1`)).toMatchObject({ status: 200, body: { alerts: [] } })
    expect(await get(`${PATH}?limit=one`)).toMatchObject({
      status: 400,
      body: { details: ['limit: expected a whole number from 1 to 500'] },
    })
  })
})
