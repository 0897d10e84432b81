import { describe, expect, it } from '@jest/globals'
import { type JobKind, Problem } from '@svc/core'
import { JOB_KINDS } from '@svc/core/ports'
import fc from 'fast-check'
import { readPayload } from '../../../src/work/jobs/job-payload.ts'

const sha = 'a'.repeat(40)
const image = { type: 'image', image: 'shop:1' }
const PAYLOADS: Readonly<Record<JobKind, object>> = {
  deploy: { app: 'shop', source: image },
  redeploy: { app: 'shop', source: image },
  stop: { app: 'shop' },
  remove: { app: 'shop' },
  db: { op: 'create', engine: 'postgresql', name: 'shop' },
  restore: { checksum: 'abc', target: '/srv' },
  firewall: { revision: 1, settings: {} },
  prune: {},
  expose: { app: 'shop', domain: 'shop.example', port: 80 },
  unexpose: { app: 'shop', domain: 'shop.example' },
  backup: { app: 'shop' },
}
const git = { type: 'git', repo_url: 'https://git.example/app', sha }

function refusal(kind: JobKind, payload: unknown): readonly string[] {
  try {
    readPayload(kind, payload)
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid-input') return error.data.details ?? []
    throw error
  }
  return []
}

describe('payloads', () => {
  it.each(JOB_KINDS)('of %s have 65,536 bytes of JSON at most, as UTF-8', (kind) => {
    const sized = (bytes: number) => {
      const payload = { ...PAYLOADS[kind], note: '' }
      const left = bytes - Buffer.byteLength(JSON.stringify(payload))
      return { ...payload, note: `${left % 2 === 1 ? 'x' : ''}${'é'.repeat(Math.floor(left / 2))}` }
    }
    expect(refusal(kind, sized(65_536))).toEqual([])
    expect(refusal(kind, sized(65_537))).toEqual([
      'payload: expected at most 65536 bytes of JSON, not 65537: put large data where the host can fetch it, and name the place',
    ])
  })

  it('keep keys that nobody knows, at every depth', () => {
    const payload = { app: 'shop', source: { ...git, depth: 1 }, note: { by: 'ada' } }
    expect(readPayload('deploy', payload)).toEqual(payload)
  })

  it('name the field and the expectation, never the value', () => {
    expect(refusal('deploy', { app: 'Shop', source: git })).toEqual([
      expect.stringMatching(/^app: expected an app name/),
    ])
    expect(refusal('deploy', { app: 'shop', source: { ...git, sha: 'main' } })).toEqual([
      expect.stringMatching(/^source.sha: expected a full commit id/),
    ])
    expect(refusal('deploy', { app: 'shop', source: { type: 'image' } })).toEqual([
      expect.stringMatching(/^source.image: expected a string/),
    ])
    expect(refusal('deploy', { app: 'shop', source: git, env: { A: 1 }, ports: [70_000] })).toEqual([
      expect.stringMatching(/^env.A: expected/),
      expect.stringMatching(/^ports.0: expected/),
    ])
  })

  it('of a restore name an image, a checksum or both', () => {
    const target = '/srv'
    for (const named of [
      { image_id: 'img_1' },
      { checksum: 'abc' },
      { image_id: 'img_1', checksum: 'abc' },
    ]) {
      expect(readPayload('restore', { ...named, target })).toEqual({ ...named, target })
    }
    expect(refusal('restore', { target })).toEqual(['image_id: expected image_id or checksum'])
    expect(refusal('restore', { target, image_id: '' })).toEqual([
      'image_id: expected a string of 1 to 128 characters',
    ])
  })

  it('of any JSON are read or refused, also where a value cannot be spelled out', () => {
    const odd = fc.constantFrom<unknown>({ toString: null }, [{ toString: 1 }], {
      valueOf: null,
      toString: null,
    })
    const value = fc.oneof(fc.jsonValue(), odd)
    const payload = fc.record(
      {
        app: value,
        source: fc.oneof(value, fc.record({ type: value, sha: value })),
        env: value,
        ports: value,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.constantFrom(...JOB_KINDS), fc.oneof(payload, odd), (kind, given) => {
        expect(Array.isArray(refusal(kind, given))).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
