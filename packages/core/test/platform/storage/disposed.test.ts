// A storage that was disposed of while something still uses it, and a folder that is opened twice.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { createControlPlane, generateSigningKey, readConfig } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { RecordingLog } from '@svc/testing'
import { createApp } from '../../../../http/src/index.ts'

const DETAIL = expect.stringContaining('the storage was disposed of')

async function disposed() {
  const storage = await openStorage({ memory: true })
  const log = new RecordingLog()
  const config = readConfig({ SERVICE_LICENSE_PRIVKEY: generateSigningKey().privateKey })
  const plane = createControlPlane({ config, storage, log })
  const { license, key } = await plane.licenses.issue({ label: 'example' })
  await storage[Symbol.asyncDispose]()
  return { storage, plane, license, key, log }
}

describe('a storage that was disposed of', () => {
  it('refuses each use with a sentence, and may be disposed of again', async () => {
    const { storage, plane, license } = await disposed()
    const claim = { licenseId: license.id, fingerprint: 'fp', claimKey: undefined }
    const refused = { code: 'unavailable', data: { detail: DETAIL } }
    await expect(plane.jobs.claim(claim)).rejects.toMatchObject(refused)
    await expect(plane.operations.run('licenses.list', {}, 'test')).rejects.toMatchObject(refused)
    await expect(storage.transaction(async () => {})).rejects.toMatchObject(refused)
    await expect(storage.health()).rejects.toMatchObject(refused)
    await storage[Symbol.asyncDispose]()
  })

  it('answers requests with 503, and the log says why', async () => {
    const { plane, key, log } = await disposed()
    const request = new Request('http://svc.example/v1/jobs/claim', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: '{"fingerprint":"fp"}',
    })
    const answer = await createApp(plane).fetch(request, { address: '192.0.2.7' })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ error: 'service unavailable' })
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        message: 'request failed',
        fields: expect.objectContaining({ code: 'unavailable', detail: DETAIL }),
      }),
    )
  })
})

it('a folder that this process has open is not opened again', async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'svc-twice-')), 'data')
  try {
    await using _first = await openStorage({ dataDir })
    await expect(openStorage({ dataDir })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`process ${process.pid} has`),
    })
  } finally {
    rmSync(join(dataDir, '..'), { recursive: true, force: true })
  }
})
